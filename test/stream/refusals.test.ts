import { afterAll, beforeAll, expect, test } from "vitest";
import { closeCodes, type SendResultFrame } from "../../generated/frames.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { newMessageId } from "../../src/protocol/identifiers.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openDeviceStream, type TestStream } from "../support/stream.js";

const nowhere = "2f1c6f1e-9a53-4c0e-8d0b-6d1f0c7a3b52@relay.test";
/** For which one refusal counts. */
const period = 600;
const atOnce = 5;
const whileSlow = 3;

let relay: TestRelay;
let recipient: TestDevice;
beforeAll(async () => {
  relay = await startRelay({
    streamRefusalsAtOnce: atOnce,
    streamRefusalSeconds: period,
    streamRefusalsWhileSlow: whileSlow,
    seeds: { SEED_STORAGE_ANNOUNCEMENT_RETENTION_HOURS: "1000" },
  });
  recipient = await newDevice(relay);
});
afterAll(() => relay.stop());

const unknown = () => message(relay, nowhere);
const malformed = () => ({ ...message(relay, recipient.address), mls_ciphertext: "AAB=" });
const send = (stream: TestStream, sent: object) => stream.send({ type: "send", message: sent });

async function results(stream: TestStream, count: number): Promise<SendResultFrame["status"][]> {
  const found: SendResultFrame["status"][] = [];
  while (found.length < count) found.push((await stream.next("send_result")).status);
  return found;
}

async function newStream(): Promise<{ device: TestDevice; stream: TestStream }> {
  const device = await newDevice(relay);
  return { device, stream: await openDeviceStream(relay.url, device.token) };
}

test.each([
  ["messages to nobody", unknown],
  ["messages that are malformed", malformed],
])("a stream whose %s are refused in a row is slowed down, and goes on with time", async (_, refused) => {
  const { stream } = await newStream();
  for (let i = 0; i < atOnce + 2; i++) send(stream, refused());
  send(stream, message(relay, recipient.address));
  expect(new Set(await results(stream, atOnce))).toEqual(new Set(["rejected"]));
  await stream.none("send_result");
  for (let i = 0; i < 2; i++) {
    relay.clock.advance(period);
    expect(await results(stream, 1)).toEqual(["rejected"]);
    await stream.none("send_result", 300);
  }
  relay.clock.advance(period);
  expect(await results(stream, 1)).toEqual(["queued"]);
  await stream.close();
});

test("an accepted message ends the row", async () => {
  const { stream } = await newStream();
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < atOnce - 1; i++) send(stream, unknown());
    expect(new Set(await results(stream, atOnce - 1))).toEqual(new Set(["rejected"]));
    send(stream, message(relay, recipient.address));
    expect(await results(stream, 1)).toEqual(["queued"]);
  }
  await stream.close();
});

test("frames outside the contract count, too", async () => {
  const { stream } = await newStream();
  for (let i = 0; i < atOnce; i++) stream.send({ type: "nonsense" });
  for (let i = 0; i < atOnce; i++) await stream.next("error");
  stream.send({ type: "nonsense" });
  await stream.none("error");
  relay.clock.advance(period);
  await stream.next("error");
  await stream.close();
});

test("a stream that goes on is ended, with the time to wait, and so is the device's next one", async () => {
  const { device, stream } = await newStream();
  for (let i = 0; i < atOnce + whileSlow + 5; i++) send(stream, unknown());
  await results(stream, atOnce);
  for (let i = 1; i < whileSlow; i++) {
    relay.clock.advance(period);
    await results(stream, 1);
  }
  await stream.none("send_result", 300);
  relay.clock.advance(period);
  const refusal = await stream.next("error");
  expect(refusal).toMatchObject({ error: "RATE_LIMIT_EXCEEDED", limit: atOnce });
  expect(refusal.retry_after).toBeGreaterThan(period);
  expect(await stream.closed).toMatchObject({ code: closeCodes.tooManyRefusals.code });

  demand(await device.send(recipient.address));
  const again = await openDeviceStream(relay.url, device.token);
  send(again, unknown());
  await again.none("send_result");
  relay.clock.advance(period);
  expect(await again.closed).toMatchObject({ code: closeCodes.tooManyRefusals.code });

  relay.clock.advance((atOnce + 1) * period);
  const later = await openDeviceStream(relay.url, device.token);
  send(later, unknown());
  expect(await results(later, 1)).toEqual(["rejected"]);
  send(later, message(relay, recipient.address));
  expect(await results(later, 1)).toEqual(["queued"]);
  await later.close();
});

test("the server's own trouble is no refusal", async () => {
  const { stream } = await newStream();
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  await db.run("alter table messages rename to messages_away");
  for (let i = 0; i < 3 * atOnce; i++) {
    send(stream, message(relay, recipient.address));
    expect(await results(stream, 1)).toEqual(["rejected"]);
  }
  await db.run("alter table messages_away rename to messages");
  await db.close();
  send(stream, message(relay, recipient.address));
  expect(await results(stream, 1)).toEqual(["queued"]);
  await stream.close();
});

test("a client that fills its stream, is refused, and waits as long as it is told is not slowed down", async () => {
  const usual = await startRelay({ seeds: { SEED_STORAGE_ANNOUNCEMENT_RETENTION_HOURS: "1000" } });
  try {
    const [device, to] = [await newDevice(usual), await newDevice(usual)];
    const stream = await openDeviceStream(usual.url, device.token);
    const ids = Array.from({ length: usual.config.streamSendsInFlight }, (_, i) =>
      newMessageId(usual.clock.nowMillis() + i, new Uint8Array(10)),
    );
    let waiting: readonly string[] = ids;
    while (waiting.length > 0) {
      for (const messageId of waiting) send(stream, message(usual, to.address, { messageId }));
      const answered: SendResultFrame[] = [];
      while (answered.length < waiting.length) answered.push(await stream.next("send_result"));
      waiting = answered.filter(({ status }) => status === "rejected").map(({ message_id }) => message_id);
      usual.clock.advance(Math.max(0, ...answered.map((one) => one.retry_after ?? 0)));
    }
    const { body } = demand(await call(usual, "pollMessages", { token: to.token, query: { limit: 1000 } }));
    expect(new Set(body.messages.map(({ message_id }) => message_id))).toEqual(new Set(ids));
    await stream.close();
  } finally {
    await usual.stop();
  }
});
