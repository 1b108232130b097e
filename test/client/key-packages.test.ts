import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimKeyPackages } from "../../src/client/keys/key-package-claims.js";
import { fetchKeyPackage, keepKeyPackages, uploadKeyPackages } from "../../src/client/keys/key-packages.js";
import type { Runtime } from "../../src/client/runtime/runtime.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { hurriedSleep, listen, newClient } from "./harness.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ newTierFetchesPerTargetHour: 1_000, newTierFetchesPerHour: 1_000 });
});
afterAll(() => relay.stop());

const makeOne = () => new Uint8Array(randomBytes(200));
const make = (count: number) => Array.from({ length: count }, makeOne);

test("key packages are uploaded, and fetched by others in their order", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  const packages = make(3);
  const lastResort = makeOne();
  expect(await uploadKeyPackages(ben, packages, { lastResort })).toMatchObject({
    uploaded_count: 3,
    available_count: 3,
  });
  for (const [i, keyPackage] of packages.entries()) {
    expect(await fetchKeyPackage(ada, ben.deviceId)).toEqual({ keyPackage, remaining: 2 - i, isLastResort: false });
  }
  expect(await fetchKeyPackage(ada, ben.deviceId)).toMatchObject({ keyPackage: lastResort, isLastResort: true });
  await uploadKeyPackages(ben, make(1), { replace: true });
  expect(await fetchKeyPackage(ada, ben.deviceId)).toMatchObject({ remaining: 0, isLastResort: false });
  await expect(fetchKeyPackage(ada, ben.deviceId)).rejects.toMatchObject({ error: "NO_KEY_PACKAGES" });
});

test("a fetch whose answer was lost gets the same package again, and spends no second one", async () => {
  let losing = true;
  const lossy: Runtime["fetch"] = async (url, init) => {
    const answer = await globalThis.fetch(url, init);
    if (!url.includes("/keypackage/fetch") || !losing) return answer;
    losing = false;
    await answer.arrayBuffer();
    throw new TypeError("the connection broke");
  };
  const [ada, ben] = [
    await newClient(relay, { runtime: { fetch: lossy, sleep: hurriedSleep() } }),
    await newClient(relay),
  ];
  const packages = make(3);
  await uploadKeyPackages(ben, packages);
  expect(await fetchKeyPackage(ada, ben.deviceId)).toMatchObject({ keyPackage: packages[0], remaining: 2 });
  expect(losing).toBe(false);
  expect(await fetchKeyPackage(ada, ben.deviceId)).toMatchObject({ keyPackage: packages[1], remaining: 1 });
  expect((await ben.call("getKeyPackageStatus")).total_consumed).toBe(2);
});

test("a device that listens uploads new ones when fewer than 20 remain", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  const counts: number[] = [];
  const topUp = keepKeyPackages(ben, {
    make: (count) => {
      counts.push(count);
      return make(count);
    },
  });
  const listener = listen(ben, { onKeyPackagesRemaining: topUp.remaining });
  await listener.until(() => counts.length === 1);
  expect(counts).toEqual([100]);
  await topUp.check();
  expect((await ben.call("getKeyPackageStatus")).available_count).toBe(100);
  for (let fetched = 0; fetched < 81; fetched++) await fetchKeyPackage(ada, ben.deviceId);
  await listener.until(() => counts.length > 1);
  expect(counts).toEqual([100, 81]);
});

test("a device that polls asks how many remain", async () => {
  const ben = await newClient(relay, { runtime: { sleep: hurriedSleep() } });
  const told: number[] = [];
  const listener = listen(ben, { transport: "poll", onKeyPackagesRemaining: (remaining) => void told.push(remaining) });
  await listener.until(() => told.length > 0);
  expect(told).toEqual([0]);
});

test("a relay that runs low tells once, whatever is asked at the same time", async () => {
  const ben = await newClient(relay);
  let made = 0;
  const topUp = keepKeyPackages(ben, {
    make: (count) => {
      made += count;
      return make(count);
    },
    fillTo: 150,
  });
  await Promise.all([topUp.check(), topUp.check(), topUp.check()]);
  expect(made).toBe(150);
  expect((await ben.call("getKeyPackageStatus")).available_count).toBe(150);
});

test("packages are claimed by address, again with the same id, and those for one address come first", async () => {
  const [ada, ben, cleo] = [await newClient(relay), await newClient(relay), await newClient(relay)];
  const [packages, own] = [make(2), make(1)];
  const [address = "", empty = ""] = [ben, cleo].map((one) => one.session()?.addresses[0]);
  await uploadKeyPackages(ben, packages);
  const options = { claimId: new Uint8Array(randomBytes(32)) };
  const first = await claimKeyPackages(ada, [empty, address], options);
  expect(first).toEqual([
    { address: empty, error: "NO_KEY_PACKAGES", retryAfterSeconds: undefined },
    { address, keyPackage: packages[0], isLastResort: false },
  ]);
  expect(await claimKeyPackages(ada, [empty, address], options)).toEqual(first);
  const lastResort = makeOne();
  expect(await uploadKeyPackages(ben, own, { address, lastResort })).toMatchObject({ available_count: 1 });
  const got = [];
  for (let n = 0; n < 2; n++) got.push(...(await claimKeyPackages(ada, [address])));
  expect(got).toEqual([
    { address, keyPackage: own[0], isLastResort: false },
    { address, keyPackage: lastResort, isLastResort: true },
  ]);
  const topUp = keepKeyPackages(ben, { make, address, fillTo: 5, lowMark: 2 });
  await topUp.check();
  expect((await ben.call("getKeyPackageStatus", { query: { address } })).available_count).toBe(5);
  expect((await ben.call("getKeyPackageStatus")).available_count).toBe(1);
});

test("more addresses than a request may have are claimed by several requests", async () => {
  const ada = await newClient(relay);
  const addresses = Array.from({ length: 101 }, (_, n) => `${n.toString(16).padStart(32, "0")}@relay.test`);
  const claimed = await claimKeyPackages(ada, addresses);
  expect(claimed.map((one) => one.address)).toEqual(addresses);
  expect(new Set(claimed.map((one) => ("error" in one ? one.error : undefined)))).toEqual(
    new Set(["ADDRESS_NOT_FOUND"]),
  );
});

test("a last resort goes up alone, and is kept there", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  const lastResort = makeOne();
  await expect(uploadKeyPackages(ben, [])).rejects.toThrow("keyPackages must be an array of 1 to 100 items");
  await uploadKeyPackages(ben, [], { lastResort });
  expect(await fetchKeyPackage(ada, ben.deviceId)).toMatchObject({ keyPackage: lastResort, isLastResort: true });

  const cleo = await newClient(relay);
  let made = 0;
  const makeLastResort = () => {
    made += 1;
    return makeOne();
  };
  const topUp = keepKeyPackages(cleo, { make, makeLastResort });
  for (let checks = 0; checks < 2; checks++) await topUp.check();
  expect(await cleo.call("getKeyPackageStatus")).toMatchObject({ available_count: 100, has_last_resort: true });
  expect(made).toBe(1);
});
