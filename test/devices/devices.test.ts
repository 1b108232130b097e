import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ForgetDevices } from "../../src/devices/service.js";
import { encodeHex } from "../../src/protocol/encodings.js";
import type { Prefix } from "../../src/protocol/identifiers.js";
import type { AnyRow } from "../support/any-row.js";
import { type DevicesFixture, openDevices } from "./fixture.js";

const daySeconds = 86_400;

let fixture: DevicesFixture;
let forgotten: string[] = [];
let forgottenAtOnce: number[] = [];
let rowsPerDevice = 0;
let forgetting: Error | undefined;
beforeAll(async () => {
  const forget: ForgetDevices = async (_db, ids) => {
    if (forgetting) throw forgetting;
    forgotten.push(...ids);
    forgottenAtOnce.push(ids.length);
  };
  fixture = await openDevices(forget, async (_db, ids) => new Map(ids.map((id) => [id, rowsPerDevice])));
});
beforeEach(async () => {
  [forgotten, forgottenAtOnce, rowsPerDevice] = [[], [], 0];
  forgetting = undefined;
  await fixture.db.run("truncate devices, addresses, block_tombstones");
});
afterAll(() => fixture.stop());

const take = (deviceId: Parameters<typeof fixture.devices.takeAddresses>[1]["deviceId"]) => {
  const prefixes = [{ prefix: randomUUID() as Prefix, spelling: "uuid" as const }];
  const request = { deviceId, prefixes, maxActive: 10, now: fixture.clock.nowSeconds() };
  return fixture.db.transaction((at) => fixture.devices.takeAddresses(at, request));
};

describe("a device", () => {
  it("is registered once, with all its columns", async () => {
    const id = await fixture.add(1);
    const device = await fixture.devices.find(fixture.db, id);
    expect(device).toEqual({
      deviceId: id,
      publicKey: Buffer.alloc(32, 1),
      registeredAt: device?.lastActive,
      lastActive: device?.registeredAt,
      verified: false,
      verifiedAt: null,
      verifiedBy: null,
      blockedAt: null,
      bannedUntil: null,
      customLimit: null,
      customLimitSetAt: null,
      customLimitSetBy: null,
      customLimitExpiresAt: null,
      spamReports: 0,
      spamReportsByDevice: 0,
      maxRetentionDays: null,
      offlineMessageLimit: null,
      hidePresence: false,
    });
    const again = { deviceId: id, publicKey: Buffer.alloc(32, 1), now: 5 };
    expect(await fixture.db.transaction((at) => fixture.devices.register(at, again))).toBe(false);
  });

  it("is found by its id and by its public key, and not by anything else", async () => {
    const id = await fixture.add(2);
    const publicKey = encodeHex(new Uint8Array(32).fill(2));
    for (const spelled of [id, publicKey, id.toUpperCase(), publicKey.toUpperCase()]) {
      expect((await fixture.devices.resolve(fixture.db, spelled))?.deviceId).toBe(id);
    }
    for (const spelled of ["", "ab", "f".repeat(64), `${id} `]) {
      expect(await fixture.devices.resolve(fixture.db, spelled)).toBeUndefined();
    }
  });

  it("has an active address until it expires", async () => {
    const id = await fixture.add(3);
    const now = fixture.clock.nowSeconds();
    expect(await fixture.devices.hasActiveAddress(fixture.db, id, now)).toBe(false);
    expect(await take(id)).toBe(true);
    expect(await fixture.devices.hasActiveAddress(fixture.db, id, now)).toBe(true);
    expect(await fixture.devices.hasActiveAddress(fixture.db, id, now + daySeconds + 5)).toBe(false);
  });

  it("cannot take an address after it was removed", async () => {
    const id = await fixture.add(4);
    await fixture.db.run("delete from devices");
    expect(await take(id)).toBe(false);
  });
});

describe("a device's trust state", () => {
  it("is written and reset", async () => {
    const id = await fixture.add(5);
    const { db, devices } = fixture;
    expect(await devices.block(db, id, 100)).toBe(true);
    expect(await devices.ban(db, id, 200)).toBe(true);
    expect(await devices.verify(db, id, { at: 300, by: "admin" })).toBe(true);
    const limit = { limit: 7, setAt: 400, setBy: "admin", expiresAt: 500 };
    expect(await devices.setCustomLimit(db, id, limit)).toBe(true);
    expect(await devices.find(db, id)).toMatchObject({
      blockedAt: 100,
      bannedUntil: 200,
      verified: true,
      verifiedAt: 300,
      verifiedBy: "admin",
      customLimit: 7,
      customLimitSetAt: 400,
      customLimitSetBy: "admin",
      customLimitExpiresAt: 500,
    });
    expect(await devices.unverify(db, id)).toBe(true);
    expect(await devices.unblock(db, id)).toBe(true);
    expect(await devices.find(db, id)).toMatchObject({
      blockedAt: null,
      bannedUntil: null,
      verified: false,
      verifiedAt: null,
      verifiedBy: null,
    });
  });

  it("cannot be written for an unknown device", async () => {
    const { db, devices } = fixture;
    const nobody = "0".repeat(64);
    expect(await devices.block(db, nobody, 1)).toBe(false);
    expect(await devices.unblock(db, nobody)).toBe(false);
    expect(await devices.ban(db, nobody, 1)).toBe(false);
    expect(await devices.verify(db, nobody, { at: 1, by: "a" })).toBe(false);
    expect(await devices.unverify(db, nobody)).toBe(false);
  });
});

describe("the removal of inactive devices", () => {
  it("deletes a device, its addresses and the rows of other modules after 30 days", async () => {
    const silent = await fixture.add(6);
    await take(silent);
    fixture.clock.advance(29 * daySeconds);
    expect(await fixture.devices.removeInactive()).toBe(0);
    const lively = await fixture.add(7);
    fixture.clock.advance(daySeconds + 1);
    expect(await fixture.devices.removeInactive()).toBe(1);
    expect(forgotten).toEqual([silent]);
    expect(await fixture.devices.find(fixture.db, silent)).toBeUndefined();
    expect(await fixture.devices.find(fixture.db, lively)).toBeDefined();
    expect(await fixture.db.rows<AnyRow>("select 1 from addresses")).toHaveLength(0);
  });

  it("keeps a device that an announcement or a touch has marked as active", async () => {
    const announcing = await fixture.add(8);
    const touching = await fixture.add(9);
    fixture.clock.advance(29 * daySeconds);
    await take(announcing);
    fixture.devices.touch(touching);
    await fixture.devices.stop();
    await fixture.devices.start();
    fixture.clock.advance(2 * daySeconds);
    expect(await fixture.devices.removeInactive()).toBe(0);
  });

  it("removes more devices than one step takes", async () => {
    await fixture.db.run(
      `insert into devices (device_id, public_key, registered_at, last_active)
       select 'device-' || n, '\\x00', 0, n from generate_series(1, 450) as n`,
    );
    expect(await fixture.devices.removeInactive()).toBe(450);
    expect(new Set(forgotten).size).toBe(450);
    expect(forgottenAtOnce).toEqual([200, 200, 50]);
  });

  it("removes fewer devices at once if many rows depend on them, and at least one", async () => {
    const insert = async (count: number) =>
      fixture.db.run(
        `insert into devices (device_id, public_key, registered_at, last_active)
         select 'device-' || n, '\\x00', 0, n from generate_series(1, ${count}) as n`,
      );
    await insert(7);
    rowsPerDevice = 6_000;
    expect(await fixture.devices.removeInactive()).toBe(7);
    expect(forgottenAtOnce).toEqual([3, 3, 1]);
    await insert(3);
    [forgottenAtOnce, rowsPerDevice] = [[], 500_000];
    expect(await fixture.devices.removeInactive()).toBe(3);
    expect(forgottenAtOnce).toEqual([1, 1, 1]);
  });

  it("removes nothing of a device if another module fails to forget it", async () => {
    const id = await fixture.add(10);
    await take(id);
    fixture.clock.advance(31 * daySeconds);
    forgetting = new Error("cannot");
    await expect(fixture.devices.removeInactive()).rejects.toThrow("cannot");
    expect(await fixture.devices.find(fixture.db, id)).toBeDefined();
    expect(await fixture.db.rows<AnyRow>("select 1 from addresses")).toHaveLength(1);
  });

  it("does not lift a block, and stores no device id to recognise it by", async () => {
    const id = await fixture.add(11);
    await fixture.devices.block(fixture.db, id, 77);
    fixture.clock.advance(31 * daySeconds);
    await fixture.devices.removeInactive();
    const marks = await fixture.db.rows<AnyRow>("select * from block_tombstones");
    expect(marks).toHaveLength(1);
    expect(marks[0].device_hash.toString("hex")).not.toBe(id);
    await fixture.add(11);
    expect((await fixture.devices.find(fixture.db, id))?.blockedAt).toBe(77);
    expect(await fixture.db.rows<AnyRow>("select 1 from block_tombstones")).toHaveLength(0);
  });

  it("does not shorten a ban, and deletes one that has ended", async () => {
    const long = await fixture.add(12);
    const short = await fixture.add(13);
    await fixture.devices.ban(fixture.db, long, fixture.clock.nowSeconds() + 40 * daySeconds);
    await fixture.devices.ban(fixture.db, short, fixture.clock.nowSeconds() + 7 * daySeconds);
    fixture.clock.advance(31 * daySeconds);
    await fixture.devices.removeInactive();
    expect(await fixture.db.rows<AnyRow>("select 1 from block_tombstones")).toHaveLength(1);
    fixture.clock.advance(10 * daySeconds);
    await fixture.devices.removeInactive();
    expect(await fixture.db.rows<AnyRow>("select 1 from block_tombstones")).toHaveLength(0);
  });

  it("leaves a block that can still be lifted", async () => {
    const id = await fixture.add(14);
    await fixture.devices.block(fixture.db, id, 77);
    fixture.clock.advance(31 * daySeconds);
    await fixture.devices.removeInactive();
    expect(await fixture.devices.unblock(fixture.db, id)).toBe(true);
    await fixture.add(14);
    expect((await fixture.devices.find(fixture.db, id))?.blockedAt).toBeNull();
  });
});

describe("the record of a device's activity", () => {
  it("is written at most once an hour", async () => {
    const id = await fixture.add(15);
    const lastActive = async () => (await fixture.devices.find(fixture.db, id))?.lastActive ?? 0;
    const flush = async () => {
      await fixture.devices.stop();
      await fixture.devices.start();
    };
    const registeredAt = await lastActive();
    fixture.devices.touch(id);
    await flush();
    expect(await lastActive()).toBe(registeredAt);
    fixture.clock.advance(3700);
    fixture.devices.touch(id);
    await flush();
    const noted = await lastActive();
    expect(noted - registeredAt).toBeGreaterThanOrEqual(3700);
    fixture.clock.advance(1800);
    fixture.devices.touch(id);
    await flush();
    expect(await lastActive()).toBe(noted);
  });
});
