import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { download, type Uploaded, upload } from "../infopackages/fixture.js";
import { report } from "../moderation/fixture.js";
import type { AnyRow } from "../support/any-row.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { newPackages, upload as uploadKeyPackages } from "../support/key-packages.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const day = 86_400;
let relay: TestRelay;
let db: Database;
let silent: TestDevice;
let lively: TestDevice;
let blocked: TestDevice;

beforeAll(async () => {
  const seeds = { SEED_RATE_LIMITING_ENABLED: "false", SEED_SERVER_MAX_RETENTION_DAYS: "365" };
  relay = await startRelay({ seeds });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
  [silent, lively, blocked] = [await newDevice(relay), await newDevice(relay), await newDevice(relay)];
});
afterAll(async () => {
  await db.close();
  await relay.stop();
});

/** How many rows each table has that name the device, by id, key or address. */
async function tracesOf(device: TestDevice): Promise<Record<string, number>> {
  const names = "select table_name as name from information_schema.tables where table_schema = 'public'";
  const found: Record<string, number> = {};
  const traces = [device.deviceId, device.publicKey, device.address.split("@")[0] ?? ""];
  for (const { name } of await db.rows<AnyRow>(names)) {
    const rows = await db.rows<AnyRow>(`select t::text as row from "${name}" as t`);
    const naming = rows.filter(({ row }: { row: string }) => traces.some((trace) => row.includes(trace)));
    if (naming.length > 0) found[name] = naming.length;
  }
  return found;
}

async function reportLast(from: TestDevice, to: TestDevice): Promise<void> {
  const messageId = demand(await from.send(to.address)).body.message_id;
  demand(await report(relay, to, { messageId, sender: from.deviceId }));
}

/** Days pass on which only this device does anything. */
async function pass(days: number, active: TestDevice): Promise<void> {
  for (let i = 0; i < days; i++) {
    relay.clock.advance(day);
    await active.announce();
  }
}

const packages: Uploaded[] = [];
const isKnown = async ({ deviceId }: TestDevice) =>
  (await db.rows<AnyRow>("select 1 from devices where device_id = :deviceId", { deviceId })).length > 0;

describe("a device that does nothing for 30 days", () => {
  beforeAll(async () => {
    await silent.announce();
    for (let i = 0; i < 5; i++) demand(await lively.send(silent.address));
    demand(await silent.send(lively.address));
    demand(await uploadKeyPackages(relay, silent, { packages: newPackages(4) }));
    for (const variant of ["sealed", "plain"] as const) packages.push(await upload(relay, silent, variant));
    await reportLast(silent, lively);
    await reportLast(lively, silent);
    // Nothing of it is to go because its own time is over.
    await db.run("update info_packages set expires_at = expires_at + 8640000");
    await db.run("update key_packages set expires_at = expires_at + 8640000");
    await db.run("update devices set blocked_at = 1 where device_id = :deviceId", { deviceId: blocked.deviceId });
    demand(await lively.send(lively.address));
  });

  it("is kept with all its data until then", async () => {
    await pass(29, lively);
    expect(await tracesOf(silent)).toMatchObject({
      ...{ devices: 1, addresses: 2, queues: 1, messages: 6, key_packages: 4, info_packages: 2, spam_reports: 1 },
    });
    for (const { variant, segment } of packages) expect((await download(relay, variant, segment)).status).toBe(200);
  });

  it("is removed then, with its messages, addresses, packages, counters and reports", async () => {
    await pass(2, lively);
    await expect.poll(() => isKnown(silent)).toBe(false);
    // What administrators are to know of reports stays, without the reporter.
    const { audit_entries: noted, ...traces } = await tracesOf(silent);
    expect([noted, traces]).toEqual([1, {}]);
    for (const { variant, segment } of packages) expect((await download(relay, variant, segment)).status).toBe(404);
    expect((await lively.send(silent.address)).body.error).toBe("ADDRESS_NOT_FOUND");
    const reports = "select 1 from spam_reports where reported = :deviceId";
    expect(await db.rows<AnyRow>(reports, { deviceId: lively.deviceId })).toEqual([]);
  });

  it("takes no data of other devices with it", async () => {
    expect(demand(await lively.poll()).body.messages).toHaveLength(3);
    expect((await lively.send(lively.address)).status).toBe(202);
  });

  it("may come back and starts from the beginning", async () => {
    await silent.announce();
    expect(demand(await silent.poll()).body.messages).toEqual([]);
    expect((await silent.send(lively.address)).status).toBe(202);
  });

  it("stays blocked, although nothing else remains of it", async () => {
    await expect.poll(() => isKnown(blocked)).toBe(false);
    expect(await tracesOf(blocked)).toEqual({});
    await blocked.announce();
    const answer = await blocked.send(lively.address);
    expect([answer.status, answer.body.error, answer.body["limit"], answer.body["reset_at"]]).toEqual([
      ...[429, "RATE_LIMIT_EXCEEDED", 0, null],
    ]);
  });
});
