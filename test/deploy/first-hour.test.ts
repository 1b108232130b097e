import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFreePort } from "../../src/platform/net/free-port.js";
import { type Block, blocksOf, project } from "../manual/blocks.js";
import { isMissing, programs } from "../support/programs.js";
import { environmentOf, inRoot, readUnit } from "./unit.js";

// The page is played line by line in a folder that stands for the machine: every absolute path of its commands lies there.
// Its files, the relay, its PostgreSQL and its commands are real. Programs that change a machine (apt-get, npm, git) are
// replaced by scripts that do the least that the next line needs, and the test does what systemd does with the unit.

const run = promisify(execFile);
const page = "docs/how-to/first-hour.md";
const installed = "/etc/systemd/system/mls-relay.service";

let root: string;
let env: Record<string, string>;
let port: number;
let relay: ChildProcess | undefined;
let ended: Promise<unknown[]> | undefined;

const at = (absolute: string) => path.join(root, absolute);

/** Scripts by name. `$1` and so on are what the page's line gives them. */
const replaced: Record<string, string> = {
  "apt-get": "exit 0",
  journalctl: "exit 0",
  systemctl: 'echo "$*" >> "$ROOT/systemctl.log"',
  git: `[ "$1" = clone ] || exit 1
mkdir -p "$3"
for each in ${project}/*; do ln -s "$each" "$3/"; done`,
  npm: `case $1 in
  run) "${process.execPath}" -e 'process.exit(process.argv[1] in require("./package.json").scripts ? 0 : 1)' "$2" ;;
  ci | prune) [ -f package-lock.json ] ;;
  *) exit 1 ;;
esac`,
  // An archive of Node.js with this Node.js in it, and its hash.
  curl: `case $2 in
  https://nodejs.org/*)
    archive=$(basename "$2")
    mkdir -p archive/node/bin && ln -sf "${process.execPath}" archive/node/bin/node
    tar -czf "$archive" -C archive node && sha256sum "$archive" > "$(basename "$3")"
    exit ;;
esac
exec /usr/bin/env -u PATH curl --fail --silent --show-error "$(echo "$1" | sed "s|https://relay.example|$RELAY|")"`,
};

beforeAll(async () => {
  expect(existsSync(path.join(project, "dist/src/cli/main.js")), "npm run build comes first").toBe(true);
  root = await mkdtemp(path.join(tmpdir(), "mls-relay-first-hour-"));
  await chmod(root, 0o755);
  for (const folder of [
    "etc/systemd/system",
    "etc/caddy",
    "tmp",
    "opt",
    "usr/local/bin",
    "var/lib",
    "var/backups",
    "programs",
    "root",
  ])
    await mkdir(at(folder), { recursive: true });
  for (const [name, script] of Object.entries(replaced)) {
    await writeFile(at(`programs/${name}`), `#!/bin/sh\n${script}\n`);
    await chmod(at(`programs/${name}`), 0o755);
  }
  port = await findFreePort();
  const PATH = `${at("usr/local/bin")}:${at("programs")}:/usr/local/bin:/usr/bin:/bin`;
  env = { PATH, HOME: at("root"), ROOT: root, RELAY: `http://127.0.0.1:${port}`, PORT: String(port) };
});
afterAll(async () => {
  relay?.kill("SIGTERM");
  await ended;
  await rm(root, { recursive: true });
});

/** Types the blocks into one shell. */
async function type(blocks: readonly Block[]): Promise<string> {
  const commands = blocks.map(({ commands }) =>
    commands.replaceAll("<address of the repository>", "https://git.example/x"),
  );
  const shell = spawn("bash", ["-c", `set -euo pipefail\n${inRoot(root, commands.join("\n"))}`], { cwd: root, env });
  let output = "";
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on("data", (text: Buffer) => {
      output += text.toString();
    });
  }
  const [code] = await once(shell, "close");
  expect(code, output.slice(-3000)).toBe(0);
  return output;
}

/** What systemd does on `systemctl start mls-relay`, but for the account and the sandbox. Resolves when the relay serves. */
async function startUnit(): Promise<void> {
  const unit = await readUnit(at(installed));
  const credentials = at("run/credentials");
  await mkdir(credentials, { recursive: true });
  for (const credential of unit.get("LoadCredential") ?? []) {
    const [name = "", file = ""] = credential.split(":");
    await copyFile(at(file), path.join(credentials, name));
  }
  const given = {
    ...environmentOf(unit, credentials),
    ...(await readEnvironmentFiles(unit.get("EnvironmentFile") ?? [])),
  };
  const mapped = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, inRoot(root, value)]));
  for (const folder of unit.get("StateDirectory") ?? []) await mkdir(at(`var/lib/${folder}`), { mode: 0o700 });
  const [program = "", ...args] = (unit.get("ExecStart")?.[0] ?? "").split(" ");
  relay = spawn(at(program), args, {
    cwd: at(unit.get("WorkingDirectory")?.[0] ?? "/"),
    env: { PATH: env["PATH"], PORT: String(port), ...mapped },
    stdio: ["ignore", "pipe", "pipe"],
  });
  ended = once(relay, "exit");
  let written = "";
  for (const stream of [relay.stdout, relay.stderr]) {
    stream?.on("data", (text: Buffer) => {
      written += text.toString();
    });
  }
  await expect.poll(() => written).toMatch(/serves relay\.example at http/);
}

async function readEnvironmentFiles(files: readonly string[]): Promise<Record<string, string>> {
  const texts = await Promise.all(files.map((file) => readFile(at(file.replace(/^-/, "")), "utf8")));
  const lines = texts.join("\n").split("\n");
  const pairs = lines.map((line) => /^(\w+)=(.*)$/.exec(line)).filter((pair) => pair !== null);
  return Object.fromEntries(pairs.map(([, name, value]) => [name, value]));
}

describe.skipIf(isMissing("openssl"))("the first hour on a server", () => {
  test("is played as it is written, and leaves a relay that serves under its name, with its key, a backup and an invite", async () => {
    const blocks = await blocksOf(page);
    const played = blocks.filter(
      ({ mark }) => mark !== null && "reason" in mark && mark.reason.includes("test/deploy/first-hour"),
    );
    const started = played.findIndex(({ commands }) => commands.includes("systemctl enable --now mls-relay"));
    // Whatever is not played is run by test/manual.
    expect(blocks.filter((block) => !played.includes(block)).map(({ mark }) => mark)).toEqual([{ mode: "serve" }]);
    await type(played.slice(0, started + 1));
    await startUnit();
    const output = await type(played.slice(started + 1));

    expect((await readFile(at("systemctl.log"), "utf8")).trim().split("\n")).toEqual([
      "daemon-reload",
      "enable --now mls-relay",
      "reload caddy",
    ]);
    expect(existsSync(at("var/backups/first.backup"))).toBe(true);
    expect(existsSync(at("var/lib/mls-relay/postgres"))).toBe(true);
    // The key is the one that the page makes.
    expect(existsSync(at("var/lib/mls-relay/master.key"))).toBe(false);
    expect(output).toMatch(/ok +master key +decrypts the secrets in the database/);
    // The name leads nowhere, there is no backup yet, the limit of open files is that of this shell, and the embedded PostgreSQL may lack
    // a minor release.
    expect(output).not.toMatch(
      /(WARNING|FAILURE) +(?!dns|reachable|federation|disk|backups|open files|database +PostgreSQL \S+, and \S+ is out)\S/,
    );
    const discovery = await (await fetch(`http://127.0.0.1:${port}/.well-known/svc`)).json();
    expect(JSON.stringify(discovery)).toContain("relay.example");
    expect(await readFile(at("etc/caddy/Caddyfile"), "utf8")).toContain("relay.example {");
  });

  test.skipIf(isMissing("systemd-analyze"))("installs a unit that systemd accepts", async () => {
    const file = at("mls-relay.service");
    await writeFile(file, (await readFile(at(installed), "utf8")).replaceAll("/opt/mls-relay", at("/opt/mls-relay")));
    const verified = await run(programs["systemd-analyze"].find() ?? "", ["verify", file]).catch((error) => error);
    const complaints = String(verified.stderr)
      .split("\n")
      .filter((line) => line.includes("mls-relay") && !/Unknown key.*'Restart(Steps|MaxDelaySec)'/.test(line));
    expect(complaints).toEqual([]);
  });

  test("gets a Node.js that the relay runs on", async () => {
    const [, major] = /\bnode-v(\d+)\./.exec(await readFile(path.join(project, page), "utf8")) ?? [];
    const { engines } = JSON.parse(await readFile(path.join(project, "package.json"), "utf8"));
    const [, min] = /^>=(\d+)\./.exec(engines.node) ?? [];
    expect(Number(major)).toBeGreaterThanOrEqual(Number(min));
  });
});
