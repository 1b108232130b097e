import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startPushService, type TestPushService } from "../../scripts/push-service/push-service.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { newSleepingDevice, type SleepingDevice, withoutJitter } from "./sleeping.js";

let slow: TestPushService;
let usual: TestPushService;
let relay: TestRelay;
let friend: TestDevice;
/** Ends the wait of every request that the slow service holds. */
let answerAll: () => void;
let isHeld: Promise<undefined>;

beforeAll(async () => {
  slow = await startPushService();
  usual = await slow.another();
  relay = await startRelay({
    ...slow.config,
    ...withoutJitter,
    pushPorts: [...(slow.config.pushPorts ?? []), ...(usual.config.pushPorts ?? [])],
    // The longest, so that nothing but an answer ends a request within this test.
    pushTimeoutSeconds: 50,
    pushesAtOnce: 6,
    pushesPerService: 2,
    seeds: { SEED_PROGRESSIVE_TRUST_ENABLED: "false" },
  });
  friend = await newDevice(relay);
});
beforeEach(() => {
  slow.answer = () => undefined;
  isHeld = new Promise((resolve) => {
    answerAll = () => resolve(undefined);
  });
});
afterAll(async () => {
  await relay.stop();
  expect([...slow.faults, ...usual.faults]).toEqual([]);
  await usual.stop();
  await slow.stop();
});

const send = async (to: TestDevice) => void demand(await friend.send(to.address));
const areWoken = (devices: readonly SleepingDevice[]) => devices.every((device) => device.wakeUps().length > 0);
async function sleeping(count: number, service: TestPushService): Promise<SleepingDevice[]> {
  const devices: SleepingDevice[] = [];
  while (devices.length < count) devices.push(await newSleepingDevice(relay, service));
  return devices;
}

describe("while a push service takes its time", () => {
  test("devices of other services are woken, and it holds a few requests only", async () => {
    const waiting = await sleeping(12, slow);
    const others = await sleeping(8, usual);
    let [open, most] = [0, 0];
    slow.answer = async () => {
      open += 1;
      most = Math.max(most, open);
      await isHeld;
      open -= 1;
      return undefined;
    };
    for (const device of waiting) await send(device);
    await until(async () => open === 2, "the slow service holds as many requests as it may");
    for (const device of others) await send(device);
    await until(async () => areWoken(others), "devices of the other service are woken");
    expect(waiting.flatMap((device) => device.wakeUps())).toEqual([]);
    answerAll();
    await until(async () => areWoken(waiting), "those of the slow service are woken at last");
    expect(most).toBe(2);
    for (const device of [...waiting, ...others]) expect(device.wakeUps()).toHaveLength(1);
  });

  test("one answer that is late does not hold up others of the same service", async () => {
    const [late, ...others] = await sleeping(9, slow);
    if (late === undefined) throw new Error("there are nine");
    let isAsked = false;
    slow.answer = (endpoint) => {
      if (endpoint !== late.subscription.endpoint) return undefined;
      isAsked = true;
      return isHeld;
    };
    await send(late);
    await until(async () => isAsked, "the first push is being sent");
    for (const device of others) await send(device);
    await until(async () => areWoken(others), "the others are woken");
    expect(late.wakeUps()).toEqual([]);
    answerAll();
    await until(async () => areWoken([late]), "it is woken, too");
  });
});
