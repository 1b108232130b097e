import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/composition/config.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { newDevices } from "../support/devices.js";
import { expectDuring, timed } from "../support/during.js";
import { fetchPackage, newPackages, upload } from "../support/key-packages.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const hourSeconds = 3600;
let relay: TestRelay;
let second: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ keyPackageFetchesPerHour: 50 });
  second = await startRelay({ ...relay.config }, { clock: relay.clock });
});
afterAll(async () => {
  await second.stop();
  await relay.stop();
});

async function holders(count: number, each: number): Promise<TestDevice[]> {
  const devices = await newDevices(relay, count);
  for (const device of devices) demand(await upload(relay, device, { packages: newPackages(each) }));
  return devices;
}

/** Fetches at once, from both nodes in turn; how many were granted, and the refusals. */
async function rush(caller: TestDevice, targets: readonly TestDevice[], each: number) {
  const all = targets.flatMap((target) => Array.from({ length: each }, () => target));
  const answers = await Promise.all(
    all.map((target, i) => fetchPackage(i % 2 === 0 ? relay : second, caller, target.deviceId)),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  return { granted: answers.length - refused.length, refused };
}

async function change(sql: string, bindings: Record<string, unknown>): Promise<void> {
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  await db.run(sql, bindings);
  await db.close();
}

describe("a device that is new", () => {
  it("gets 10 packages of one device an hour", async () => {
    const [target] = (await holders(1, 20)) as [TestDevice];
    const caller = await newDevice(relay);
    const fetching = await timed(relay.clock, () => rush(caller, [target], 14));
    const { granted, refused } = fetching.result;
    expect(granted).toBe(10);
    for (const { status, body, headers } of refused) {
      expect([status, body.error, body["limit"]]).toEqual([429, "RATE_LIMIT_EXCEEDED", 10]);
      expectDuring(body["reset_at"], fetching, hourSeconds);
      expect(Number(headers.get("retry-after"))).toBe(body["retry_after"]);
    }
    const other = await newDevice(relay);
    demand(await fetchPackage(relay, other, target.deviceId));
    relay.clock.advance(hourSeconds + 5);
    expect((await rush(caller, [target], 12)).granted).toBe(9);
  });

  it("has a window that begins with the first package", async () => {
    const [target] = (await holders(1, 25)) as [TestDevice];
    const caller = await newDevice(relay);
    expect((await rush(caller, [target], 1)).granted).toBe(1);
    relay.clock.advance(hourSeconds / 2);
    expect((await rush(caller, [target], 10)).granted).toBe(9);
    relay.clock.advance(hourSeconds / 2 + 5);
    expect((await rush(caller, [target], 11)).granted).toBe(10);
  });

  it("gets 100 packages an hour in total, and refused fetches count in no window", async () => {
    const targets = await holders(12, 10);
    const caller = await newDevice(relay);
    const { granted, refused } = await rush(caller, targets, 9);
    expect(granted).toBe(100);
    expect(new Set(refused.map(({ body }) => body["limit"]))).toEqual(new Set([100]));
    relay.clock.advance(hourSeconds + 5);
    expect((await rush(caller, targets.slice(0, 1), 2)).granted).toBeGreaterThan(0);
  });

  it("is not charged for fetches that find nothing", async () => {
    const empty = await newDevice(relay);
    const caller = await newDevice(relay);
    for (let i = 0; i < 12; i++) {
      expect((await fetchPackage(relay, caller, empty.deviceId)).body.error).toBe("NO_KEY_PACKAGES");
    }
    await upload(relay, empty, { packages: newPackages(10) });
    expect((await rush(caller, [empty], 10)).granted).toBe(10);
  });
});

describe("a device that is no longer new", () => {
  it("gets 20 packages of one device, and 300 in total by default", async () => {
    expect(loadConfig({}).keyPackageFetchesPerHour).toBe(300);
    const caller = await newDevice(relay);
    relay.clock.advance(7 * hourSeconds);
    const targets = await holders(3, 25);
    const one = await rush(caller, targets.slice(0, 1), 22);
    expect([one.granted, one.refused[0]?.body["limit"]]).toEqual([20, 20]);
    const others = await rush(caller, targets.slice(1), 18);
    expect(others.granted).toBe(30);
    expect(new Set(others.refused.map(({ body }) => body["limit"]))).toEqual(new Set([50]));
  });
});

describe("a device that is blocked or banned", () => {
  it("gets none, with limit 0 and the end of the ban, and uses none up", async () => {
    const [target] = (await holders(1, 3)) as [TestDevice];
    const caller = await newDevice(relay);
    const until = relay.clock.nowSeconds() + 1000;
    const id = caller.deviceId;
    await change("update devices set banned_until = :until::bigint where device_id = :id", { id, until });
    const banned = await fetchPackage(relay, caller, target.deviceId);
    expect([banned.status, banned.body["limit"], banned.body["reset_at"]]).toEqual([429, 0, until]);
    await change("update devices set blocked_at = 1 where device_id = :id", { id });
    const blocked = await fetchPackage(relay, caller, target.deviceId);
    expect([blocked.body.error, blocked.body["limit"], blocked.body["reset_at"]]).toEqual([
      "RATE_LIMIT_EXCEEDED",
      0,
      null,
    ]);
    const other = await newDevice(relay);
    expect(demand(await fetchPackage(relay, other, target.deviceId)).body.remaining).toBe(2);
  });
});

describe("the counters in the database", () => {
  it("name neither the fetching device nor the owner", async () => {
    const [target] = (await holders(1, 1)) as [TestDevice];
    const caller = await newDevice(relay);
    demand(await fetchPackage(relay, caller, target.deviceId));
    const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
    const windows = await db.rows<{ key: Buffer }>("select * from rate_limits");
    await db.close();
    expect(windows.length).toBeGreaterThan(0);
    const text = windows.map(({ key }) => key.toString("hex")).join();
    for (const device of [caller, target]) {
      expect(text).not.toContain(device.deviceId);
      expect(text).not.toContain(device.publicKey);
    }
  });
});
