import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Config } from "../../src/composition/config.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { call } from "../support/api.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import {
  type Created,
  createBlob,
  deleteBlob,
  digestOf,
  download,
  newBytes,
  putPart,
  upload,
  uploadState,
} from "./uploading.js";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const hour = 3_600;

async function open(overrides: Partial<Config>): Promise<{ relay: TestRelay; device: TestDevice }> {
  const relay = await startRelay({ trustedProxies: ["127.0.0.1/32"], ...overrides });
  return { relay, device: await newDevice(relay) };
}

const create = (relay: TestRelay, device: { token: string }, size: number, ip = "10.0.0.1") =>
  call(relay, "createBlob", {
    token: device.token,
    body: { size, lifetime_seconds: hour },
    headers: { "x-forwarded-for": ip },
  });
const errorOf = ({ status, body }: { status: number; body: { error?: string | undefined } }) => [status, body.error];
const refused = [429, "RATE_LIMIT_EXCEEDED"];
const full = [507, "QUEUE_FULL"];
/** Everybody may fill all of the space. */
const wholeShares = {
  blobStorageDeviceShare: 1,
  newTierBlobStorageShare: 1,
  blobStorageSiteShare: 1_000,
  crowdedBlobStorageSiteShare: 1_000,
};

interface Sent {
  blob: Created;
  /** What arrives of a part of 600 bytes, digested whole. */
  bytes: Uint8Array;
}

/** Opens a connection and begins to upload a part of which only some bytes arrive. */
async function begin(relay: TestRelay, { blob, bytes }: Sent): Promise<Socket> {
  const { port } = new URL(relay.url);
  const socket = connect(Number(port), "127.0.0.1");
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write(
    [
      `PUT /v1/blobs/${blob.blob_id}/parts/0 HTTP/1.1`,
      "Host: relay.test",
      "Content-Type: application/octet-stream",
      "Content-Length: 600",
      `X-Upload-Token: ${blob.upload_token}`,
      `Content-Digest: ${digestOf(bytes)}`,
      "",
      "",
    ].join("\r\n"),
  );
  return socket;
}

/** Uploads a part in pieces with pauses between them, and returns the answer. */
async function send(
  relay: TestRelay,
  { blob, bytes, pieces, everyMillis }: Sent & { pieces: number; everyMillis: number },
): Promise<string> {
  const socket = await begin(relay, { blob, bytes });
  const answer = new Promise<string>((resolve) => socket.once("data", (data) => resolve(data.toString("latin1"))));
  const length = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += length) {
    socket.write(bytes.subarray(at, at + length));
    await sleep(everyMillis);
  }
  const text = await answer;
  socket.destroy();
  return text;
}

describe("the limits of blobs", () => {
  let relay: TestRelay;
  let device: TestDevice;
  beforeAll(async () => {
    ({ relay, device } = await open({
      newTierBlobsPerHour: 3,
      newTierBlobBytesPerDay: 10_000,
      blobBytes: 20_000,
      blobBytesPerIpDay: 20_000,
      blobReadsPerIpHour: 4,
      blobReadBytesPerIpDay: 25,
    }));
  });
  afterAll(() => relay.stop());

  test("bound the blobs of a device in an hour, and their bytes in a day", async () => {
    expect(errorOf(await create(relay, device, 10_001))).toEqual(refused);
    for (const size of [4_000, 4_000, 1]) expect((await create(relay, device, size)).status).toBe(201);
    const fourth = await create(relay, device, 1);
    expect(errorOf(fourth)).toEqual(refused);
    expect(fourth.body["limit"]).toBe(3);
    const { limits } = (await call(relay, "getLimits", { token: device.token })).body;
    expect(limits).toContainEqual(expect.objectContaining({ name: "blobs_hour", limit: 3, remaining: 0 }));
    expect(limits).toContainEqual(expect.objectContaining({ name: "blob_bytes_day", limit: 10_000, remaining: 1_999 }));

    relay.clock.advance(hour + 1);
    expect(errorOf(await create(relay, device, 2_000))).toEqual(refused);
    expect((await create(relay, device, 1_999)).status).toBe(201);
    expect((await create(relay, await newDevice(relay), 5_000)).status).toBe(201);
  });

  test("bound the bytes of all devices of a network address in a day", async () => {
    const [first, second, third] = [await newDevice(relay), await newDevice(relay), await newDevice(relay)];
    const ip = "10.5.5.5";
    for (const one of [first, second]) expect((await create(relay, one, 9_999, ip)).status).toBe(201);
    expect(errorOf(await create(relay, third, 3, ip))).toEqual(refused);
    expect((await create(relay, third, 3, "10.5.5.6")).status).toBe(201);
  });

  test("bound what a network address may read", async () => {
    const blob = await upload(relay, await newDevice(relay), newBytes(10));
    const read = async (headers: Record<string, string> = {}, ip = "10.1.1.1") =>
      (await download(relay, blob, { headers: { "x-forwarded-for": ip, ...headers } })).status;
    expect([await read(), await read(), await read()]).toEqual([200, 200, 429]);
    expect(await read({ range: "bytes=0-4" })).toBe(206);
    expect(await read({ range: "bytes=0-0" }, "10.2.2.2")).toBe(206);
    const unknown = { blob_id: "cd".repeat(32) };
    const guesses = [];
    for (let n = 0; n < 5; n++)
      guesses.push((await download(relay, unknown, { headers: { "x-forwarded-for": "10.3.3.3" } })).status);
    expect(guesses).toEqual([404, 404, 404, 404, 429]);
  });

  test("refuse a blob that is larger than any may be, before it counts", async () => {
    expect(errorOf(await create(relay, device, 20_001))).toEqual([413, "MESSAGE_TOO_LARGE"]);
    expect((await call(relay, "getDiscovery")).body.blobs).toEqual({ max_bytes: 20_000 });
  });

  test("are for devices, which ask in the form of the contract", async () => {
    const nobody = await call(relay, "createBlob", { body: { size: 1, lifetime_seconds: hour } });
    expect(errorOf(nobody)).toEqual([401, "INVALID_TOKEN"]);
    for (const body of [
      { size: 0, lifetime_seconds: hour },
      { size: 1, lifetime_seconds: 59 },
      { size: 1, lifetime_seconds: 90 * 24 * hour + 1 },
      { size: 1, lifetime_seconds: hour, max_downloads: 0 },
      { size: 1.5, lifetime_seconds: hour },
      { size: 1 },
      { size: 1, lifetime_seconds: hour, owner: "me" },
    ])
      expect(errorOf(await call(relay, "createBlob", { token: device.token, body }))).toEqual([400, "INVALID_REQUEST"]);
  });
});

const gibibyte = 1024 * mebibyte;
const day = 24 * hour;

describe("at the default limits, of the space for blobs", () => {
  let relay: TestRelay;
  let db: Database;
  beforeAll(async () => {
    relay = await startRelay({ trustedProxies: ["127.0.0.1/32"], blobDiskReserveBytes: 0 });
    db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  });
  afterAll(async () => {
    await db.close();
    await relay.stop();
  });

  /** Devices that are not new any more. */
  async function knownDevices(count: number): Promise<TestDevice[]> {
    const devices: TestDevice[] = [];
    for (let n = 0; n < count; n++) devices.push(await newDevice(relay));
    relay.clock.advance(3 * day);
    for (const device of devices) await device.announce();
    return devices;
  }
  const ask = (device: TestDevice, { size = gibibyte, ip = "10.0.0.1", lifetime = 30 * day }) =>
    call(relay, "createBlob", {
      token: device.token,
      body: { size, lifetime_seconds: lifetime },
      headers: { "x-forwarded-for": ip },
    });
  const reserved = async () => (await db.one<{ bytes: number }>("select bytes from blob_balance"))?.bytes;
  const nothingReserved = () =>
    until(async () => {
      relay.clock.advance(300);
      return (await reserved()) === 0;
    }, "nothing is reserved any more");

  test("the devices of one /48 reserve a sixteenth in a day, and for ten minutes if they upload nothing", async () => {
    const devices = await knownDevices(8);
    const answers: number[] = [];
    for (const [n, device] of [...devices, ...devices].entries())
      answers.push((await ask(device, { ip: `2001:db8:7:${n + 1}::1`, lifetime: hour })).status);
    expect(answers).toEqual([201, ...Array(15).fill(507)]);
    expect(await reserved()).toBe(gibibyte);
    const elsewhere = await ask(devices[1] as TestDevice, { ip: "2001:db8:8:1::1", size: 1, lifetime: hour });
    expect(elsewhere.status).toBe(201);
    relay.clock.advance(601);
    await nothingReserved();
  });

  test("one device fills an eighth in 30 days, wherever it comes from", async () => {
    const [device] = (await knownDevices(1)) as [TestDevice];
    let created = 0;
    for (let n = 0; n < 8; n++) {
      for (const part of [1, 2]) if ((await ask(device, { ip: `10.1.${n}.${part}` })).status === 201) created++;
      relay.clock.advance(day);
      await device.announce();
    }
    expect(created).toBe(2);
    const { limits } = (await call(relay, "getLimits", { token: device.token })).body;
    const share = limits.find(({ name }) => name === "blob_storage");
    expect(share).toMatchObject({ limit: 2 * gibibyte, remaining: 0, window_seconds: 30 * day });
    // A short life takes little of it, and none is left.
    expect(errorOf(await ask(device, { size: 100_000, lifetime: hour }))).toEqual(full);
    relay.clock.advance(30 * day);
    await device.announce();
    expect((await ask(device, {})).status).toBe(201);
  });

  test("the devices of a network address fill little once half is taken", async () => {
    const devices = await knownDevices(2);
    // What an earlier test reserved would otherwise be subtracted at any moment.
    await nothingReserved();
    await db.run("update blob_balance set bytes = :bytes::bigint", { bytes: 8 * gibibyte });
    const ip = "10.2.0.1";
    const answers: number[] = [];
    for (const device of devices)
      for (const size of [40 * mebibyte, 40 * mebibyte, 20 * mebibyte])
        answers.push((await ask(device, { ip, size })).status);
    expect(answers).toEqual([201, 507, 201, 507, 507, 507]);
    expect((await ask(devices[1] as TestDevice, { ip: "10.2.0.2", size: 40 * mebibyte })).status).toBe(201);
  });
});

describe("the space for blobs", () => {
  let relay: TestRelay;
  let device: TestDevice;
  beforeAll(async () => {
    ({ relay, device } = await open({
      blobStorageBytes: mebibyte,
      blobStorageNewTierShare: 0.5,
      ...wholeShares,
      blobCleanupSeconds: 60,
    }));
  });
  afterAll(() => relay.stop());

  test("is never given out twice, however many ask at once, and is free again when uploads are abandoned", async () => {
    const asked = await Promise.all(Array.from({ length: 9 }, () => create(relay, device, 150 * kibibyte)));
    expect(asked.map(({ status }) => status).toSorted()).toEqual([...Array(3).fill(201), ...Array(6).fill(507)]);
    relay.clock.advance(hour + 1);
    await until(async () => (await create(relay, device, 500 * kibibyte)).status === 201, "there is space again");
  });

  test("has a part that new devices cannot fill, and what is deleted can be used again", async () => {
    expect(errorOf(await create(relay, device, 100 * kibibyte))).toEqual(full);
    relay.clock.advance(2 * 24 * hour);
    await device.announce();
    let reserved = await create(relay, device, 800 * kibibyte);
    await until(async () => {
      if (reserved.status !== 201) reserved = await create(relay, device, 800 * kibibyte);
      return reserved.status === 201;
    }, "the abandoned upload is gone");
    await deleteBlob(relay, reserved.body);
    const blob = await upload(relay, device, newBytes(800 * kibibyte));
    expect(errorOf(await create(relay, device, 300 * kibibyte))).toEqual(full);
    await deleteBlob(relay, blob);
    expect((await create(relay, device, 300 * kibibyte)).status).toBe(201);
  });

  test("leaves a part of the disk free", async () => {
    const little = await open({ blobDiskReserveBytes: 2 ** 60 });
    onTestFinished(() => little.relay.stop());
    expect(errorOf(await create(little.relay, little.device, 1))).toEqual(full);
  });
});

test("a relay without blobs says so", async () => {
  const { relay, device } = await open({ blobStorage: "off" });
  onTestFinished(() => relay.stop());
  const discovered = (await call(relay, "getDiscovery")).body;
  expect([discovered.capabilities.blobs, discovered.blobs]).toEqual([false, undefined]);
  expect(errorOf(await create(relay, device, 1))).toEqual([503, "BLOBS_DISABLED"]);
  expect((await download(relay, { blob_id: "ab".repeat(32) })).status).toBe(503);
});

describe("a part", () => {
  let relay: TestRelay;
  let device: TestDevice;
  beforeAll(async () => {
    ({ relay, device } = await open({ bodyStallSeconds: 5, slowestBytesPerSecond: 1, blobTransfersPerIp: 1 }));
  });
  afterAll(() => relay.stop());
  const bytes = newBytes(600);

  test("may be slow as long as it does not pause", async () => {
    const blob = await createBlob(relay, device, { size: bytes.length });
    const slow = await send(relay, { blob, bytes, pieces: 20, everyMillis: 20 });
    expect(slow.split("\r\n")[0]).toBe("HTTP/1.1 200 OK");
  });

  test("that stops arriving is refused, and holds its place no longer", async () => {
    const blob = await createBlob(relay, device, { size: bytes.length });
    const stopped = await begin(relay, { blob, bytes });
    const answer = new Promise<string>((resolve) => stopped.once("data", (data) => resolve(data.toString("latin1"))));
    stopped.write(bytes.subarray(0, 10));
    await until(async () => hasDraft(relay), "the part is being written");
    const refusal = await putPart(relay, blob, 0, bytes);
    expect(errorOf(refusal)).toEqual([503, "OVERLOADED"]);
    const elsewhere = { headers: { "x-forwarded-for": "10.7.7.7" } };
    expect((await putPart(relay, blob, 0, bytes, elsewhere)).status).toBe(200);
    expect(await answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*connection: close/i);
    stopped.destroy();
    expect((await putPart(relay, blob, 0, bytes)).status).toBe(200);
    expect(hasDraft(relay)).toBe(false);
  });

  test("whose connection breaks is not stored", async () => {
    const blob = await createBlob(relay, device, { size: bytes.length });
    const broken = await begin(relay, { blob, bytes });
    broken.write(bytes.subarray(0, 599));
    await until(async () => hasDraft(relay), "the part is being written");
    broken.destroy();
    await until(async () => !hasDraft(relay), "the draft is removed");
    expect((await uploadState(relay, blob)).body.stored_parts).toEqual([]);
    expect((await putPart(relay, blob, 0, bytes)).status).toBe(200);
  });
});

/** Whether a part is being written. */
function hasDraft({ config }: TestRelay): boolean {
  const files = readdirSync(config.blobDir ?? "", { recursive: true }) as string[];
  return files.some((file) => /^\d+\./.test(path.basename(file)));
}
