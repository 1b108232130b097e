import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openDeviceStream, type TestStream } from "../support/stream.js";
import { until } from "../support/until.js";

let relay: TestRelay;
let other: TestRelay;
let db: Database;
beforeAll(async () => {
  relay = await startRelay({ onlineMessagesPerSend: 10 });
  other = await startRelay({ ...relay.config, databaseUrl: relay.databaseUrl }, { clock: relay.clock });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
});
afterAll(async () => {
  await db.close();
  await other.stop();
  await relay.stop();
});

const withLifetime = (recipient: string, seconds: unknown) => ({
  ...message(relay, recipient),
  expires_in_seconds: seconds,
});
const send = (from: TestDevice, body: object) => call(relay, "sendMessage", { token: from.token, body });
const queued = async (device: TestDevice) => demand(await device.poll()).body.messages.map((one) => one.message_id);
const storedMessages = async () =>
  (await db.one<{ count: number }>("select count(*)::integer as count from messages"))?.count;

/** Sends one online-only message, which arrives although two nodes that have just started have no link yet. */
async function arrives(from: TestDevice, to: TestDevice, stream: TestStream): Promise<void> {
  const draft = withLifetime(to.address, 0);
  expect(demand(await send(from, draft)).body).toMatchObject({ status: "queued", delivery_estimate: "delayed" });
  const { data } = await stream.next("message");
  expect(data).toMatchObject({ online: true, message_id: draft.message_id, mls_ciphertext: draft.mls_ciphertext });
}

describe("an online-only message", () => {
  test.each(["this node", "another node"])("reaches an open stream on %s, and nothing is stored", async (where) => {
    const [sender, recipient] = [await newDevice(relay), await newDevice(relay)];
    const at = where === "this node" ? relay : other;
    const stream = await openDeviceStream(at.url, recipient.token);
    expect(await stream.next("status")).toMatchObject({ queue_empty: true });
    await arrives(sender, recipient, stream);
    expect(await queued(recipient)).toEqual([]);
    expect(await storedMessages()).toBe(0);
    const plain = demand(await sender.send(recipient.address)).body.message_id;
    const isPlain = ({ data }: { data: { message_id: string } }) => data.message_id === plain;
    await until(async () => stream.all("message").some(isPlain), "the plain message arrives");
    expect(stream.all("message").find(isPlain)?.data).not.toHaveProperty("online");
    expect(await stream.ack(plain)).toBe(true);
    await stream.close();
  });

  test("is accepted and dropped if there is no stream", async () => {
    const [sender, recipient] = [await newDevice(relay), await newDevice(relay)];
    expect((await send(sender, withLifetime(recipient.address, 0))).body).toMatchObject({ status: "queued" });
    expect(await queued(recipient)).toEqual([]);
    const stream = await openDeviceStream(relay.url, recipient.token);
    expect(await stream.next("status")).toMatchObject({ queue_empty: true });
    expect(stream.all("message")).toEqual([]);
    await stream.close();
  });

  test("goes by batch, to many and by stream as well", async () => {
    const [sender, recipient] = [await newDevice(relay), await newDevice(relay)];
    const receiving = await openDeviceStream(relay.url, recipient.token);
    const sending = await openDeviceStream(relay.url, sender.token);
    const { token } = sender;
    const [single, stored] = [withLifetime(recipient.address, 0), message(relay, recipient.address)];
    const batch = await call(relay, "sendMessageBatch", { token, body: { messages: [single, stored] } });
    expect(demand(batch).body).toMatchObject({ accepted_count: 2 });
    const { recipient_address: _, ...content } = withLifetime(recipient.address, 0);
    const many = { ...content, recipients: [recipient.address, `${crypto.randomUUID()}@relay.test`] };
    const answer = demand(await call(relay, "sendMessageToMany", { token, body: many })).body;
    expect(answer.recipient_statuses.map(({ status, error }) => error ?? status)).toEqual([
      "queued",
      "ADDRESS_NOT_FOUND",
    ]);
    const framed = withLifetime(recipient.address, 0);
    sending.send({ type: "send", message: framed });
    expect(await sending.next("send_result")).toMatchObject({ status: "queued" });
    const ids = new Set<string>();
    while (ids.size < 4) ids.add((await receiving.next("message")).data.message_id);
    expect(ids).toEqual(new Set([single, stored, content, framed].map(({ message_id }) => message_id)));
    expect(await queued(recipient)).toEqual([stored.message_id]);
    await sending.close();
    await receiving.close();
  });

  test("counts in a limit of its own", async () => {
    const [sender, recipient] = [await newDevice(relay), await newDevice(relay)];
    for (let i = 0; i < 100; i++) demand(await send(sender, withLifetime(recipient.address, 0)));
    const refused = await send(sender, withLifetime(recipient.address, 0));
    expect(refused.body).toMatchObject({ error: "RATE_LIMIT_EXCEEDED", limit: 100 });
    const { limits } = demand(await call(relay, "getLimits", { token: sender.token })).body;
    expect(limits.find(({ name }) => name === "online_messages")).toMatchObject({ limit: 100, remaining: 0 });
    expect(refused.headers.get("ratelimit")).toContain('"online_messages";r=0');
    for (let i = 0; i < 10; i++) demand(await sender.send(recipient.address));
    expect((await sender.send(recipient.address)).status).toBe(429);
    relay.clock.advance(3_601);
    await sender.announce();
    demand(await send(sender, withLifetime(recipient.address, 0)));
  });

  test("is refused without federation, for an unknown address, and above 32 KiB", async () => {
    const [sender, recipient] = [await newDevice(relay), await newDevice(relay)];
    const elsewhere = `${crypto.randomUUID()}@elsewhere.example`;
    expect((await send(sender, withLifetime(elsewhere, 0))).body.error).toBe("FEDERATION_DISABLED");
    const nowhere = `${crypto.randomUUID()}@relay.test`;
    expect((await send(sender, withLifetime(nowhere, 0))).body.error).toBe("ADDRESS_NOT_FOUND");
    const large = message(relay, recipient.address, { ciphertext: new Uint8Array(32 * 1024 + 1) });
    expect((await send(sender, { ...large, expires_in_seconds: 0 })).body.error).toBe("MESSAGE_TOO_LARGE");
  });
});

test("a message expires after its lifetime, and never later than the server's retention", async () => {
  const [sender, recipient] = [await newDevice(relay), await newDevice(relay)];
  const short = demand(await send(sender, withLifetime(recipient.address, 60))).body.message_id;
  const long = demand(await send(sender, withLifetime(recipient.address, 31_536_000))).body.message_id;
  expect(await queued(recipient)).toEqual([short, long]);
  relay.clock.advance(61);
  expect(await queued(recipient)).toEqual([long]);
  const kept = await db.one<{ seconds: number }>(
    "select expires_at - received_at as seconds from messages where message_id = :long::uuid",
    { long },
  );
  expect(kept?.seconds).toBe(30 * 86_400);
});

test.each([
  ["that came while the stream was open", "this node", false],
  ["that came to a stream on another node", "another node", false],
  ["that was read from the queue", "this node", true],
])("a message %s and expires behind a full window is never pushed", async (_, where, isQueuedFirst) => {
  const [sender, another, recipient] = [await newDevice(relay), await newDevice(relay), await newDevice(relay)];
  const open = () => openDeviceStream((where === "this node" ? relay : other).url, recipient.token);
  const sendAll = async (stream: TestStream | undefined) => {
    const messages = Array.from({ length: 10 }, () => message(relay, recipient.address));
    demand(await call(relay, "sendMessageBatch", { token: sender.token, body: { messages } }));
    await until(async () => stream === undefined || stream.all("message").length === 10, "the window is full");
    const body = { messages: [withLifetime(recipient.address, 30), message(relay, recipient.address)] };
    const { message_statuses } = demand(await call(relay, "sendMessageBatch", { token: another.token, body })).body;
    return message_statuses.map(({ message_id }) => message_id);
  };
  const early = isQueuedFirst ? await sendAll(undefined) : undefined;
  const stream = await open();
  const [expired, kept] = early ?? (await sendAll(stream));
  await until(async () => stream.all("message").length === 10, "the window is full");
  relay.clock.advance(31);
  const pushed = () => stream.all("message").map(({ data }) => data.message_id);
  expect(await stream.ack(pushed()[0] ?? "")).toBe(true);
  await until(async () => pushed().length > 10, "the next message is pushed");
  expect(pushed().slice(10)).toEqual([kept]);
  expect(await queued(recipient)).not.toContain(expired);
  for (const id of pushed().slice(1)) expect(await stream.ack(id)).toBe(true);
  await until(async () => stream.all("status").some((frame) => frame.queue_empty), "the queue is empty");
  await stream.close();
});

test("a lifetime outside the range is refused; in a batch it rejects its message alone", async () => {
  const [sender, recipient] = [await newDevice(relay), await newDevice(relay)];
  for (const seconds of [-1, 31_536_001, 0.5, "60"]) {
    expect((await send(sender, withLifetime(recipient.address, seconds))).body.error).toBe("INVALID_REQUEST");
  }
  const messages = [withLifetime(recipient.address, -1), withLifetime(recipient.address, 60)];
  const { body } = demand(await call(relay, "sendMessageBatch", { token: sender.token, body: { messages } }));
  expect(body.message_statuses.map(({ status, error }) => error ?? status)).toEqual(["INVALID_REQUEST", "queued"]);
});
