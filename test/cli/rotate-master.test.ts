import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runHere } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { newDevice } from "../support/device.js";
import { startRelay } from "../support/relay.js";

const newKey = () => randomBytes(32).toString("hex");

let database: TestDatabase;
let folder: string;
let file: string;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "mls-relay-rotate-"));
  file = join(folder, "master.key");
  env = { DATABASE_URL: database.url, DATA_DIR: folder, DOMAIN: "relay.test" };
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

const start = (masterKey: string | null = null) =>
  startRelay({ databaseUrl: database.url, masterKey, masterKeyFile: file });
const rotate = (more: Record<string, string> = {}) => runHere(["keys", "rotate-master"], { ...env, ...more });
const keyInFile = async () => (await readFile(file, "utf8")).trim();

/** Starts and stops a relay, which reads what is sealed. */
async function expectWorking(masterKey: string | null = null): Promise<void> {
  const relay = await start(masterKey);
  await newDevice(relay).finally(relay.stop);
}

/** What a start might write, as it is now. */
async function written(): Promise<unknown> {
  const sealed = await database.db.rows(
    `select encode(sealed, 'hex') as sealed from secrets union all
     select encode(sealed_private, 'hex') from signing_keys union all
     select encode(sealed, 'hex') from daily_keys union all
     select node_id from nodes order by sealed`,
  );
  return { sealed, files: await readdir(folder) };
}

describe("mls-relay keys rotate-master", () => {
  test("refuses beside a relay, and names its node; without one it replaces the key, and tokens stay valid", async () => {
    const relay = await start();
    const device = await newDevice(relay);
    const before = await keyInFile();
    expect(await rotate()).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/stop it first.*Node [0-9a-f]{16}/),
    });
    await relay.stop();
    expect(await keyInFile()).toBe(before);

    expect(await rotate()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ secrets are encrypted with the new/),
    });
    expect(await keyInFile()).not.toBe(before);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["master.key"]);
    Object.assign(relay, await start());
    expect((await device.poll()).status).toBe(200);
    await relay.stop();
    const entries = await database.db.rows("select from audit_entries where action = 'master_key_rotated'");
    expect(entries).toHaveLength(1);
  });

  test.each([
    "before",
    "after",
  ])("a rotation that broke off %s the transaction lets a relay start, and is ended later", async (when) => {
    const before = await keyInFile();
    const next = when === "before" ? newKey() : undefined;
    if (next === undefined) expect(await rotate()).toMatchObject({ code: 0 });
    const after = next ?? (await keyInFile());
    await writeFile(file, before);
    await writeFile(`${file}.next`, after, { mode: 0o600 });
    await expectWorking();
    expect(await rotate()).toMatchObject({ code: 0 });
    expect(await keyInFile()).toBe(after);
    expect(await readdir(folder)).toEqual(["master.key"]);
    await expectWorking();
  });

  test("a start with another key, or with none where one was, writes nothing and says what to do", async () => {
    const before = await written();
    await expect(start(newKey())).rejects.toThrow(/is not the key that this database was set up with.*Restore the key/);
    expect(await written()).toEqual(before);
    const key = await keyInFile();
    await rm(file);
    await expect(start()).rejects.toThrow(/does not exist, but this database was set up with a master key/);
    expect(await readdir(folder)).toEqual([]);
    await writeFile(file, key, { mode: 0o600 });
    expect(await written()).toEqual(before);
  });

  test("takes the next key from the environment where the present one comes from there", async () => {
    const [old, next] = [await keyInFile(), newKey()];
    expect(await rotate({ MASTER_KEY: old })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("MASTER_KEY_NEXT"),
    });
    expect(await rotate({ MASTER_KEY: old, MASTER_KEY_NEXT: next })).toMatchObject({ code: 0 });
    await expect(start(old)).rejects.toThrow(/is not the key/);
    await expectWorking(next);
    expect(await rotate({ MASTER_KEY: old, MASTER_KEY_NEXT: next })).toMatchObject({ code: 0 });
    await expectWorking(next);
  });
});
