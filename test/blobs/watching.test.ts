import { rm, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWatched, type Watched } from "../health/fixture.js";
import { call } from "../support/api.js";
import { demand, newDevice } from "../support/device.js";
import { until } from "../support/until.js";
import { createBlob, deleteBlob, download, newBytes, putPart, upload } from "./uploading.js";

const mebibyte = 1024 * 1024;

describe("an operator", () => {
  let watched: Watched;
  beforeAll(async () => {
    watched = await startWatched({
      blobStorageBytes: mebibyte,
      // One new device fills all of it.
      blobStorageNewTierShare: 1,
      newTierBlobStorageShare: 1,
      blobStorageSiteShare: 1_000,
      crowdedBlobStorageSiteShare: 1_000,
      blobStorageCheckSeconds: 0.25,
      alertBlobStoragePercent: 75,
    });
  });
  afterAll(() => watched.stop());

  test("is told when the space for blobs is nearly used up, and sees how much is", async () => {
    const device = await newDevice(watched.relay);
    const first = await createBlob(watched.relay, device, { size: mebibyte / 2 });
    await watched.looked();
    expect(await watched.alert("blob_storage_full")).toBeUndefined();
    await createBlob(watched.relay, device, { size: mebibyte / 4 });
    const { severity, component, details } = await watched.raised("blob_storage_full");
    expect([severity, component]).toEqual(["warning", "server"]);
    expect(details).toMatchObject({ bytes: (3 * mebibyte) / 4, limit_bytes: mebibyte, threshold_percent: 75 });
    const exported = demand(await call(watched.relay, "exportMetrics", { token: watched.admin().token, query: {} }));
    const { text } = exported.body as unknown as { text: string };
    expect(text).toMatch(/^svc_blobs 2$/m);
    expect(text).toMatch(new RegExp(`^svc_blob_bytes ${(3 * mebibyte) / 4}$`, "m"));
    expect(text).toMatch(/^svc_blob_disk_free_bytes\{node="[0-9a-f]+"\} [1-9]/m);
    await deleteBlob(watched.relay, first);
    await watched.cleared("blob_storage_full");
  });

  test("is told when a node cannot use the storage, and only blobs are refused meanwhile", async () => {
    const { relay } = watched;
    const device = await newDevice(relay);
    const folder = relay.config.blobDir ?? "";
    await until(() => isReplacedByFile(folder), "a file is where the folder was");
    const alert = await watched.raised("blob_storage_failing");
    expect(alert).toMatchObject({ severity: "warning", component: "server" });
    const asked = { token: device.token, body: { size: 10, lifetime_seconds: 60 } };
    expect(await call(relay, "createBlob", asked)).toMatchObject({ status: 503, body: { error: "OVERLOADED" } });
    demand(await call(relay, "getLimits", { token: device.token }));
    await rm(folder);
    await watched.cleared("blob_storage_failing");
    const blob = await upload(relay, device, newBytes(10));
    expect((await download(relay, blob)).status).toBe(200);
    expect((await putPart(relay, blob, 0, newBytes(10))).status).toBe(409);
  });
});

/** False if a node that tried the storage meanwhile has made the folder again. */
async function isReplacedByFile(folder: string): Promise<boolean> {
  try {
    await rm(folder, { recursive: true, force: true });
    await writeFile(folder, "a file where the folder should be", { flag: "wx" });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || code === "ENOTEMPTY") return false;
    throw error;
  }
}

test("an operator is told when the disk has no room for blobs", async () => {
  const watched = await startWatched({ blobDiskReserveBytes: 2 ** 60 });
  try {
    const { details, message } = await watched.raised("blob_storage_full");
    expect(message).toContain("disk");
    expect(details).toMatchObject({ disk_reserve_bytes: 2 ** 60, disk_free_bytes: expect.any(Number) });
  } finally {
    await watched.stop();
  }
});
