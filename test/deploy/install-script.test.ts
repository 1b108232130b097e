import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/composition/config.js";
import { environmentOf, inRoot, readUnit } from "./unit.js";

// The script runs in a folder that stands for the server, on the package of this commit. systemctl is replaced by a script that notes
// what it is asked for, and npm by a link to the packages of this project: install.test.ts installs them.

const run = promisify(execFile);
const project = fileURLToPath(new URL("../../", import.meta.url));
const programs = {
  systemctl: 'echo "$*" >> "$ROOT/systemctl.log"',
  id: "echo 0",
  getent: '[ -e "$ROOT/accounts" ]',
  npm: `[ -f package.json ] && ln -s ${project}/node_modules node_modules`,
};

let root: string;
let tarball: string;
const at = (absolute: string) => path.join(root, absolute);

beforeAll(async () => {
  expect(existsSync(path.join(project, "dist/src/cli/main.js")), "npm run build comes first").toBe(true);
  root = await mkdtemp(path.join(tmpdir(), "mls-relay-install-script-"));
  for (const folder of ["opt", "etc/systemd/system", "usr/local/bin", "programs"])
    await mkdir(at(folder), { recursive: true });
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(at(`programs/${name}`), `#!/bin/sh\n${script}\n`);
    await chmod(at(`programs/${name}`), 0o755);
  }
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", root], {
    cwd: project,
    maxBuffer: 2 ** 24,
  });
  tarball = at(JSON.parse(stdout)[0].filename);
  await writeFile(at("accounts"), "");
});
afterAll(() => rm(root, { recursive: true }));

async function install(...args: string[]): Promise<string> {
  const script = inRoot(root, await readFile(path.join(project, "deploy/install.sh"), "utf8"));
  await writeFile(at("install.sh"), script);
  const PATH = `${at("programs")}:${path.dirname(process.execPath)}:/usr/bin:/bin`;
  // Root's files are for root alone on many servers.
  const command = ["-c", 'umask 077; sh "$@"', "sh", at("install.sh"), ...args];
  const { stdout } = await run("sh", command, { cwd: root, env: { PATH, ROOT: root } });
  return stdout;
}

describe("the script that installs a relay on a server", () => {
  test("leaves a unit, its settings and a key, and leaves them as they are when it updates", async () => {
    expect(await install(tarball, "relay.example")).toContain("serves https://relay.example");
    const { version } = JSON.parse(await readFile(path.join(project, "package.json"), "utf8"));
    const { stdout } = await run(at("usr/local/bin/mls-relay"), ["--version"]);
    expect(stdout.trim()).toBe(version);
    const program = await stat(at("opt/mls-relay/dist/src/cli/main.js"));
    expect(program.mode & 0o004, "the unit's account reads the program").toBe(0o004);
    const settings = await readFile(at("etc/mls-relay/relay.env"), "utf8");
    const key = await readFile(at("etc/mls-relay/master.key"), "utf8");
    for (const file of ["relay.env", "master.key"])
      expect((await stat(at(`etc/mls-relay/${file}`))).mode & 0o777).toBe(0o600);

    const unit = await readUnit(at("etc/systemd/system/mls-relay.service"));
    const { MASTER_KEY_FILE, ...environment } = environmentOf(unit, "credentials");
    expect(MASTER_KEY_FILE).toBe("credentials/master.key");
    const given = Object.fromEntries(
      settings
        .trim()
        .split("\n")
        .map((line) => line.split("=")),
    );
    const config = loadConfig({ ...environment, ...given, MASTER_KEY: key.trim() });
    expect(config).toMatchObject({ domain: "relay.example", baseUrl: "https://relay.example", port: 443 });

    await appendFile(at("etc/mls-relay/relay.env"), "LOG_LEVEL=warn\n");
    await install(tarball, "relay.example");
    expect(await readFile(at("etc/mls-relay/relay.env"), "utf8")).toBe(`${settings}LOG_LEVEL=warn\n`);
    expect(await readFile(at("etc/mls-relay/master.key"), "utf8")).toBe(key);
    expect(existsSync(at("opt/mls-relay.old/package.json"))).toBe(true);
    const asked = ["daemon-reload", "enable mls-relay", "restart mls-relay"];
    expect((await readFile(at("systemctl.log"), "utf8")).trim().split("\n")).toEqual([...asked, ...asked]);
  });

  test("changes nothing if the package is not one", async () => {
    const before = await readFile(at("opt/mls-relay/package.json"), "utf8");
    await writeFile(at("broken.tgz"), "no package");
    await expect(install(at("broken.tgz"), "relay.example")).rejects.toThrow();
    await expect(install(at("missing.tgz"), "relay.example")).rejects.toThrow("there is no file");
    expect(await readFile(at("opt/mls-relay/package.json"), "utf8")).toBe(before);
  });

  test("says what is missing before it changes anything", async () => {
    const before = await stat(at("opt/mls-relay"));
    const refusals = [
      ["https://relay.example", "is not a domain"],
      ["relay.example:8443", "is not a domain"],
      ["", "is not a domain"],
      ["other.example", "this server's relay is relay.example"],
    ] as const;
    for (const [domain, why] of refusals) await expect(install(tarball, domain), domain).rejects.toThrow(why);

    await rm(at("accounts"));
    await expect(install(tarball, "relay.example")).rejects.toThrow("apt-get install libnss-systemd");
    await writeFile(at("accounts"), "");

    const { engines } = JSON.parse(await readFile(path.join(project, "package.json"), "utf8"));
    const [major, minor, patch] = engines.node.slice(2).split(".").map(Number);
    const node = at("programs/node");
    const versions = [`${major}.${minor}.${patch - 1}`, `${major}.${minor - 1}.99`, `${major - 2}.99.99`];
    for (const version of versions) {
      const pretend = `Object.defineProperty(process.versions, "node", { value: "${version}" });`;
      await writeFile(at("pretend.cjs"), pretend);
      await writeFile(node, `#!/bin/sh\nexec ${process.execPath} --require ${at("pretend.cjs")} "$@"\n`);
      await chmod(node, 0o755);
      await expect(install(tarball, "relay.example"), version).rejects.toThrow("is too old; install Node.js 24");
    }
    await rm(node);
    expect((await stat(at("opt/mls-relay"))).ino).toBe(before.ino);
  });

  test("prints a command that finds the unit's data and key", async () => {
    const printed = inRoot(root, await install(tarball, "relay.example"));
    const [, exported = "", doctor = ""] = /^ +(export .*)\n +(mls-relay doctor \S+ \S+)/m.exec(printed) ?? [];
    const PATH = `${at("usr/local/bin")}:${path.dirname(process.execPath)}:/usr/bin:/bin`;
    const { stdout } = await run("sh", ["-c", `${exported}; ${doctor} || true`], { cwd: root, env: { PATH } });
    expect(stdout).toMatch(new RegExp(`^ok +master key +${at("etc/mls-relay/master.key")}$`, "m"));
    expect(stdout).toContain(`there is none in ${at("var/lib/mls-relay")} yet`);
  });
});
