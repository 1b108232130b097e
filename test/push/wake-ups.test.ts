import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPushService, type TestPushService } from "../../scripts/push-service/push-service.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { fetchPackage, newPackages, upload } from "../support/key-packages.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openDeviceStream } from "../support/stream.js";
import { until } from "../support/until.js";
import { newSleepingDevice, type SleepingDevice, withoutJitter } from "./sleeping.js";

const day = 86_400;
let service: TestPushService;
let relay: TestRelay;
let friend: TestDevice;
let db: Database;

beforeAll(async () => {
  service = await startPushService();
  relay = await startRelay({
    ...service.config,
    ...withoutJitter,
    seeds: { SEED_PROGRESSIVE_TRUST_ENABLED: "false" },
  });
  friend = await newDevice(relay);
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
});
afterAll(async () => {
  await db.close();
  await relay.stop();
  expect(service.faults).toEqual([]);
  await service.stop();
});

const shortLived = (to: TestDevice) => ({ ...message(relay, to.address), expires_in_seconds: 20 });
const send = async (to: TestDevice) => void demand(await friend.send(to.address));

/** Waits until the push service has accepted this many pushes for a device and the relay has recorded them. */
async function wokenTimes(device: SleepingDevice, times: number): Promise<void> {
  await until(async () => device.wakeUps().length >= times, `the device is woken ${times} times`);
  await until(async () => {
    const sql = "select lease is null as recorded from push_subscriptions where device_id = :id";
    return (await db.one<{ recorded: boolean }>(sql, { id: device.deviceId }))?.recorded === true;
  }, "the push is recorded");
}

/** Fails if the device has been woken more often once a device that was written to later has been woken. */
async function expectWoken(device: SleepingDevice, times: number): Promise<void> {
  const witness = await newSleepingDevice(relay, service);
  await send(witness);
  await wokenTimes(witness, 1);
  expect(device.wakeUps()).toHaveLength(times);
}

describe("a message for a device without a stream", () => {
  test("wakes it once, with nothing in the push but the fact", async () => {
    const device = await newSleepingDevice(relay, service);
    await send(device);
    await wokenTimes(device, 1);
    const [push] = device.wakeUps();
    expect(push?.content).toEqual({ type: "wake" });
    expect(push?.headers).toMatchObject({ urgency: "high", topic: "mls-relay-wakeup", ttl: String(28 * day) });
    expect([push?.recordBytes, push?.bodyBytes]).toEqual([128, 230]);
    const known = demand(await call(relay, "getPushSubscription", { token: device.token })).body;
    expect(known.last_push_at).toBeGreaterThanOrEqual(relay.clock.nowSeconds() - 60);
  });

  test("does not wake it again while it has not come, first for a minute, then for twice as long each time", async () => {
    const device = await newSleepingDevice(relay, service);
    await send(device);
    await wokenTimes(device, 1);
    await send(device);
    relay.clock.advance(40);
    await expectWoken(device, 1);
    relay.clock.advance(30);
    await wokenTimes(device, 2);
    await send(device);
    relay.clock.advance(70);
    await expectWoken(device, 2);
    relay.clock.advance(60);
    await wokenTimes(device, 3);
  });

  test("wakes it again after half a minute if it has come in the meantime", async () => {
    const device = await newSleepingDevice(relay, service);
    await send(device);
    await wokenTimes(device, 1);
    expect(demand(await device.poll()).body.messages).toHaveLength(1);
    await until(async () => {
      const sql = "select delivery_cursor as cursor from queues where device_id = :id";
      return (await db.one<{ cursor: number }>(sql, { id: device.deviceId }))?.cursor === 1;
    }, "it is recorded how far the device has read");
    await send(device);
    await expectWoken(device, 1);
    relay.clock.advance(31);
    await wokenTimes(device, 2);
  });

  test("does not wake it if it reads the message before the push is due", async () => {
    const device = await newSleepingDevice(relay, service);
    await send(device);
    await wokenTimes(device, 1);
    await send(device);
    const ids = demand(await device.poll()).body.messages.map(({ message_id: id }) => id);
    demand(await device.ack(ids));
    relay.clock.advance(120);
    await expectWoken(device, 1);
  });

  test("does not wake it if the message has expired before the push is due, although it is still stored", async () => {
    const device = await newSleepingDevice(relay, service);
    await send(device);
    await wokenTimes(device, 1);
    demand(await device.ack(demand(await device.poll()).body.messages.map(({ message_id: id }) => id)));
    demand(await call(relay, "sendMessage", { token: friend.token, body: shortLived(device) }));
    relay.clock.advance(120);
    await expectWoken(device, 1);
    await send(device);
    await wokenTimes(device, 2);
  });

  test("does not wake it while it has a stream, and does after", async () => {
    const device = await newSleepingDevice(relay, service);
    const stream = await openDeviceStream(relay.url, device.token);
    await send(device);
    const { data } = await stream.next("message");
    await stream.ack(data.message_id);
    await expectWoken(device, 0);
    await stream.close();
    await until(async () => {
      await send(device);
      relay.clock.advance(61);
      return device.wakeUps().length > 0;
    }, "the device is woken once its stream has ended");
  });

  test("that waited before the subscription wakes it by the next catch-up", async () => {
    const waiting = await newDevice(relay);
    await send(waiting);
    const device = await newSleepingDevice(relay, service, { device: waiting });
    // Nothing else wakes it. One may be due already, by the clock that other tests have advanced.
    relay.clock.advance(61);
    await wokenTimes(device, 1);
  });
});

describe("few key packages", () => {
  test("wake the device with a low urgency, once an hour, unless it wants to be woken for messages only", async () => {
    const device = await newSleepingDevice(relay, service);
    const strict = await newSleepingDevice(relay, service, { urgency: "high" });
    for (const one of [device, strict]) {
      await upload(relay, one, { packages: newPackages(30) });
      for (let left = 30; left > 18; left--) await fetchPackage(relay, await newDevice(relay), one.deviceId);
    }
    await wokenTimes(device, 1);
    expect(device.wakeUps()[0]?.headers["urgency"]).toBe("low");
    await expectWoken(strict, 0);
    expect(device.wakeUps()).toHaveLength(1);
  });
});

describe("a random delay", () => {
  test("of up to PUSH_JITTER_SECONDS lies between a message and its push", async () => {
    const delaying = await startRelay({ ...service.config, pushJitterSeconds: 1_000, pushPollMillis: 20 });
    const writer = await newDevice(delaying);
    const devices: SleepingDevice[] = [];
    for (let count = 0; count < 8; count++) devices.push(await newSleepingDevice(delaying, service));
    for (const device of devices) demand(await writer.send(device.address));
    const woken = () => devices.filter((device) => device.wakeUps().length > 0).length;
    const seen = new Set<number>();
    for (let step = 0; step < 60 && woken() < devices.length; step++) {
      delaying.clock.advance(20);
      await new Promise((resolve) => setTimeout(resolve, 60));
      seen.add(woken());
    }
    await until(async () => woken() === devices.length, "all are woken");
    // Eight delays out of a thousand seconds do not all fall into one step, except once in 10^11.
    expect(seen.size).toBeGreaterThan(1);
    await delaying.stop();
  });
});
