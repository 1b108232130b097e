import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { voidKeyPackages } from "../../src/keypackages/service.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { fetchPackage, newPackage, newPackages, packageStatus, upload } from "../support/key-packages.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";

const daySeconds = 86_400;
let relay: TestRelay;
let db: Database;
beforeAll(async () => {
  // Steps of two rows, so that several are needed.
  relay = await startRelay({ expiryIntervalSeconds: 1, expiryStepRows: 2, keyPackageLifetimeSeconds: 40 * daySeconds });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

/** What the tables hold of a device: packages, digests of packages handed out, accounts, last-resort packages. */
async function kept(device: TestDevice) {
  const counts = await db.one<{ packages: number; digests: number; accounts: number; lastResorts: number }>(
    `select (select count(*) from key_packages where device_id = :id and key_package is not null) as packages,
            (select count(*) from key_packages where device_id = :id and key_package is null) as digests,
            count(*) as accounts, count(last_resort) as "lastResorts"
     from key_package_accounts where device_id = :id`,
    { id: device.deviceId },
  );
  return counts;
}

async function windows(): Promise<number> {
  const row = await db.one<{ count: number }>("select count(*) as count from rate_limits");
  return row?.count ?? 0;
}

describe("in the background", () => {
  it("rate limit windows are removed when they have ended", async () => {
    const [device, caller] = [await newDevice(relay), await newDevice(relay)];
    await upload(relay, device, { packages: newPackages(1) });
    demand(await fetchPackage(relay, caller, device.deviceId));
    expect(await windows()).toBeGreaterThan(0);
    relay.clock.advance(daySeconds + 5);
    await until(async () => (await windows()) === 0, "no windows");
  });

  it("removing a device deletes its packages, and no other device's", async () => {
    const [gone, stays] = [await newDevice(relay), await newDevice(relay)];
    const caller = await newDevice(relay);
    for (const device of [gone, stays]) {
      await upload(relay, device, { packages: newPackages(3), lastResort: newPackage() });
      demand(await fetchPackage(relay, caller, device.deviceId));
    }
    const all = { packages: 2, digests: 1, accounts: 1, lastResorts: 1 };
    expect(await kept(gone)).toEqual(all);
    await until(async () => {
      // What the device did just now may still be noted in the background.
      await db.run("update devices set last_active = 0 where device_id = :id", { id: gone.deviceId });
      relay.clock.advance(600);
      return (await kept(gone))?.accounts === 0;
    }, "the device is forgotten");
    expect(await kept(gone)).toEqual({ packages: 0, digests: 0, accounts: 0, lastResorts: 0 });
    expect(await kept(stays)).toEqual(all);
    const other = await newDevice(relay);
    expect((await fetchPackage(relay, other, gone.deviceId)).body.error).toBe("DEVICE_NOT_FOUND");
    expect((await fetchPackage(relay, other, stays.deviceId)).status).toBe(200);
  });

  it("packages, digests and last-resort packages are removed when they have expired", async () => {
    const device = await newDevice(relay);
    await upload(relay, device, { packages: newPackages(4), lastResort: newPackage() });
    demand(await fetchPackage(relay, await newDevice(relay), device.deviceId));
    relay.clock.advance(25 * daySeconds);
    await device.announce();
    demand(await packageStatus(relay, device));
    const [late = ""] = newPackages(1);
    await upload(relay, device, { packages: [late] });
    relay.clock.advance(15 * daySeconds + 60);
    const left = { packages: 1, digests: 0, accounts: 1, lastResorts: 0 };
    await until(async () => JSON.stringify(await kept(device)) === JSON.stringify(left), "one package is left");
    expect(demand(await fetchPackage(relay, await newDevice(relay), device.deviceId)).body.key_package).toBe(late);
  });
});

describe("after a restore", () => {
  it("no stored package can be fetched or stored again", async () => {
    const [device, caller] = [await newDevice(relay), await newDevice(relay)];
    const packages = newPackages(3);
    await upload(relay, device, { packages });
    await voidKeyPackages(db);
    expect((await fetchPackage(relay, caller, device.deviceId)).body.error).toBe("NO_KEY_PACKAGES");
    const again = demand(await upload(relay, device, { packages: [...packages, ...newPackages(1)] })).body;
    expect(again).toMatchObject({ uploaded_count: 1, available_count: 1 });
  });
});
