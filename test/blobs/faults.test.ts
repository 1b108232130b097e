import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import {
  type Created,
  complete,
  createBlob,
  deleteBlob,
  download,
  newBytes,
  partsOf,
  putPart,
  storedFolders,
  upload,
  uploadState,
} from "./uploading.js";

const mebibyte = 1024 * 1024;
const hour = 3_600;

describe("what happens at once to one blob", () => {
  let relay: TestRelay;
  let other: TestRelay;
  let device: TestDevice;
  let db: Database;
  beforeAll(async () => {
    relay = await startRelay({
      newTierBlobsPerHour: 100_000,
      newTierBlobBytesPerDay: 1024 * mebibyte,
      blobCleanupSeconds: 60,
    });
    other = await startRelay({ ...relay.config, databaseUrl: relay.databaseUrl }, { clock: relay.clock });
    db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
    device = await newDevice(relay);
  });
  afterAll(async () => {
    await db.close();
    await other.stop();
    await relay.stop();
  });

  /** Nothing of a blob is left, and the balance is right. */
  async function expectNothingLeft(): Promise<void> {
    await until(async () => storedFolders(relay.config).length === 0, "the storage is empty");
    await until(async () => {
      const row = await db.one<{ bytes: number; blobs: number }>(
        "select bytes, (select count(*) from blobs) as blobs from blob_balance",
      );
      return row?.bytes === 0 && row.blobs === 0;
    }, "nothing is reserved");
  }

  async function uploadParts(): Promise<{ blob: Created; bytes: Uint8Array; parts: Uint8Array[] }> {
    const bytes = newBytes(mebibyte + 100);
    const blob = await createBlob(relay, device, { size: bytes.length, lifetime_seconds: 24 * hour });
    const parts = partsOf(bytes, blob);
    for (const [part, content] of parts.entries()) await putPart(relay, blob, part, content);
    return { blob, bytes, parts };
  }

  test("leaves nothing of a blob that is deleted while it is completed and uploaded again", async () => {
    for (let round = 0; round < 10; round++) {
      const { blob, parts } = await uploadParts();
      const [completed, deleted, again, part] = await Promise.all([
        complete(relay, blob),
        deleteBlob(other, blob),
        deleteBlob(relay, blob),
        putPart(other, blob, 0, parts[0] as Uint8Array),
      ]);
      expect([200, 404]).toContain(completed.status);
      expect([200, 404, 409]).toContain(part.status);
      expect([deleted.status, again.status].toSorted()).toEqual([200, 404]);
      expect((await download(relay, blob)).status).toBe(404);
    }
    await expectNothingLeft();
  });

  test("either completes a blob or ends its upload, when both come at the same moment", async () => {
    for (let round = 0; round < 5; round++) {
      const { blob, bytes } = await uploadParts();
      relay.clock.advance(hour - 1);
      const asked = complete(round % 2 === 0 ? relay : other, blob);
      relay.clock.advance(120);
      const { status } = await asked;
      const found = await download(other, blob);
      expect([status, found.status]).toEqual(status === 200 ? [200, 200] : [404, 404]);
      if (status !== 200) continue;
      expect(found.bytes.equals(bytes)).toBe(true);
      expect((await deleteBlob(relay, blob)).status).toBe(200);
    }
    await expectNothingLeft();
  });
});

// The small disk is a file system in memory, which only root can mount: for other accounts these tests are skipped.
const disk = await mkdtemp(path.join(tmpdir(), "mls-relay-blob-disk-"));
const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${4 * mebibyte}`, "tmpfs", disk]).status === 0;

describe.skipIf(!isMounted)("on a small disk", () => {
  let relay: TestRelay;
  let device: TestDevice;
  beforeAll(async () => {
    relay = await startRelay({ blobDir: disk, blobDiskReserveBytes: 0, blobCleanupSeconds: 60 });
    device = await newDevice(relay);
  });
  afterAll(async () => {
    await relay.stop();
    spawnSync("umount", [disk]);
    await rm(disk, { recursive: true, force: true });
  });

  test("a blob is refused before it is uploaded if the disk has no room for it and for the uploads in progress", async () => {
    const first = await createBlob(relay, device, { size: 3 * mebibyte });
    await expect(createBlob(relay, device, { size: 2 * mebibyte })).rejects.toThrow("507 QUEUE_FULL");
    await deleteBlob(relay, first);
    const second = await createBlob(relay, device, { size: 2 * mebibyte });
    await deleteBlob(relay, second);
  });

  test("a disk that something else fills refuses parts and harms no message, and the upload goes on once there is room", async () => {
    const bytes = newBytes(2 * mebibyte);
    const blob = await createBlob(relay, device, { size: bytes.length });
    const [first, second] = partsOf(bytes, blob) as [Uint8Array, Uint8Array];
    expect((await putPart(relay, blob, 0, first)).status).toBe(200);
    const filler = path.join(disk, "filler");
    await writeFile(filler, newBytes(2.5 * mebibyte));
    expect(await putPart(relay, blob, 1, second)).toMatchObject({ status: 507, body: { error: "QUEUE_FULL" } });
    expect((await uploadState(relay, blob)).body.stored_parts).toEqual([0]);
    const folder = path.join(disk, ...nameOf(blob));
    expect(readdirSync(`${folder}.upload`)).toEqual(["0"]);
    expect((await device.send(device.address)).status).toBe(202);
    await rm(filler);
    expect((await putPart(relay, blob, 1, second)).status).toBe(200);
    expect((await complete(relay, blob)).status).toBe(200);
    expect((await download(relay, blob)).bytes.equals(bytes)).toBe(true);
    await deleteBlob(relay, blob);
  });

  test("a blob whose bytes cannot be removed keeps no other blob, and is removed once they can be", async () => {
    const [stuck, free] = [
      await upload(relay, device, newBytes(100), { lifetime_seconds: hour }),
      await upload(relay, device, newBytes(100), { lifetime_seconds: 2 * hour }),
    ];
    // What is mounted somewhere cannot be removed.
    const place = path.join(disk, ...nameOf(stuck));
    spawnSync("mount", ["--bind", place, place]);
    relay.clock.advance(2 * hour + 300);
    await until(async () => storedFolders({ blobDir: disk }).length === 1, "the other blob is removed");
    expect((await download(relay, stuck)).status).toBe(404);
    expect((await download(relay, free)).status).toBe(404);
    spawnSync("umount", [place]);
    relay.clock.advance(300);
    await until(async () => storedFolders({ blobDir: disk }).length === 0, "its bytes are removed");
  });
});

/** The folder of a blob. */
function nameOf({ blob_id: id }: Created): [string, string] {
  const name = createHash("sha256").update(Buffer.from(id, "hex")).digest("hex");
  return [name.slice(0, 2), name];
}
