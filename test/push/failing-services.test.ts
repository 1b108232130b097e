import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startPushService, type TestPushService } from "../../scripts/push-service/push-service.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { newSleepingDevice, type SleepingDevice, withoutJitter } from "./sleeping.js";

let service: TestPushService;
let other: TestPushService;
let relay: TestRelay;

beforeAll(async () => {
  service = await startPushService();
  other = await service.another();
  const ports = [...(service.config.pushPorts ?? []), ...(other.config.pushPorts ?? [])];
  relay = await startRelay({
    ...service.config,
    ...withoutJitter,
    pushPorts: ports,
    pushTimeoutSeconds: 5,
    seeds: { SEED_PROGRESSIVE_TRUST_ENABLED: "false" },
  });
});
afterEach(() => {
  service.answer = () => undefined;
});
afterAll(async () => {
  await relay.stop();
  expect(service.faults).toEqual([]);
  await service.stop();
  await other.stop();
});

/** By a new device each time, because a token ends while pauses pass. */
const send = async (to: TestDevice) => void demand(await (await newDevice(relay)).send(to.address));
const woken = (devices: readonly SleepingDevice[]) =>
  until(async () => devices.every((device) => device.wakeUps().length > 0), "all devices are woken");
const requested = (times: number) => until(async () => service.requests >= times, `${times} requests`);
async function sleeping(count: number): Promise<SleepingDevice[]> {
  const devices: SleepingDevice[] = [];
  while (devices.length < count) devices.push(await newSleepingDevice(relay, service));
  return devices;
}

describe("a push service that fails for all", () => {
  test("is paused as a whole, for hours if need be, and everybody is woken once it is back", async () => {
    const devices = await sleeping(12);
    service.answer = () => ({ status: 500 });
    const before = service.requests;
    for (const device of devices) await send(device);
    await requested(before + 5);
    // Each pause is at least twice as long as the one before, and each ends with a handful of attempts.
    for (let minutes = 0; minutes < 180; minutes += 5) {
      relay.clock.advance(300);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(service.requests - before).toBeLessThan(20 * devices.length);
    expect(devices.flatMap((device) => device.wakeUps())).toEqual([]);
    service.answer = () => undefined;
    await until(async () => {
      relay.clock.advance(600);
      return devices.every((device) => device.wakeUps().length > 0);
    }, "all devices are woken after the outage");
    for (const device of devices) expect(device.wakeUps()).toHaveLength(1);
  });

  test("does not keep other push services waiting", async () => {
    const devices = await sleeping(8);
    service.answer = () => "none";
    const before = service.requests;
    for (const device of devices) await send(device);
    await requested(before + 5);
    const elsewhere = await newSleepingDevice(relay, other);
    await send(elsewhere);
    await woken([elsewhere]);
    service.answer = () => undefined;
    await until(async () => {
      relay.clock.advance(600);
      return devices.every((device) => device.wakeUps().length > 0);
    }, "the others are woken later");
  });
});

describe("the answer of a push service", () => {
  test.each([404, 410])("%i removes the subscription", async (status) => {
    const device = await newSleepingDevice(relay, service);
    service.answer = () => ({ status });
    await send(device);
    await until(async () => {
      const { status: known } = await call(relay, "getPushSubscription", { token: device.token });
      return known === 404;
    }, "the subscription is gone");
  });

  test("429 with Retry-After is repeated after that time, not before", async () => {
    const device = await newSleepingDevice(relay, service);
    service.answer = () => ({ status: 429, headers: { "Retry-After": "900" } });
    const before = service.requests;
    await send(device);
    await requested(before + 1);
    service.answer = () => undefined;
    relay.clock.advance(800);
    const witness = await newSleepingDevice(relay, service);
    await send(witness);
    await woken([witness]);
    expect(device.wakeUps()).toEqual([]);
    await until(async () => {
      relay.clock.advance(60);
      return device.wakeUps().length === 1;
    }, "the device is woken");
  });

  test("400 is repeated a few times only, and the next message tries again", async () => {
    const device = await newSleepingDevice(relay, service);
    let attempts = 0;
    service.answer = (endpoint) => {
      if (endpoint !== device.subscription.endpoint) return undefined;
      attempts += 1;
      return { status: 400 };
    };
    await send(device);
    await until(async () => {
      relay.clock.advance(600);
      return attempts >= 8;
    }, "eight attempts");
    const witness = await newSleepingDevice(relay, service);
    relay.clock.advance(3_600);
    await send(witness);
    await woken([witness]);
    expect(attempts).toBe(8);
    service.answer = () => undefined;
    await send(device);
    await woken([device]);
  });

  // As ntfy 2.13.0 answers as a UnifiedPush distributor: 200 with the message, 507 for a topic without a subscriber, and 429
  // without Retry-After.
  test("is understood in the form of ntfy, and one topic's refusals do not pause the service for others", async () => {
    const json = { "Content-Type": "application/json", "Access-Control-Allow-Origin": "*" };
    const answer = (status: number, body: object) => ({ status, headers: json, body: JSON.stringify(body) });
    const [without, limited, usual] = await sleeping(3);
    if (!without || !limited || !usual) throw new Error("there are three");
    let refusals = 0;
    let isOver = false;
    service.answer = (endpoint) => {
      const error = "cannot publish to UnifiedPush topic without previously active subscriber";
      if (endpoint === usual.subscription.endpoint || isOver)
        return answer(200, { id: "hZbHHV6AuEFC", event: "message", topic: "upHLaLAlEeIC2B", encoding: "base64" });
      refusals += 1;
      if (endpoint === without.subscription.endpoint) return answer(507, { code: 50701, http: 507, error });
      return answer(429, { code: 42901, http: 429, error: "limit reached: too many requests" });
    };
    for (const device of [without, limited]) await send(device);
    await until(async () => {
      relay.clock.advance(60);
      return refusals >= 6;
    }, "six refusals");
    await send(usual);
    await woken([usual]);
    isOver = true;
    await until(async () => {
      relay.clock.advance(600);
      return limited.wakeUps().length === 1;
    }, "the limited device is woken later");
  });
});
