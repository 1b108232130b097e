import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { expectDuring, timed } from "../support/during.js";
import { fetchPackage, newPackage, newPackages, packageStatus, upload, uploadBody } from "../support/key-packages.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const daySeconds = 86_400;
let relay: TestRelay;
let other: TestDevice;
beforeAll(async () => {
  relay = await startRelay({ newTierFetchesPerTargetHour: 1000, newTierFetchesPerHour: 10_000 });
  other = await newDevice(relay);
});
afterAll(() => relay.stop());

const available = async (device: TestDevice) => demand(await packageStatus(relay, device)).body.available_count;

describe("an upload", () => {
  it("stores its packages for 30 days and returns their number", async () => {
    const device = await newDevice(relay);
    const uploading = await timed(relay.clock, () => upload(relay, device, { packages: newPackages(3) }));
    const first = demand(uploading.result);
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      device_id: device.deviceId,
      uploaded_count: 3,
      available_count: 3,
      expires_at: first.body.expires_at,
    });
    expectDuring(first.body.expires_at, uploading, 30 * daySeconds);
    const second = demand(await upload(relay, device, { packages: newPackages(2) }));
    expect(second.body).toMatchObject({ uploaded_count: 2, available_count: 5 });
  });

  it("may spell the device as its public key, in either case, and gets the spelling back in lower case", async () => {
    const device = await newDevice(relay);
    const deviceId = device.publicKey.toUpperCase();
    const { body } = demand(await upload(relay, device, { packages: newPackages(1), deviceId }));
    expect(body.device_id).toBe(device.publicKey);
    expect(await available(device)).toBe(1);
  });

  it("stores the same package once, within one upload and across uploads", async () => {
    const device = await newDevice(relay);
    const [a = "", b = ""] = newPackages(2);
    expect(demand(await upload(relay, device, { packages: [a, b, a] })).body.uploaded_count).toBe(2);
    expect(demand(await upload(relay, device, { packages: [b, a] })).body).toMatchObject({
      uploaded_count: 0,
      available_count: 2,
    });
  });

  it("does not store a package again that was fetched", async () => {
    const device = await newDevice(relay);
    const packages = newPackages(2);
    await upload(relay, device, { packages });
    demand(await fetchPackage(relay, other, device.deviceId));
    const again = demand(await upload(relay, device, { packages }));
    expect(again.body).toMatchObject({ uploaded_count: 0, available_count: 1 });
  });

  it("with replace drops everything that was stored before, the last-resort package included", async () => {
    const device = await newDevice(relay);
    await upload(relay, device, { packages: newPackages(4), lastResort: newPackage() });
    const [kept = ""] = newPackages(1);
    const { body } = demand(await upload(relay, device, { packages: [kept], replace: true }));
    expect(body).toMatchObject({ uploaded_count: 1, available_count: 1 });
    const status = demand(await packageStatus(relay, device)).body;
    expect(status).toMatchObject({ available_count: 1, has_last_resort: false });
    expect(demand(await fetchPackage(relay, other, device.deviceId)).body.key_package).toBe(kept);
  });

  it("may replace with nothing, or contain only a last-resort package", async () => {
    const device = await newDevice(relay);
    await upload(relay, device, { packages: newPackages(2) });
    expect(demand(await upload(relay, device, { replace: true })).body.available_count).toBe(0);
    demand(await upload(relay, device, { lastResort: newPackage() }));
    expect(demand(await packageStatus(relay, device)).body).toMatchObject({
      available_count: 0,
      has_last_resort: true,
    });
  });

  it("stores at most 500 packages, and all of an upload or nothing", async () => {
    const device = await newDevice(relay);
    for (let i = 0; i < 4; i++) demand(await upload(relay, device, { packages: newPackages(100) }));
    demand(await upload(relay, device, { packages: newPackages(99) }));
    const tooMany = await upload(relay, device, { packages: newPackages(2), lastResort: newPackage() });
    expect([tooMany.status, tooMany.body.error]).toEqual([409, "CONFLICT"]);
    expect(demand(await packageStatus(relay, device)).body).toMatchObject({
      available_count: 499,
      has_last_resort: false,
    });
    expect(demand(await upload(relay, device, { packages: newPackages(1) })).body.available_count).toBe(500);
  });

  it("stays within 500 when two come at once", async () => {
    const device = await newDevice(relay);
    for (let i = 0; i < 4; i++) demand(await upload(relay, device, { packages: newPackages(100) }));
    const both = await Promise.all([1, 2].map(() => upload(relay, device, { packages: newPackages(100) })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await available(device)).toBe(500);
  });
});

describe("an upload is refused and changes nothing", () => {
  let device: TestDevice;
  beforeAll(async () => {
    device = await newDevice(relay);
    await upload(relay, device, { packages: newPackages(2) });
  });

  const send = (body: unknown, token = device.token) => call(relay, "uploadKeyPackages", { token, body });
  async function refused(answer: Awaited<ReturnType<typeof send>>, status: number, error: string) {
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect(await available(device)).toBe(2);
    return answer.body as Record<string, unknown>;
  }

  it("without a token, or with one of another device", async () => {
    await refused(await call(relay, "uploadKeyPackages", { body: uploadBody(relay, device) }), 401, "INVALID_TOKEN");
    const body = await refused(
      await send(uploadBody(relay, device, { packages: newPackages(1) }), other.token),
      400,
      "INVALID_REQUEST",
    );
    expect(body["details"]).toEqual([expect.objectContaining({ path: "body/device_id" })]);
  });

  it("with a signature over something else", async () => {
    const good = () =>
      uploadBody(relay, device, { packages: newPackages(2), replace: false, lastResort: newPackage() });
    const [a = "", b = ""] = good().key_packages;
    const tampered: object[] = [
      { ...good(), signature: good().signature.replace(/^./, (digit) => (digit === "0" ? "1" : "0")) },
      { ...good(), key_packages: [b, a] },
      { ...good(), key_packages: [a] },
      { ...good(), timestamp: relay.clock.nowSeconds() - 1 },
      { ...good(), replace: true },
      { ...good(), last_resort_key_package: newPackage() },
      { ...good(), last_resort_key_package: undefined },
      { ...good(), audience: undefined },
      { ...good(), device_id: device.publicKey },
      uploadBody(relay, { ...device, secretKey: other.secretKey }, { packages: newPackages(1) }),
    ];
    for (const body of tampered) await refused(await send(body), 403, "INVALID_SIGNATURE");
  });

  it("with a timestamp more than 300 seconds old or 60 ahead", async () => {
    const now = relay.clock.nowSeconds();
    for (const timestamp of [now - 305, now + 65]) {
      const answer = await send(uploadBody(relay, device, { packages: newPackages(1), timestamp }));
      const body = await refused(answer, 400, "INVALID_REQUEST");
      expect(body["server_timestamp"]).toBeTypeOf("number");
    }
  });

  it("for another server", async () => {
    const answer = await send(uploadBody(relay, device, { packages: newPackages(1), audience: "elsewhere.example" }));
    await refused(answer, 400, "INVALID_REQUEST");
  });

  it("with packages that are too small, too large, too many, none, or not canonical base64", async () => {
    const bad: string[][] = [
      [newPackage(63)],
      [newPackage(32 * 1024 + 1)],
      newPackages(101),
      [],
      [newPackage(64).replace(/.{3}=$/, "B==")],
      [`${newPackage(70).slice(0, -3)}9==`],
      [newPackage().replace(/^./, "-")],
      [`${newPackage().slice(0, 50)}\n${newPackage().slice(50)}`],
    ];
    for (const packages of bad) {
      await refused(await send(uploadBody(relay, device, { packages })), 400, "INVALID_REQUEST");
    }
    await refused(await send(uploadBody(relay, device, { lastResort: newPackage(63) })), 400, "INVALID_REQUEST");
  });

  it("with a member that the contract does not name, or of another type", async () => {
    const good = uploadBody(relay, device, { packages: newPackages(1) });
    await refused(await send({ ...good, expires_in: 5 }), 400, "INVALID_REQUEST");
    await refused(await send({ ...good, replace: "true" }), 400, "INVALID_REQUEST");
    await refused(await send({ ...good, key_packages: good.key_packages[0] }), 400, "INVALID_REQUEST");
  });
});

describe("packages of 64 bytes and of 32 KiB", () => {
  it("are stored, and 100 of the largest fit into one upload", async () => {
    const device = await newDevice(relay);
    const packages = [newPackage(64), ...Array.from({ length: 99 }, () => newPackage(32 * 1024))];
    expect(demand(await upload(relay, device, { packages })).body.uploaded_count).toBe(100);
    expect(demand(await fetchPackage(relay, other, device.deviceId)).body.key_package).toBe(packages[0]);
    expect(demand(await fetchPackage(relay, other, device.deviceId)).body.key_package).toBe(packages[1]);
  });
});
