import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { type TrustTier, trustTier } from "../../src/protocol/trust-tier.js";
import { hourSeconds } from "../../src/protocol/units.js";
import { startAdministered, type TestAdmin } from "../support/admin.js";
import { call } from "../support/api.js";
import { demand } from "../support/device.js";
import type { TestRelay } from "../support/relay.js";
import { tableOf } from "../support/table.js";

let relay: TestRelay;
let admin: TestAdmin;
beforeAll(async () => {
  ({ relay, admin } = await startAdministered());
});
afterAll(() => relay.stop());

test("devices are counted by tier as they are treated, to the second", async () => {
  const now = relay.clock.nowSeconds();
  // The count is made some seconds later, so there is a device for each second around the end of a tier.
  const seconds = Array.from({ length: 600 }, (_, i) => 300 - i);
  const registered = [6, 24].flatMap((hours) => seconds.map((offset) => now - hours * hourSeconds + offset));
  const devices = registered.map((registeredAt, i) => ({
    registeredAt,
    verified: i % 7 === 0,
    blockedAt: i % 11 === 0 ? now : null,
    bannedUntil: i % 13 === 0 ? now + hourSeconds : i % 17 === 0 ? now - 1 : null,
  }));
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  await tableOf(db, "devices").insert(
    devices.map((device, i) => ({
      device_id: i.toString(16).padStart(64, "0"),
      public_key: Buffer.alloc(32, i),
      registered_at: device.registeredAt,
      last_active: now,
      admin_verified: device.verified,
      blocked_at: device.blockedAt,
      banned_until: device.bannedUntil,
    })),
  );
  await db.run("delete from metrics_snapshot");
  await db.close();

  const { body } = demand(await call(relay, "getMetrics", { token: admin.token }));
  const config = demand(await call(relay, "getConfig", { token: admin.token })).body;
  const expected: Record<TrustTier, number> = { new: 0, established: 0, trusted: 0, verified: 0, blocked: 0 };
  for (const device of devices) {
    expected[trustTier({ ...device, now: body.counted_at, settings: config as never })] += 1;
  }
  const { blocked, ...tiers } = expected;
  expect(body.devices).toMatchObject({ total: devices.length, blocked, by_trust_tier: tiers });
  expect(Math.min(...Object.values(expected))).toBeGreaterThan(0);
});
