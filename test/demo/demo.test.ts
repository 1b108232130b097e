import { spawn } from "node:child_process";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { demoProgram } from "../support/command.js";
import { startRelay } from "../support/relay.js";
import { shareOf } from "../support/shares.js";

interface Outcome {
  code: number | null;
  output: string;
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "demo-test-"));
  await chmod(folder, 0o711);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const project = fileURLToPath(new URL("../..", import.meta.url));

function runDemo(...options: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [demoProgram, ...options], {
    cwd: project,
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });
}

/** Both devices showed one code, and the second one joined the group and wrote to it. */
function expectLinking(output: string): void {
  const code = output.match(/^ada +scans it, .*; code ([0-9A-Z]{4}-[0-9A-Z]{4})$/m)?.[1];
  expect(output).toContain(`shows the same code ${code}, and is now ada's second device`);
  expect(output).toMatch(/^tablet +received a welcome, and joined in epoch 3$/m);
  for (const name of ["ada", "ben", "cleo"]) {
    expect(output).toMatch(new RegExp(`^${name} +received "It is Ada, on my tablet now\\."$`, "m"));
  }
}

test("the demo runs against a running relay, with its usual limit of new devices", async () => {
  const relay = await startRelay({
    firstAnnouncementsPerIpHour: 3,
    seeds: { SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "100000" },
  });
  try {
    const { code, output } = await runDemo("--url", relay.url, "--domain", relay.config.domain);
    expect(code, output).toBe(0);
    expect(output).toMatch(/^tablet +shows the same code/m);
    expect(output).toMatch(/^tablet +is linked, and may register later/m);
    expect(output).toContain("epoch authenticators are equal");
    const again = await runDemo("--url", relay.url, "--domain", relay.config.domain);
    expect(again.code).toBe(1);
    expect(again.output).toContain("start it with more room for development, with --preset development");
  } finally {
    await relay.stop();
  }
});

async function expectTalk(): Promise<void> {
  const { code, output } = await runDemo();
  expect(code, output).toBe(0);
  expectLinking(output);
  expect(output).toMatch(/^relay +holds 1 encrypted blob \(\d+ bytes\), without the identity in plaintext$/m);
  expect(output).toContain("all 5 ciphertexts, none of the 3 plaintexts, and no group's id");
  expect(output).toContain("epoch authenticators are equal");
  expect(output).toMatch(
    /^(?:ada|ben) +won the slot of epoch 1, and the other one applies that commit: nobody forks$/m,
  );
  expect(output).toMatch(/^dora +walks forward through 4 slots, and is in epoch 5 with the others$/m);
  for (const name of ["ada", "ben", "cleo"]) expect(output).toMatch(new RegExp(`^${name} +received`, "m"));
  expect((await readdir(folder)).filter((name) => name.startsWith("mls-relay-demo-"))).toEqual([]);
}

async function expectFederated(): Promise<void> {
  const { code, output } = await runDemo("--federated");
  expect(code, output).toBe(0);
  for (const relay of ["island", "harbour"]) {
    expect(output).toMatch(new RegExp(`^${relay} +is killed`, "m"));
    expect(output).toMatch(new RegExp(`^${relay} +is back`, "m"));
  }
  expect(output).toMatch(/^harbour holds for the other relay: localhost:\d+ {2}6 messages/m);
  expect(output).toContain("saw each message once and in order");
  expect((await readdir(folder)).filter((name) => name.startsWith("mls-relay-demo-"))).toEqual([]);
}

async function expectPush(): Promise<void> {
  const { code, output } = await runDemo("--push");
  expect(code, output).toBe(0);
  expect(output).toMatch(/^cleo +echoes the code that was pushed/m);
  expect(output.match(/^service +delivers 230 encrypted bytes, urgency high$/gm)).toHaveLength(2);
  expect(output).toMatch(/^cleo +received "Are you awake\?"$/m);
  expect(output).toMatch(/^cleo +was woken, read what waited, and sleeps again$/m);
}

// Each starts relays. The demo at a running relay plays the scenario of the first one each day.
const withRelays: [string, () => Promise<void>][] = [
  ["three devices talk in an MLS group through a relay that sees ciphertext only", expectTalk],
  ["devices of two relays talk in an MLS group while one relay after the other is killed", expectFederated],
  ["a sleeping member is woken by a push, and reads what waits", expectPush],
];

test.each(shareOf(withRelays, 3))("%s", (_, play) => play());

test("a demo that cannot run ends with a failure", async () => {
  const relay = await startRelay();
  try {
    const { code, output } = await runDemo("--url", relay.url);
    expect(code).toBe(1);
    expect(output).toContain("calls itself relay.test");
  } finally {
    await relay.stop();
  }
});
