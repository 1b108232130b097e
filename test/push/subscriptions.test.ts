import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startPushService, type TestPushService } from "../../scripts/push-service/push-service.js";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { createLogger } from "../../src/platform/logger.js";
import { call } from "../support/api.js";
import { demand, newDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { codeOf, confirm, newSleepingDevice, subscribe, vapidKeyOf, withoutJitter } from "./sleeping.js";

let service: TestPushService;
let relay: TestRelay;
let db: Database;
const logged: string[] = [];

beforeAll(async () => {
  service = await startPushService();
  const logger = createLogger({ level: "debug", destination: { write: (line: string) => void logged.push(line) } });
  relay = await startRelay({ ...service.config, ...withoutJitter }, { logger });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
});
afterAll(async () => {
  await db.close();
  await relay.stop();
  expect(service.faults).toEqual([]);
  await service.stop();
});

const read = (device: { token: string }) => call(relay, "getPushSubscription", { token: device.token });
const remove = (device: { token: string }) => call(relay, "unsubscribeFromPush", { token: device.token });
const tryOut = (device: { token: string }) => call(relay, "testPushSubscription", { token: device.token });
const errorOf = ({ status, body }: { status: number; body: { error?: string | undefined } }) => [status, body.error];
const rows = () => db.rows<{ device_id: string; sealed: Buffer }>("select device_id, sealed from push_subscriptions");

describe("a push subscription", () => {
  test("is used only after the device has echoed the code that was pushed to it", async () => {
    const [device, friend] = [await newDevice(relay), await newDevice(relay)];
    const subscription = service.subscribe(await vapidKeyOf(relay));
    const { body } = demand(await subscribe(relay, device, subscription));
    expect(body.push).toEqual({ status_class: "2xx", retry_after: null });
    const { push } = demand(await call(relay, "getDiscovery")).body;
    expect(body.subscription).toMatchObject({
      confirmed: false,
      key_id: push?.key_id,
      urgency: "low",
      last_push_at: null,
    });
    const hash = createHash("sha256").update(subscription.endpoint).digest("hex");
    expect(body.subscription.endpoint_sha256).toBe(hash);

    expect(errorOf(await tryOut(device))).toEqual([409, "CONFLICT"]);
    demand(await friend.send(device.address));
    expect(errorOf(await confirm(relay, device, randomBytes(16).toString("base64url")))).toEqual([
      403,
      "PUSH_CODE_WRONG",
    ]);
    expect(subscription.received.map(({ content }) => content?.type)).toEqual(["confirm"]);

    const code = codeOf(subscription);
    expect(demand(await confirm(relay, device, code)).body).toEqual({ ...body.subscription, confirmed: true });
    expect(demand(await confirm(relay, device, code)).body.confirmed).toBe(true);
    expect(demand(await tryOut(device)).body).toEqual({ status_class: "2xx", retry_after: null });
    expect(subscription.received.at(-1)?.content).toEqual({ type: "test" });
    for (const { claims, headers, recordBytes, bodyBytes } of subscription.received) {
      expect(claims.exp).toBeLessThanOrEqual(relay.clock.nowSeconds() + 12 * 3_600);
      expect(headers["content-encoding"]).toBe("aes128gcm");
      expect([recordBytes, bodyBytes]).toEqual([128, 230]);
    }
  });

  test("is the only one if a device subscribes several times at once", async () => {
    const device = await newDevice(relay);
    const key = await vapidKeyOf(relay);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => subscribe(relay, device, service.subscribe(key))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(demand(await read(device)).body.confirmed).toBe(false);
  });

  test("is confirmed by the last code only, and within ten minutes", async () => {
    const device = await newDevice(relay);
    const subscription = service.subscribe(await vapidKeyOf(relay));
    demand(await subscribe(relay, device, subscription));
    const first = codeOf(subscription);
    demand(await subscribe(relay, device, subscription));
    expect(codeOf(subscription)).not.toBe(first);
    expect(errorOf(await confirm(relay, device, first))).toEqual([403, "PUSH_CODE_WRONG"]);
    relay.clock.advance(601);
    expect(errorOf(await confirm(relay, device, codeOf(subscription)))).toEqual([403, "PUSH_CODE_WRONG"]);
    expect(demand(await read(device)).body.confirmed).toBe(false);
  });

  test("that is sent again stays confirmed, and a changed one must be confirmed again", async () => {
    const device = await newSleepingDevice(relay, service);
    const { subscription } = device;
    const pushes = subscription.received.length;
    const expiresAt = relay.clock.nowSeconds() + 1_000;
    const again = demand(await subscribe(relay, device, subscription, { urgency: "high", expires_at: expiresAt })).body;
    expect(again.push).toBeUndefined();
    expect(again.subscription).toMatchObject({ confirmed: true, urgency: "high", expires_at: expiresAt });
    expect(subscription.received).toHaveLength(pushes);
    const auth = randomBytes(16).toString("base64url");
    const changed = await subscribe(relay, device, { ...subscription, auth });
    // The service of the tests cannot open what was encrypted for another secret.
    expect(changed.body).toMatchObject({ subscription: { confirmed: false }, push: { status_class: "4xx" } });
    service.faults.pop();
  });

  test("that has expired is neither shown, tested, confirmed nor pushed to, although nothing has removed it yet", async () => {
    const expiresAt = relay.clock.nowSeconds() + 1_000;
    const device = await newSleepingDevice(relay, service, { expires_at: expiresAt });
    const pushes = device.subscription.received.length;
    relay.clock.advance(1_000);
    expect((await rows()).map(({ device_id: id }) => id)).toContain(device.deviceId);
    expect(errorOf(await read(device))).toEqual([404, "NOT_FOUND"]);
    expect(errorOf(await tryOut(device))).toEqual([404, "NOT_FOUND"]);
    expect(errorOf(await confirm(relay, device, codeOf(device.subscription)))).toEqual([404, "NOT_FOUND"]);
    const witness = await newSleepingDevice(relay, service);
    for (const to of [device, witness]) demand(await witness.send(to.address));
    await until(async () => witness.wakeUps().length === 1, "the witness is woken");
    expect(device.subscription.received).toHaveLength(pushes);
    const again = await subscribe(relay, device, device.subscription, { expires_at: expiresAt });
    expect(errorOf(again)).toEqual([400, "INVALID_REQUEST"]);
    expect(demand(await subscribe(relay, device, device.subscription)).body.subscription.confirmed).toBe(false);
  });

  test("is encrypted in the database, and neither it nor a code is logged", async () => {
    const device = await newSleepingDevice(relay, service);
    const [stored] = (await rows()).filter(({ device_id: id }) => id === device.deviceId);
    const { endpoint, p256dh, auth } = device.subscription;
    for (const secret of [endpoint, p256dh, auth]) expect(stored?.sealed.includes(secret)).toBe(false);
    const everything = JSON.stringify(await db.rows("select * from push_subscriptions"));
    for (const secret of [endpoint, new URL(endpoint).pathname, service.origin])
      expect(everything).not.toContain(secret);
    const log = logged.join("");
    expect(log).not.toBe("");
    for (const secret of [new URL(endpoint).pathname, codeOf(device.subscription), auth])
      expect(log).not.toContain(secret);
  });

  test("ends when the device says so, and with the device", async () => {
    const device = await newSleepingDevice(relay, service);
    expect(demand(await remove(device)).body).toEqual({ removed: true });
    expect(demand(await remove(device)).body).toEqual({ removed: false });
    expect(errorOf(await read(device))).toEqual([404, "NOT_FOUND"]);
    expect(errorOf(await tryOut(device))).toEqual([404, "NOT_FOUND"]);
    expect(errorOf(await confirm(relay, device, codeOf(device.subscription)))).toEqual([404, "NOT_FOUND"]);
    const other = await newSleepingDevice(relay, service);
    const stored = async () => (await rows()).map(({ device_id: id }) => id);
    expect(await stored()).toContain(other.deviceId);
    relay.clock.advance(31 * 86_400);
    await until(async () => !(await stored()).includes(other.deviceId), "the inactive device is removed");
  });

  test("ends when a test shows that the push service no longer knows it", async () => {
    const device = await newSleepingDevice(relay, service);
    service.answer = (endpoint) => (endpoint === device.subscription.endpoint ? { status: 410 } : undefined);
    expect(demand(await tryOut(device)).body).toEqual({ status_class: "4xx", retry_after: null });
    service.answer = () => undefined;
    expect(errorOf(await read(device))).toEqual([404, "NOT_FOUND"]);
  });

  test("shows of a failing push service the class of the status and Retry-After only", async () => {
    const device = await newSleepingDevice(relay, service);
    service.answer = () => ({ status: 503, headers: { "Retry-After": "120" } });
    expect(demand(await tryOut(device)).body).toEqual({ status_class: "5xx", retry_after: 120 });
    service.answer = () => ({ status: 302, headers: { Location: "https://elsewhere.example/" } });
    expect(demand(await tryOut(device)).body).toEqual({ status_class: "3xx", retry_after: null });
    service.answer = () => undefined;
  });

  test("is pushed to without a body if the push service finds the body too large", async () => {
    const device = await newSleepingDevice(relay, service);
    service.answer = (_, { bodyBytes }) => (bodyBytes > 0 ? { status: 413 } : undefined);
    expect(demand(await tryOut(device)).body.status_class).toBe("2xx");
    service.answer = () => undefined;
    expect(device.subscription.received.at(-1)).toMatchObject({ content: null, bodyBytes: 0 });
  });
});

describe("an endpoint is refused", () => {
  test.each([
    ["an address of this machine", "https://127.0.0.1/push"],
    ["an IPv6 address", "https://[::1]/push"],
    ["a number that is an address", "https://2130706433/push"],
    ["another port", "https://localhost:22/push"],
    ["credentials", "https://me:secret@localhost/push"],
  ])("if it has %s", async (_, endpoint) => {
    const device = await newDevice(relay);
    const { requests } = service;
    const answer = await subscribe(relay, device, { ...service.subscribe(await vapidKeyOf(relay)), endpoint });
    expect([400]).toContain(answer.status);
    expect(["PUSH_ENDPOINT_REFUSED", "INVALID_REQUEST"]).toContain(answer.body.error);
    expect(JSON.stringify(answer.body)).not.toContain("secret");
    expect(service.requests).toBe(requests);
    expect(errorOf(await read(device))).toEqual([404, "NOT_FOUND"]);
  });

  test("if its host is on a private network, unless the operator allows that", async () => {
    const closed = await startRelay({ ...service.config, pushAllowPrivate: false });
    const device = await newDevice(closed);
    const { requests } = service;
    const answer = await subscribe(closed, device, service.subscribe(await vapidKeyOf(closed)));
    expect(errorOf(answer)).toEqual([400, "PUSH_ENDPOINT_REFUSED"]);
    expect(service.requests).toBe(requests);
    await closed.stop();
  });

  test("if its keys are not those of RFC 8291", async () => {
    const device = await newDevice(relay);
    const subscription = service.subscribe(await vapidKeyOf(relay));
    const noPoint = Buffer.alloc(65, 4).toString("base64url");
    for (const wrong of [
      { p256dh: noPoint },
      { p256dh: "A".repeat(86) },
      { auth: "A".repeat(21) },
      { auth: `${"A".repeat(21)}B` },
    ])
      expect(errorOf(await subscribe(relay, device, { ...subscription, ...wrong }))).toEqual([400, "INVALID_REQUEST"]);
  });
});

describe("subscribing", () => {
  test("is limited for each device, because each subscription makes the relay call a host", async () => {
    const limited = await startRelay({ ...service.config, pushSubscriptionsPerHour: 2, pushTestsPerHour: 1 });
    const device = await newSleepingDevice(limited, service);
    const test = () => call(limited, "testPushSubscription", { token: device.token });
    demand(await test());
    expect(errorOf(await test())).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    demand(await subscribe(limited, device, device.subscription));
    expect(errorOf(await subscribe(limited, device, device.subscription))).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    await limited.stop();
  });

  test("is not possible on a relay that sends no pushes, and its discovery document says so", async () => {
    const silent = await startRelay({ pushEnabled: false });
    const { capabilities, push } = demand(await call(silent, "getDiscovery")).body;
    expect([capabilities.wake_up_push, push]).toEqual([false, undefined]);
    const subscription = service.subscribe(await vapidKeyOf(relay));
    const answer = await subscribe(silent, await newDevice(silent), subscription);
    expect(errorOf(answer)).toEqual([503, "PUSH_DISABLED"]);
    await silent.stop();
  });
});
