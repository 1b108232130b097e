import { createHash } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { keyedHash, keyedHashText } from "../../src/auth/keyed-hash.js";
import { createMasterKey, loadMasterKey } from "../../src/auth/master-key.js";
import { createSecrets } from "../../src/auth/secrets.js";
import { createSystemRandom } from "../../src/platform/random.js";
import type { AnyRow } from "../support/any-row.js";
import { createTrustFixture, type TrustFixture } from "../support/trust.js";

const random = createSystemRandom();
const plain = Buffer.from("a private key");
let folder: string;
let fixture: TrustFixture;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mls-relay-key-"));
  fixture = await createTrustFixture();
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await fixture.database.drop();
});

describe("the master key", () => {
  test("is made once, readable by its owner only, even if several processes start at the same time", async () => {
    const config = { masterKey: null, masterKeyFile: join(folder, "deep", "master.key") };
    const keys = await Promise.all(Array.from({ length: 8 }, () => loadMasterKey(config, random)));
    const sealed = keys[0]?.seal("test", plain) ?? Buffer.alloc(0);
    for (const key of keys) expect(Buffer.from(key.open("test", sealed))).toEqual(plain);
    expect((await stat(config.masterKeyFile)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, "deep"))).toEqual(["master.key"]);
    expect(await readFile(config.masterKeyFile, "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
  });

  test("may be given instead of a file, and then no file is made", async () => {
    const config = { masterKey: "AB".repeat(32), masterKeyFile: join(folder, "unused.key") };
    const sealed = (await loadMasterKey(config, random)).seal("test", plain);
    const same = createMasterKey(Buffer.alloc(32, 0xab), random);
    expect(Buffer.from(same.open("test", sealed))).toEqual(plain);
    expect(await readdir(folder)).not.toContain("unused.key");
  });

  test("a file that others can read is refused, with the command that fixes it", async () => {
    const file = join(folder, "open.key");
    await writeFile(file, "ab".repeat(32));
    for (const mode of [0o640, 0o604, 0o644]) {
      await chmod(file, mode);
      const loading = loadMasterKey({ masterKey: null, masterKeyFile: file }, random);
      await expect(loading).rejects.toThrow(
        `MASTER_KEY_FILE ${file} is open to others on this machine: run \`chmod 600 ${file}\``,
      );
    }
    await chmod(file, 0o400);
    await loadMasterKey({ masterKey: null, masterKeyFile: file }, random);
  });

  test("the relay's own file gets its mode back when a volume or copy has widened it", async () => {
    const config = { masterKey: null, masterKeyFile: join(folder, "own/master.key"), dataDir: join(folder, "own") };
    const sealed = (await loadMasterKey(config, random)).seal("test", plain);
    await chmod(config.masterKeyFile, 0o664);
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    expect(Buffer.from((await loadMasterKey(config, random)).open("test", sealed))).toEqual(plain);
    await loadMasterKey(config, random);
    expect(said.mock.calls).toEqual([[expect.stringContaining(`${config.masterKeyFile} was open to others`)]]);
    said.mockRestore();
    expect((await stat(config.masterKeyFile)).mode & 0o777).toBe(0o600);
  });

  test("a file without a key, or one that cannot be read, is a configuration error", async () => {
    const file = join(folder, "bad.key");
    await writeFile(file, "nonsense", { mode: 0o600 });
    await expect(loadMasterKey({ masterKey: null, masterKeyFile: file }, random)).rejects.toThrow(/^MASTER_KEY_FILE/);
    const below = { masterKey: null, masterKeyFile: join(file, "master.key") };
    await expect(loadMasterKey(below, random)).rejects.toThrow(/^MASTER_KEY_FILE .*ENOTDIR/);
  });

  test("opens nothing that another key sealed, that is for another purpose, or that was changed", () => {
    const sealed = fixture.masterKey.seal("one", plain);
    const changed = Buffer.from(sealed);
    changed[14] = (changed[14] ?? 0) ^ 1;
    const stranger = createMasterKey(Buffer.alloc(32, 7), random);
    expect(() => stranger.open("one", sealed)).toThrow(/MASTER_KEY/);
    expect(() => fixture.masterKey.open("two", sealed)).toThrow(/MASTER_KEY/);
    expect(() => fixture.masterKey.open("one", changed)).toThrow(/MASTER_KEY/);
    expect(sealed[0]).toBe(1);
    expect(() => fixture.masterKey.open("one", Buffer.concat([Buffer.from([2]), sealed.subarray(1)]))).toThrow(
      /MASTER_KEY/,
    );
    expect(() => fixture.masterKey.open("one", Buffer.alloc(5))).toThrow(/MASTER_KEY/);
    expect(sealed.includes(plain)).toBe(false);
  });
});

describe("named secrets", () => {
  test("are the same for every node, differ by name, and lie encrypted in the database", async () => {
    const nodes = Array.from({ length: 4 }, () => createSecrets(fixture));
    const all = await Promise.all(nodes.map((node) => node.get("one")));
    for (const secret of all) expect(secret).toEqual(all[0]);
    expect(all[0]).toHaveLength(32);
    expect(await nodes[0]?.get("two")).not.toEqual(all[0]);
    const rows = await fixture.db.rows<AnyRow>("select sealed from secrets");
    expect(rows).toHaveLength(2);
    for (const { sealed } of rows) expect(sealed.includes(Buffer.from(all[0] ?? []))).toBe(false);
  });
});

describe("the keyed hash", () => {
  const key = Buffer.alloc(32, 1);

  test("depends on the key and on where one part ends and the next begins", () => {
    expect(keyedHash(key, "ab", "c")).toHaveLength(32);
    expect(keyedHash(key, "ab", "c")).toEqual(keyedHash(key, Buffer.from("ab"), "c"));
    expect(keyedHash(key, "ab", "c")).not.toEqual(keyedHash(key, "a", "bc"));
    expect(keyedHash(key, "ab", "c")).not.toEqual(keyedHash(key, "abc"));
    expect(keyedHash(key, "ab", "c")).not.toEqual(keyedHash(Buffer.alloc(32, 2), "ab", "c"));
  });

  test.each([
    ["short", "ab"],
    ["of several bytes a character", "\u00e4\u20ac\u{1f600}"],
    ["longer than what is kept ready", "\u20ac".repeat(5_000)],
    ["empty", ""],
  ])("is SHA3-256 of the key and each part behind its length, of a text that is %s", (_, text) => {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    const expected = createHash("sha3-256").update(key).update(length).update(bytes).digest();
    expect(keyedHash(key, text)).toEqual(expected);
    expect(keyedHash(key, bytes)).toEqual(expected);
    expect(Buffer.from(keyedHashText(key, text), "latin1")).toEqual(expected);
  });
});
