import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ofRules } from "../../src/conformance/places.js";
import type { Report } from "../../src/conformance/report/findings.js";
import { junitOf } from "../../src/conformance/report/junit.js";
import { tapOf } from "../../src/conformance/report/tap.js";
import { tableOfRules } from "../../src/conformance/rule-table.js";
import { rules } from "../../src/conformance/rules.js";
import { build } from "../support/build.js";
import { newDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const project = fileURLToPath(new URL("../..", import.meta.url));
let relay: TestRelay;
let folder: string;
let tarball: string;
beforeAll(async () => {
  await build("client");
  await build("groups");
  folder = await mkdtemp(path.join(tmpdir(), "mls-relay-kit-"));
  await run("npm", ["pack", "--workspace", "@mls-relay/conformance", "--pack-destination", folder], project);
  tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "";
  relay = await startRelay({ seeds: { SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "1" } });
});
afterAll(async () => {
  await relay?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("the packed kit, run by npx from its tarball without a registry", () => {
  test("checks a relay, and writes TAP and JUnit beside its text", async () => {
    const args = [
      "--url",
      relay.url,
      "--domain",
      "relay.test",
      "--only",
      "d",
      "--tap",
      "out.tap",
      "--junit",
      "out.xml",
    ];
    const { stdout, code } = await kit(...args);
    expect(stdout).toContain("ok    discovery.document: ");
    expect(stdout).toMatch(/\n\d+ rules hold, 0 broken, \d+ not checked\n/);
    expect(code).toBe(0);
    const count = rules.filter(({ id }) => id.startsWith("d")).length;
    const tap = await readFile(path.join(folder, "out.tap"), "utf8");
    expect(tap.split("\n").slice(0, 3)).toEqual([
      "TAP version 14",
      `1..${count}`,
      expect.stringMatching(/^ok 1 - discovery/),
    ]);
    const junit = await readFile(path.join(folder, "out.xml"), "utf8");
    expect(junit).toMatch(
      new RegExp(`<testsuites name="mls-relay-conformance" tests="${count}" failures="0" errors="0"`),
    );
  });

  test("checks a relay by the specification alone", async () => {
    const args = ["--url", relay.url, "--domain", "relay.test", "--specification-only", "--only", "discovery.document"];
    const { stdout, code } = await kit(...args);
    expect(stdout).toContain("[specification, Discovery and published block list]");
    expect(code).toBe(0);
  });

  test("ends with 0 if most rules are unchecked because no administrator's key was given", async () => {
    const { stdout, code } = await kit("--url", relay.url, "--domain", "relay.test", "--only", "admin.", "--json");
    const { findings } = JSON.parse(stdout) as Report;
    const unchecked = findings.filter(({ outcome }) => outcome === "not checked");
    expect(unchecked.length).toBeGreaterThan(findings.length / 2);
    expect(code).toBe(0);
  });

  test("ends with 2 if registration is closed, so that it can check little", async () => {
    const closed = await startRelay({ seeds: { SEED_REGISTRATION_ENABLED: "false" } });
    try {
      for (const part of [[], ["--specification-only"]]) {
        const args = ["--url", closed.url, "--domain", "relay.test", "--only", "messages.", "--json", ...part];
        const { stdout, code } = await kit(...args);
        const { findings } = JSON.parse(stdout) as Report;
        expect(findings.filter(({ outcome }) => outcome !== "not checked")).toEqual([]);
        expect(findings.filter(({ limited }) => limited).length).toBeGreaterThan(findings.length / 2);
        expect(code).toBe(2);
      }
    } finally {
      await closed.stop();
    }
  });

  test("ends with 2 if its network address may register no more devices", async () => {
    const limited = await startRelay({ firstAnnouncementsPerIpHour: 1 });
    try {
      await newDevice(limited);
      const { stdout, code } = await kit("--url", limited.url, "--domain", "relay.test", "--only", "queue.");
      expect(stdout).toContain("limits of the server left more rules unchecked than were checked");
      expect(code).toBe(2);
    } finally {
      await limited.stop();
    }
  });

  test("says in its help what the exit status means", async () => {
    const { stdout } = await kit("--help");
    expect(stdout).toMatch(/Exit status: 0 .*, 1 .*, 2 /);
  });

  test("checks a client", async () => {
    const program = path.join(project, "test/conformance/client-program.mjs");
    const { stdout, code } = await kit("client", "--only", "client.receives", "--", process.execPath, program);
    expect(stdout).toMatch(/^ok {4}client\.receives: [\s\S]*\n1 rules hold, 0 broken, 0 not checked\n$/);
    expect(code).toBe(0);
    const broken = await kit(
      "client",
      "--only",
      "client.receives",
      "--",
      process.execPath,
      "--eval",
      "process.exit(3)",
    );
    expect(broken.stdout).toContain("broken: the program is gone: it ended with 3");
    expect(broken.code).toBe(1);
  });

  test("checks a group messenger", async () => {
    const program = path.join(project, "test/conformance/groups-program.mjs");
    const args = ["--url", relay.url, "--domain", "relay.test", "--only", "groups.welcomes"];
    const { stdout, code } = await kit("groups", ...args, "--", process.execPath, program);
    expect(stdout).toMatch(/^ok {4}groups\.welcomes: [\s\S]*\n1 rules hold, 0 broken, 0 not checked\n$/);
    expect(code).toBe(0);
  });

  test("lists its rules", async () => {
    const { stdout } = await kit("rules", "--json");
    expect(JSON.parse(stdout)).toEqual(tableOfRules());
  });
});

describe("the table of rules", () => {
  test("names every rule once in each part, and places rules that there are", () => {
    const keys = tableOfRules().map(({ part, id }) => `${part} ${id}`);
    expect(new Set(keys).size).toBe(keys.length);
    const ids = new Set(rules.map(({ id }) => id));
    expect(Object.keys(ofRules).filter((id) => !ids.has(id))).toEqual([]);
  });
});

test("reports for CI escape what their format gives a meaning", () => {
  const rule = { id: "a.b", title: 'a <title> & "more" # 1', source: "x", place: "y" };
  const findings = [
    { rule, outcome: "holds" as const },
    { rule, outcome: "broken" as const, reason: "line one\nline <two>\u0000" },
    { rule, outcome: "not checked" as const, reason: "requires: admin" },
  ];
  expect(tapOf(findings).split("\n").slice(2)).toEqual([
    'ok 1 - a.b: a <title> & "more" \\# 1',
    'not ok 2 - a.b: a <title> & "more" \\# 1',
    "  ---",
    '  message: "line one line <two>\\u0000"',
    '  source: "x"',
    '  place: "y"',
    "  ...",
    'ok 3 - a.b: a <title> & "more" \\# 1 # SKIP requires: admin',
    "",
  ]);
  const junit = junitOf(findings);
  expect(junit).toContain('name="a.b: a &lt;title&gt; &amp; &quot;more&quot; # 1"');
  expect(junit).toContain('<failure message="line one&#10;line &lt;two&gt;\ufffd">');
  expect(junit).toContain('<skipped message="requires: admin">');
});

test("the container file installs the tarball that npm pack makes, and starts the program", async () => {
  const text = await readFile(path.join(project, "src/conformance/Dockerfile"), "utf8");
  const [, pattern = ""] = /^COPY (\S+) \/tmp\/$/m.exec(text) ?? [];
  expect(tarball).toMatch(new RegExp(`^${pattern.replaceAll(".", "\\.").replace("*", ".+")}$`));
  const { bin } = JSON.parse(await readFile(path.join(project, "src/conformance/package.json"), "utf8"));
  expect(text).toContain(`ENTRYPOINT ${JSON.stringify(Object.keys(bin))}`);
  const image = /^FROM (\S+)$/m.exec(text)?.[1];
  expect(await readFile(path.join(project, "Dockerfile"), "utf8")).toContain(`FROM ${image}\n`);
});

function kit(...args: string[]) {
  const from = ["--yes", "--offline", "--package", path.join(folder, tarball), "--", "mls-relay-conformance"];
  return run("npx", [...from, ...args], folder);
}

/** A program with a cache of its own, so that nothing that this machine has installed helps it. */
function run(file: string, args: readonly string[], cwd: string): Promise<{ stdout: string; code: number }> {
  const env = { ...process.env, npm_config_cache: path.join(folder, "cache"), npm_config_update_notifier: "false" };
  return new Promise((resolve) => {
    execFile(file, args, { cwd, env, maxBuffer: 16 * 1024 * 1024 }, (failure, stdout, stderr) => {
      if (failure !== null && stdout === "") console.error(stderr);
      resolve({ stdout, code: typeof failure?.code === "number" ? failure.code : failure === null ? 0 : Number.NaN });
    });
  });
}
