import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { privateKeyFromRaw } from "../../src/auth/ed25519-keys.js";
import { rules } from "../../src/conformance/rules.js";
import { adminKeys } from "../support/admin.js";
import { build } from "../support/build.js";
import { runCommand } from "../support/command.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const admin = adminKeys("all");
let relay: TestRelay;
let folder: string;
let keyFile: string;
beforeAll(async () => {
  await build("conformance");
  relay = await startRelay({ adminList: admin.seed });
  folder = await mkdtemp(path.join(tmpdir(), "mls-relay-conformance-"));
  keyFile = path.join(folder, "admin-key.pem");
  await writeFile(keyFile, privateKeyFromRaw(admin.secretKey).export({ format: "pem", type: "pkcs8" }), {
    mode: 0o600,
  });
});
afterAll(async () => {
  await relay.stop();
  await rm(folder, { recursive: true });
});

/** The program as the package has it. */
const program = fileURLToPath(new URL("../../src/conformance/dist/main.js", import.meta.url));

function run(...args: string[]) {
  return runCommand(["--url", relay.url, ...args], {}, program);
}

test("the command prints each rule with its source and the checks that were not possible, and exits with 0", async () => {
  const { stdout, code } = await run("--domain", "relay.test", "--admin-key", keyFile, "--only", "f");
  expect(stdout).toContain("ok    federation.challenge: ");
  expect(stdout).toContain("[openapi: createFederationChallenge; errors.yaml: INVALID_ADDRESS]");
  expect(stdout).toContain("not checked: requires: origin");
  expect(stdout).toMatch(/\n2 rules hold, 0 broken, \d+ not checked\n/);
  expect(code).toBe(0);
});

test("the command ends with an error where a rule is broken", async () => {
  const { stdout, code } = await run("--domain", "other.test", "--only", "discovery.document");
  expect(stdout).toMatch(/FAIL {2}discovery\.document/);
  expect(code).toBe(1);
});

test("the command says in a line that the server cannot be reached", async () => {
  const { stderr, code } = await run("--url", "http://relay.invalid");
  expect(stderr).toBe("mls-relay-conformance: http://relay.invalid cannot be reached\n");
  expect(code).toBe(1);
});

test("the command keeps no connection for an answer that it does not read", async () => {
  let first: ServerResponse | undefined;
  let wasFree = false;
  const server = createServer(async (_, response) => {
    if (first === undefined) {
      first = response.writeHead(404);
      first.write("x".repeat(8_000_000));
      return;
    }
    // Later, garbage is collected, which frees it as well.
    if (!first.closed) await Promise.race([once(first, "close"), sleep(5_000)]);
    wasFree = first.closed;
    response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { stdout } = await run("--url", `http://127.0.0.1:${port}`, "--only", "discovery.document");
  server.close();
  expect(stdout).toMatch(/FAIL {2}discovery\.document/);
  expect(wasFree).toBe(true);
});

test.each([
  [],
  ["--specification-only"],
])("the command fails if no rule has the prefix that is asked for %s", async (...part) => {
  const { stderr, code } = await run("--domain", "relay.test", "--only", "discovry", ...part);
  expect(stderr).toContain("no rule of this part has an id that begins with discovry");
  expect(code).toBe(1);
});

test("rules have ids and titles of their own", () => {
  for (const members of [rules.map(({ id }) => id), rules.map(({ title }) => title)]) {
    expect(new Set(members).size).toBe(rules.length);
  }
});
