import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { newDevices } from "../support/devices.js";
import { expectDuring, timed } from "../support/during.js";
import { fetchPackage, newPackage, newPackages, packageStatus, upload } from "../support/key-packages.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const daySeconds = 86_400;
let relay: TestRelay;
let second: TestRelay;
beforeAll(async () => {
  relay = await startRelay();
  second = await startRelay({ ...relay.config }, { clock: relay.clock });
});
afterAll(async () => {
  await second.stop();
  await relay.stop();
});

async function holder(count: number, lastResort?: string): Promise<{ device: TestDevice; packages: string[] }> {
  const device = await newDevice(relay);
  const packages = newPackages(count);
  demand(await upload(relay, device, { packages, ...(lastResort !== undefined && { lastResort }) }));
  return { device, packages };
}

describe("a fetch", () => {
  it("returns the oldest package and the number left, and deletes it", async () => {
    const { device, packages } = await holder(2);
    const later = newPackage();
    await upload(relay, device, { packages: [later] });
    const caller = await newDevice(relay);
    const answer = demand(await fetchPackage(relay, caller, device.deviceId));
    expect(answer.body).toEqual({
      device_id: device.deviceId,
      key_package: packages[0],
      remaining: 2,
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(demand(await fetchPackage(relay, caller, device.deviceId)).body.key_package).toBe(packages[1]);
    const last = demand(await fetchPackage(relay, caller, device.deviceId)).body;
    expect([last.key_package, last.remaining]).toEqual([later, 0]);
    const none = await fetchPackage(relay, caller, device.deviceId);
    expect([none.status, none.body.error, none.body.code]).toEqual([404, "NO_KEY_PACKAGES", 4024]);
    const status = demand(await packageStatus(relay, device)).body;
    expect(status).toEqual({ available_count: 0, total_consumed: 3, next_expiry: null, has_last_resort: false });
  });

  it("leaves no bytes of a fetched package in the database", async () => {
    const { device, packages } = await holder(1);
    demand(await fetchPackage(relay, await newDevice(relay), device.deviceId));
    const bytes = Buffer.from(packages[0] ?? "", "base64").toString("hex");
    const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
    const found = await db.rows("select 1 from key_packages where encode(key_package, 'hex') = :bytes", { bytes });
    await db.close();
    expect(found).toEqual([]);
  });

  it("names the device by its id or by its public key and repeats the spelling", async () => {
    const { device } = await holder(2);
    const caller = await newDevice(relay);
    for (const spelled of [device.publicKey, device.deviceId.toUpperCase()]) {
      expect(demand(await fetchPackage(relay, caller, spelled)).body.device_id).toBe(spelled.toLowerCase());
    }
  });

  it("of an unknown device is DEVICE_NOT_FOUND, of a malformed id INVALID_REQUEST, without a token INVALID_TOKEN", async () => {
    const caller = await newDevice(relay);
    const unknown = await fetchPackage(relay, caller, "ab".repeat(32));
    expect([unknown.status, unknown.body.error]).toEqual([404, "DEVICE_NOT_FOUND"]);
    const malformed = await fetchPackage(relay, caller, "ab");
    expect([malformed.status, malformed.body.error]).toEqual([400, "INVALID_REQUEST"]);
    const bare = await call(relay, "fetchKeyPackage", { query: { device_id: caller.deviceId } });
    expect([bare.status, bare.body.error]).toEqual([401, "INVALID_TOKEN"]);
  });

  it("returns the last-resort package repeatedly once no other is left", async () => {
    const lastResort = newPackage();
    const { device, packages } = await holder(1, lastResort);
    const caller = await newDevice(relay);
    expect(demand(await fetchPackage(relay, caller, device.deviceId)).body).toMatchObject({
      key_package: packages[0],
      remaining: 0,
    });
    for (let i = 0; i < 3; i++) {
      const { body } = demand(await fetchPackage(relay, caller, device.deviceId));
      expect(body).toMatchObject({ key_package: lastResort, remaining: 0, last_resort: true });
    }
    expect(demand(await packageStatus(relay, device)).body.total_consumed).toBe(1);
    const newer = newPackage();
    await upload(relay, device, { lastResort: newer });
    expect(demand(await fetchPackage(relay, caller, device.deviceId)).body.key_package).toBe(newer);
  });

  it("keeps the order of uploads while there is a last-resort package", async () => {
    const { device, packages } = await holder(2, newPackage());
    const all = [...packages];
    for (let i = 0; i < 3; i++) {
      const more = newPackages(2);
      demand(await upload(relay, device, { packages: more }));
      all.push(...more);
    }
    const caller = await newDevice(relay);
    for (const one of all)
      expect(demand(await fetchPackage(relay, caller, device.deviceId)).body.key_package).toBe(one);
  });

  it("never returns the last-resort package as an ordinary one", async () => {
    const [first = "", both = ""] = newPackages(2);
    const device = await newDevice(relay);
    const { body } = demand(await upload(relay, device, { packages: [first, both], lastResort: both }));
    expect(body).toMatchObject({ uploaded_count: 1, available_count: 1 });
    expect(demand(await upload(relay, device, { packages: [both] })).body.uploaded_count).toBe(0);
    demand(await upload(relay, device, { lastResort: first }));
    expect(demand(await packageStatus(relay, device)).body).toMatchObject({
      available_count: 0,
      has_last_resort: true,
    });
  });
});

describe("200 fetches at once against 50 packages, on two nodes", () => {
  let callers: TestDevice[];
  beforeAll(async () => {
    callers = await newDevices(relay, 20);
  });
  async function rush(device: TestDevice) {
    const all = callers.flatMap((caller) => Array.from({ length: 10 }, () => caller));
    const fetched = (caller: TestDevice, i: number) =>
      fetchPackage(i % 2 === 0 ? relay : second, caller, device.deviceId);
    // On a busy machine a node may wait too long for a connection to its database.
    const fetchedAgain = async (caller: TestDevice, i: number): ReturnType<typeof fetched> => {
      const answer = await fetched(caller, i);
      return answer.status === 503 ? fetchedAgain(caller, i) : answer;
    };
    return Promise.all(all.map(fetchedAgain));
  }

  it("give 50 distinct packages and 150 NO_KEY_PACKAGES", async () => {
    const { device, packages } = await holder(50);
    const answers = await rush(device);
    const given = answers.filter(({ status }) => status === 200);
    expect(given.map(({ body }) => body.key_package).sort()).toEqual([...packages].sort());
    expect(given.map(({ body }) => body.remaining).sort((a, b) => a - b)).toEqual([...Array(50).keys()]);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status, body }) => `${status} ${body.error}`)).toEqual(
      Array(150).fill("404 NO_KEY_PACKAGES"),
    );
    expect(demand(await packageStatus(relay, device)).body.total_consumed).toBe(50);
  });

  it("give 50 distinct packages and 150 times the last-resort one, where there is one", async () => {
    const lastResort = newPackage();
    const { device, packages } = await holder(50, lastResort);
    const answers = await rush(device);
    expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(200));
    const once = answers.filter(({ body }) => !body.last_resort).map(({ body }) => body.key_package);
    expect(once.sort()).toEqual([...packages].sort());
    const again = answers.filter(({ body }) => body.last_resort);
    expect(again.map(({ body }) => [body.key_package, body.remaining])).toEqual(Array(150).fill([lastResort, 0]));
  });
});

describe("packages", () => {
  it("expire after 30 days, the last-resort one too", async () => {
    const uploading = await timed(relay.clock, () => holder(1, newPackage()));
    const { device } = uploading.result;
    relay.clock.advance(15 * daySeconds);
    await device.announce();
    const later = newPackage();
    demand(await upload(relay, device, { packages: [later] }));
    const before = demand(await packageStatus(relay, device)).body;
    expect(before).toMatchObject({ available_count: 2, has_last_resort: true });
    expectDuring(before.next_expiry, uploading, 30 * daySeconds);
    relay.clock.advance(15 * daySeconds + 5);
    await device.announce();
    expect(demand(await packageStatus(relay, device)).body).toMatchObject({
      available_count: 1,
      has_last_resort: false,
    });
    const caller = await newDevice(relay);
    expect(demand(await fetchPackage(relay, caller, device.deviceId)).body.key_package).toBe(later);
    expect((await fetchPackage(relay, caller, device.deviceId)).body.error).toBe("NO_KEY_PACKAGES");
  });
});
