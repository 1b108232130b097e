import { afterAll, beforeAll, expect, test } from "vitest";
import { startPushService, type TestPushService } from "../../scripts/push-service/push-service.js";
import { ServicePaces } from "../../src/push/service-paces.js";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { newSleepingDevice, type SleepingDevice, withoutJitter } from "./sleeping.js";

let usual: TestPushService;
/** As many hosts as could take all places of the node. */
let slow: TestPushService[];
let relay: TestRelay;
let friend: TestDevice;

beforeAll(async () => {
  usual = await startPushService();
  slow = await Promise.all([usual.another(), usual.another(), usual.another()]);
  relay = await startRelay({
    ...usual.config,
    ...withoutJitter,
    pushPorts: [usual, ...slow].flatMap(({ config }) => config.pushPorts ?? []),
    // The longest, so that nothing but an answer ends a request within this test.
    pushTimeoutSeconds: 50,
    pushQuickMillis: 50_000,
    pushesAtOnce: 6,
    pushesPerService: 2,
    seeds: { SEED_PROGRESSIVE_TRUST_ENABLED: "false" },
  });
  friend = await newDevice(relay);
});
afterAll(async () => {
  await relay.stop();
  for (const service of [...slow, usual]) {
    expect(service.faults).toEqual([]);
    await service.stop();
  }
});

const send = async (to: TestDevice) => void demand(await friend.send(to.address));
const isWoken = (device: SleepingDevice) => device.wakeUps().length > 0;

test("hosts that keep every push waiting take no place of a service that has answered quickly", async () => {
  const [known, sleeper] = [await newSleepingDevice(relay, usual), await newSleepingDevice(relay, usual)];
  await send(known);
  await until(async () => isWoken(known), "the usual service has taken a push");
  let answerAll: () => void = () => undefined;
  const isHeld = new Promise<undefined>((resolve) => {
    answerAll = () => resolve(undefined);
  });
  let open = 0;
  for (const service of slow) {
    service.answer = (_endpoint, { content }) => {
      if (content?.type !== "wake") return undefined;
      open += 1;
      return isHeld;
    };
  }
  const waiting: SleepingDevice[] = [];
  for (const service of [...slow, ...slow, ...slow]) waiting.push(await newSleepingDevice(relay, service));
  for (const device of waiting) await send(device);
  await until(async () => open === 3, "the slow hosts hold the half of all places that is open to everybody");
  await send(sleeper);
  await until(async () => isWoken(sleeper), "a device of the usual service is woken");
  expect(open).toBe(3);
  expect(waiting.some(isWoken)).toBe(false);
  answerAll();
  await until(async () => waiting.every(isWoken), "those of the slow hosts are woken at last");
});

const settings = { quickMillis: 2_000, slowSeconds: 600, atOnce: 5 };
/** A push from beginning to end. */
function pushed(paces: ServicePaces, service: string, given: { isTaken: boolean; from: number; to: number }): void {
  const place = paces.enter(service);
  place.asks(given.from)(given.isTaken, given.to);
  place.leave();
}

test("a service is quick once it has taken a push in time, and for a while no more once it was late", () => {
  const paces = new ServicePaces(settings);
  expect(paces.quick(0)).toEqual([]);
  pushed(paces, "a", { isTaken: true, from: 0, to: 2_000 });
  pushed(paces, "refusing", { isTaken: false, from: 0, to: 10 });
  expect(paces.quick(2_000)).toEqual(["a"]);
  pushed(paces, "late", { isTaken: true, from: 0, to: 2_001 });
  pushed(paces, "late", { isTaken: true, from: 2_100, to: 2_200 });
  expect(paces.quick(2_300)).toEqual(["a"]);
  expect(paces.quick(602_001)).toEqual(["a", "late"]);
  // What is still open after that time is late, too, and a push that is answered meanwhile changes nothing.
  const answered = paces.enter("a").asks(700_000);
  expect(paces.quick(702_000)).toEqual(["a", "late"]);
  expect(paces.quick(702_001)).toEqual(["late"]);
  pushed(paces, "a", { isTaken: true, from: 702_002, to: 702_003 });
  expect(paces.quick(702_004)).toEqual(["late"]);
  answered(true, 703_000);
  expect(paces.quick(703_001)).toEqual(["late"]);
});

test("services that are not known as quick have half of all places, or the only one", () => {
  const paces = new ServicePaces(settings);
  expect(paces.placesOfOthers(0)).toBe(3);
  const [first, second] = [paces.enter("a"), paces.enter("b")];
  expect(paces.placesOfOthers(0)).toBe(1);
  first.asks(0)(true, 100);
  expect(paces.placesOfOthers(100)).toBe(2);
  first.leave();
  const known = paces.enter("a");
  known.asks(100);
  expect(paces.placesOfOthers(100)).toBe(2);
  // It has become slow meanwhile.
  expect(paces.placesOfOthers(3_000)).toBe(1);
  known.leave();
  second.leave();
  expect(paces.placesOfOthers(3_000)).toBe(3);
  expect(new ServicePaces({ ...settings, atOnce: 1 }).placesOfOthers(0)).toBe(1);
});
