import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestAuthority } from "../../scripts/test-ca/authority.js";
import { adminKeys } from "../support/admin.js";
import { call } from "../support/api.js";
import { runCommand, runHere } from "../support/command.js";
import { isMissing } from "../support/programs.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";

let relay: TestRelay;
let folder: string;
let env: Record<string, string>;
const domain = "relay.test";

beforeAll(async () => {
  relay = await startRelay();
  folder = await mkdtemp(join(tmpdir(), "mls-relay-admin-"));
  env = { DATABASE_URL: relay.databaseUrl, DATA_DIR: folder };
});
afterAll(async () => {
  await relay.stop();
  await rm(folder, { recursive: true });
});

const admin = (...args: string[]) => runHere(["admin", ...args], env);
const keyFile = (name = "key.pem") => join(folder, name);

/** Logs in as soon as the relay has read the list of administrators. */
async function onceKnown<Result extends { code: number | null }>(login: () => Promise<Result>): Promise<Result> {
  let result = await login();
  const isIn = async () => {
    if (result.code !== 0) result = await login();
    return result.code === 0;
  };
  await until(isIn, "the relay knows the administrator");
  return result;
}

describe("mls-relay admin", () => {
  test("keeps a key that exists, and an administrator, if both are made again", async () => {
    const file = keyFile("twice.pem");
    const [first, second] = [await admin("keygen", "--out", file), await admin("keygen", "--out", file)];
    expect(second).toMatchObject({ code: 0, stdout: first.stdout.replace(/\n$/, " (exists already, and is kept)\n") });
    await admin("add", "--key", file);
    expect(await admin("add", "--key", file)).toMatchObject({ code: 0 });
    const [, deviceId = ""] = /device id +([0-9a-f]{64})/.exec(first.stdout) ?? [];
    await admin("remove", deviceId);
  });

  test("makes a key, puts it on the list and logs in: three commands to the first administrator", async () => {
    const admin = (...args: string[]) => runCommand(["admin", ...args], env);
    const made = await admin("keygen", "--out", keyFile());
    expect(made).toMatchObject({ code: 0, stderr: "" });
    expect(((await stat(keyFile())).mode & 0o777).toString(8)).toBe("600");
    const deviceId = /device id +([0-9a-f]{64})/.exec(made.stdout)?.[1] ?? "";

    const added = await admin("add", "--key", keyFile());
    expect(added.stdout).toBe(`${deviceId} is an administrator: all\n`);

    const login = () => admin("login", "--key", keyFile(), "--url", relay.url, "--domain", domain);
    const { stdout } = await onceKnown(login);
    const answer = await call(relay, "getConfig", { token: stdout.trim() });
    expect(answer.status).toBe(200);
    expect((await admin("list")).stdout).toBe(`${deviceId}  all\n`);
  });

  test("keeps keys out of the working folder, and logs in before DNS exists, by a private authority", async () => {
    const authority = await createTestAuthority(new Date());
    const { cert, key } = await authority.issue({ hosts: ["relay.test"] });
    const files = { ca: authority.cert, cert, key };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.pem`), text);
    const tls = { tlsCertFile: join(folder, "cert.pem"), tlsKeyFile: join(folder, "key.pem") };
    const secure = await startRelay({ ...tls, databaseUrl: relay.databaseUrl, masterKey: relay.config.masterKey });
    const home = { ...env, XDG_CONFIG_HOME: join(folder, "config") };
    const run = (...args: string[]) => runHere(["admin", ...args], home);
    try {
      expect(await run("keygen")).toMatchObject({ code: 0 });
      expect(await readdir(join(folder, "config", "mls-relay"))).toEqual(["admin-key.pem"]);
      expect((await stat(join(folder, "config", "mls-relay"))).mode & 0o777).toBe(0o700);
      expect(await run("add")).toMatchObject({ code: 0 });
      const { port } = new URL(secure.url);
      const login = ["login", "--url", "https://relay.test", "--connect", `127.0.0.1:${port}`];
      expect(await run(...login)).toMatchObject({ code: 1, stdout: "" });
      const trusted = await onceKnown(() => run(...login, "--ca", join(folder, "ca.pem")));
      expect(trusted.stderr).toBe("");
      expect(trusted.stdout.trim().split(".")).toHaveLength(3);
    } finally {
      await secure.stop();
    }
  });

  test("adds by public key with some permissions, changes them, and removes", async () => {
    const { publicKey, deviceId } = adminKeys();
    const added = await admin("add", publicKey, "--permissions", "view_audit,view_metrics");
    expect(added.stdout).toBe(`${deviceId} is an administrator: view_metrics,view_audit\n`);
    const changed = await admin("add", publicKey, "--permissions", "manage_config");
    expect(changed.stdout).toBe(
      `${deviceId} was an administrator before, and now has the permissions: manage_config\n`,
    );
    expect((await admin("list")).stdout).toContain(`${deviceId}  manage_config\n`);
    expect((await admin("remove", publicKey)).code).toBe(0);
    const again = await admin("remove", deviceId);
    expect(again).toMatchObject({ code: 1, stderr: "mls-relay: there is no such administrator\n" });
  });

  test.skipIf(isMissing("openssl"))("overwrites no key, accepts one made by openssl, and reports errors", async () => {
    execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", keyFile("openssl.pem")]);
    const before = await readFile(keyFile("openssl.pem"), "utf8");
    expect(await admin("keygen", "--out", keyFile("openssl.pem"))).toMatchObject({ code: 0, stderr: "" });
    expect(await readFile(keyFile("openssl.pem"), "utf8")).toBe(before);
    const stranger = ["login", "--key", keyFile("openssl.pem"), "--url", relay.url];
    const refused = await admin(...stranger, "--domain", domain);
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("INVALID_ADMIN") });
    const elsewhere = await admin(...stranger);
    expect(elsewhere).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("must be relay.test, the domain of this server"),
    });
    const word = await admin("add", "--key", keyFile("openssl.pem"), "--permissions", "root");
    expect(word).toMatchObject({ code: 1, stderr: expect.stringContaining('"root" is not a permission') });
  });
});
