import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ForgetDevices } from "../../src/devices/service.js";
import { encodeHex } from "../../src/protocol/encodings.js";
import type { Prefix } from "../../src/protocol/identifiers.js";
import { type DevicesGround, openDevices } from "./ground.js";

const daySeconds = 86_400;

let ground: DevicesGround;
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
  ground = await openDevices(forget, async (_db, ids) => new Map(ids.map((id) => [id, rowsPerDevice])));
});
beforeEach(async () => {
  [forgotten, forgottenAtOnce, rowsPerDevice] = [[], [], 0];
  forgetting = undefined;
  await ground.db.raw("truncate devices, addresses, device_marks");
});
afterAll(() => ground.stop());

const take = (deviceId: Parameters<typeof ground.devices.takeAddresses>[1]["deviceId"]) => {
  const prefixes = [{ prefix: randomUUID() as Prefix, spelling: "uuid" as const }];
  const request = { deviceId, prefixes, maxActive: 10, now: ground.clock.nowSeconds() };
  return ground.db.transaction((at) => ground.devices.takeAddresses(at, request));
};

describe("a device", () => {
  it("is registered once, with everything that is kept of it", async () => {
    const id = await ground.add(1);
    const device = await ground.devices.find(ground.db, id);
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
    expect(await ground.db.transaction((at) => ground.devices.register(at, again))).toBe(false);
  });

  it("is found by its id and by its public key, and not by anything else", async () => {
    const id = await ground.add(2);
    const publicKey = encodeHex(new Uint8Array(32).fill(2));
    for (const spelled of [id, publicKey, id.toUpperCase(), publicKey.toUpperCase()]) {
      expect((await ground.devices.resolve(ground.db, spelled))?.deviceId).toBe(id);
    }
    for (const spelled of ["", "ab", "f".repeat(64), `${id} `]) {
      expect(await ground.devices.resolve(ground.db, spelled)).toBeUndefined();
    }
  });

  it("has an active address until it expires", async () => {
    const id = await ground.add(3);
    const now = ground.clock.nowSeconds();
    expect(await ground.devices.hasActiveAddress(ground.db, id, now)).toBe(false);
    expect(await take(id)).toBe(true);
    expect(await ground.devices.hasActiveAddress(ground.db, id, now)).toBe(true);
    expect(await ground.devices.hasActiveAddress(ground.db, id, now + daySeconds + 5)).toBe(false);
  });

  it("that is gone takes no address", async () => {
    const id = await ground.add(4);
    await ground.db.raw("delete from devices");
    expect(await take(id)).toBe(false);
  });
});

describe("a device's standing", () => {
  it("is written and taken back", async () => {
    const id = await ground.add(5);
    const { db, devices } = ground;
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

  it("cannot be written where there is no device", async () => {
    const { db, devices } = ground;
    const nobody = "0".repeat(64);
    expect(await devices.block(db, nobody, 1)).toBe(false);
    expect(await devices.unblock(db, nobody)).toBe(false);
    expect(await devices.ban(db, nobody, 1)).toBe(false);
    expect(await devices.verify(db, nobody, { at: 1, by: "a" })).toBe(false);
    expect(await devices.unverify(db, nobody)).toBe(false);
  });
});

describe("the removal of inactive devices", () => {
  it("takes a device, its addresses and what other rooms keep, after 30 days", async () => {
    const silent = await ground.add(6);
    await take(silent);
    ground.clock.advance(29 * daySeconds);
    expect(await ground.devices.removeInactive()).toBe(0);
    const lively = await ground.add(7);
    ground.clock.advance(daySeconds + 1);
    expect(await ground.devices.removeInactive()).toBe(1);
    expect(forgotten).toEqual([silent]);
    expect(await ground.devices.find(ground.db, silent)).toBeUndefined();
    expect(await ground.devices.find(ground.db, lively)).toBeDefined();
    expect((await ground.db.raw("select 1 from addresses")).rows).toHaveLength(0);
  });

  it("spares a device that an announcement or a touch has shown to be alive", async () => {
    const announcing = await ground.add(8);
    const touching = await ground.add(9);
    ground.clock.advance(29 * daySeconds);
    await take(announcing);
    ground.devices.touch(touching);
    await ground.devices.stop();
    await ground.devices.start();
    ground.clock.advance(2 * daySeconds);
    expect(await ground.devices.removeInactive()).toBe(0);
  });

  it("goes through more devices than one step holds", async () => {
    await ground.db.raw(
      `insert into devices (device_id, public_key, registered_at, last_active)
       select 'device-' || n, '\\x00', 0, n from generate_series(1, 450) as n`,
    );
    expect(await ground.devices.removeInactive()).toBe(450);
    expect(new Set(forgotten).size).toBe(450);
    expect(forgottenAtOnce).toEqual([200, 200, 50]);
  });

  it("takes fewer devices at once where much hangs on them, and one in any case", async () => {
    const insert = async (count: number) =>
      ground.db.raw(
        `insert into devices (device_id, public_key, registered_at, last_active)
         select 'device-' || n, '\\x00', 0, n from generate_series(1, ${count}) as n`,
      );
    await insert(7);
    rowsPerDevice = 6_000;
    expect(await ground.devices.removeInactive()).toBe(7);
    expect(forgottenAtOnce).toEqual([3, 3, 1]);
    await insert(3);
    [forgottenAtOnce, rowsPerDevice] = [[], 500_000];
    expect(await ground.devices.removeInactive()).toBe(3);
    expect(forgottenAtOnce).toEqual([1, 1, 1]);
  });

  it("removes nothing of a device when another room cannot forget it", async () => {
    const id = await ground.add(10);
    await take(id);
    ground.clock.advance(31 * daySeconds);
    forgetting = new Error("cannot");
    await expect(ground.devices.removeInactive()).rejects.toThrow("cannot");
    expect(await ground.devices.find(ground.db, id)).toBeDefined();
    expect((await ground.db.raw("select 1 from addresses")).rows).toHaveLength(1);
  });

  it("does not lift a block, and keeps no id to know it by", async () => {
    const id = await ground.add(11);
    await ground.devices.block(ground.db, id, 77);
    ground.clock.advance(31 * daySeconds);
    await ground.devices.removeInactive();
    const marks = (await ground.db.raw("select * from device_marks")).rows;
    expect(marks).toHaveLength(1);
    expect(marks[0].device_hash.toString("hex")).not.toBe(id);
    await ground.add(11);
    expect((await ground.devices.find(ground.db, id))?.blockedAt).toBe(77);
    expect((await ground.db.raw("select 1 from device_marks")).rows).toHaveLength(0);
  });

  it("does not cut a ban short, and forgets one that has ended", async () => {
    const long = await ground.add(12);
    const short = await ground.add(13);
    await ground.devices.ban(ground.db, long, ground.clock.nowSeconds() + 40 * daySeconds);
    await ground.devices.ban(ground.db, short, ground.clock.nowSeconds() + 7 * daySeconds);
    ground.clock.advance(31 * daySeconds);
    await ground.devices.removeInactive();
    expect((await ground.db.raw("select 1 from device_marks")).rows).toHaveLength(1);
    ground.clock.advance(10 * daySeconds);
    await ground.devices.removeInactive();
    expect((await ground.db.raw("select 1 from device_marks")).rows).toHaveLength(0);
  });

  it("leaves a block that can still be lifted", async () => {
    const id = await ground.add(14);
    await ground.devices.block(ground.db, id, 77);
    ground.clock.advance(31 * daySeconds);
    await ground.devices.removeInactive();
    expect(await ground.devices.unblock(ground.db, id)).toBe(true);
    await ground.add(14);
    expect((await ground.devices.find(ground.db, id))?.blockedAt).toBeNull();
  });
});

describe("the note of a device's activity", () => {
  it("is written at most once an hour", async () => {
    const id = await ground.add(15);
    const lastActive = async () => (await ground.devices.find(ground.db, id))?.lastActive ?? 0;
    const flush = async () => {
      await ground.devices.stop();
      await ground.devices.start();
    };
    const registeredAt = await lastActive();
    ground.devices.touch(id);
    await flush();
    expect(await lastActive()).toBe(registeredAt);
    ground.clock.advance(3700);
    ground.devices.touch(id);
    await flush();
    const noted = await lastActive();
    expect(noted - registeredAt).toBeGreaterThanOrEqual(3700);
    ground.clock.advance(1800);
    ground.devices.touch(id);
    await flush();
    expect(await lastActive()).toBe(noted);
  });
});
