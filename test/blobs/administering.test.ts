import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminKeys, logIn, startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { runHere } from "../support/command.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { createBlob, download, newBytes, storedFolders, upload } from "./uploading.js";

const daySeconds = 86_400;
const cleanUpSeconds = 60;

let database: TestDatabase;
let relay: TestRelay;
let admin: TestAdmin;
let viewer: TestAdmin;
let device: TestDevice;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(path.join(tmpdir(), "mls-relay-blobs-"));
  const reader = adminKeys("view_metrics");
  const config = {
    databaseUrl: database.url,
    blobDir: folder,
    adminList: reader.seed,
    blobCleanupSeconds: cleanUpSeconds,
    // A relay that tries its storage makes the folder again that a test has moved away.
    blobStorageCheckSeconds: 3600,
  };
  ({ relay, admin } = await startAdministered(config));
  viewer = await logIn(relay, reader);
  device = await newDevice(relay);
  env = { DATABASE_URL: database.url, BLOB_DIR: folder, MASTER_KEY: relay.config.masterKey ?? "" };
});
afterAll(async () => {
  await relay.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const remove = (id: string, { token } = admin) => call(relay, "removeBlob", { token, params: { blob_id: id } });
const audited = () =>
  database.db.rows<{ target: string; admin: string | null }>(
    "select target, admin from audit_entries where action = 'blob_deleted' order by id",
  );

async function blobsFinding(): Promise<{ state: string; message: string } | undefined> {
  const { stdout } = await runHere(["doctor", "--json"], env);
  // Other checks may fail here, which doctor says by its exit code.
  process.exitCode = undefined;
  return (JSON.parse(stdout) as { check: string; state: string; message: string }[]).find(
    ({ check }) => check === "blobs",
  );
}

describe("a reported blob", () => {
  test("is deleted by an administrator, which is audited without the whole id", async () => {
    const blob = await upload(relay, device, newBytes(500));
    expect(await remove(blob.blob_id, viewer)).toMatchObject({ status: 403 });
    expect((await download(relay, blob)).status).toBe(200);
    expect(demand(await remove(blob.blob_id.toUpperCase())).body).toEqual({ deleted: true });
    expect((await download(relay, blob)).status).toBe(404);
    expect(storedFolders({ blobDir: folder })).toEqual([]);
    expect(await remove(blob.blob_id)).toMatchObject({ status: 404, body: { error: "NOT_FOUND" } });
    expect(await audited()).toEqual([{ target: blob.blob_id.slice(0, 8), admin: admin.deviceId }]);
  });

  test("is deleted by the operator, who knows its URL", async () => {
    const blob = await createBlob(relay, device, { size: 500 });
    const url = `${relay.url}/v1/blobs/${blob.blob_id}`;
    expect(await runHere(["blobs", "delete", url], env)).toMatchObject({ code: 0, stdout: "The blob is deleted.\n" });
    const again = await runHere(["blobs", "delete", blob.blob_id], env);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("no such blob") });
    expect((await runHere(["blobs", "delete", "abc"], env)).stderr).toContain("neither the id nor the URL");
    expect((await audited()).at(-1)).toEqual({ target: blob.blob_id.slice(0, 8), admin: null });
  });
});

describe("the folder of blobs", () => {
  test("is tried by doctor, which finds a node with another folder", async () => {
    await upload(relay, device, newBytes(100), { lifetime_seconds: 30 * daySeconds });
    expect(await blobsFinding()).toMatchObject({ state: "ok" });
    await rename(folder, `${folder}.away`);
    expect(await blobsFinding()).toMatchObject({
      state: "warning",
      message: expect.stringContaining("does not exist"),
    });
    expect(existsSync(folder)).toBe(false);
    await mkdir(folder);
    const found = await blobsFinding();
    expect(found).toMatchObject({ state: "failure", message: expect.stringContaining("1 of 1 blobs") });
    await rm(folder, { recursive: true });
    await rename(`${folder}.away`, folder);
    expect(await blobsFinding()).toMatchObject({ state: "ok" });
  });

  test("is not in a backup, which says so", async () => {
    const file = path.join(folder, "..", `${path.basename(folder)}.backup`);
    const { code, stdout } = await runHere(["backup", file, "--quiet"], env);
    await rm(file);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`bytes of 1 blobs. Copy ${folder} as well.`)]);
  });

  test("loses what no restored database can know any more", async () => {
    const [kept] = storedFolders({ blobDir: folder }) as [string];
    const now = relay.clock.nowSeconds();
    // Each turn of the clean-up looks at one of 256 folders.
    const prefixes = Array.from({ length: 256 }, (_, turn) => turn.toString(16).padStart(2, "0"));
    const make = async (end: string, days: number): Promise<string[]> => {
      const names = prefixes.map((prefix) => prefix + end.repeat(31));
      for (const name of names) {
        const place = path.join(folder, name.slice(0, 2), name);
        await mkdir(place, { recursive: true });
        await utimes(place, now, now - days * daySeconds);
      }
      return names;
    };
    const [old, young] = [await make("ab", 93), await make("cd", 91)];
    await until(async () => {
      relay.clock.advance(cleanUpSeconds);
      const stored = new Set(storedFolders({ blobDir: folder }));
      return old.some((name) => !stored.has(name));
    }, "a turn has come");
    expect(storedFolders({ blobDir: folder })).toEqual(expect.arrayContaining([kept, ...young]));
  });
});

test("after a restore, blobs with a number of downloads are gone, and others are there", async () => {
  await device.announce();
  const [counted, free] = [
    await upload(relay, device, newBytes(100), { max_downloads: 2 }),
    await upload(relay, device, newBytes(100)),
  ];
  const config = { databaseUrl: database.url, blobDir: folder, masterKey: relay.config.masterKey };
  await relay.stop();
  expect(await runHere(["after-restore"], env)).toMatchObject({ code: 0 });
  ({ relay } = await startAdministered(config));
  expect((await download(relay, counted)).status).toBe(404);
  expect((await download(relay, free)).status).toBe(200);
});
