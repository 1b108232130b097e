import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createDatabase, rows } from "../../src/platform/database/connection.js";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openDeviceStream } from "../support/stream.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const nowhere = `${"0".repeat(32)}@relay.test`;
const [hour, queueLimit] = [3600, 30];

let relay: TestRelay;
let recipients: TestDevice[];
let db: ReturnType<typeof createDatabase>;

beforeAll(async () => {
  relay = await startRelay({
    seeds: {
      SEED_STORAGE_ANNOUNCEMENT_RETENTION_HOURS: "1000",
      SEED_STORAGE_MESSAGE_QUEUE_LIMIT: String(queueLimit),
      SEED_RATE_LIMITING_RECIPIENTS_PER_MESSAGE: "4",
      SEED_RATE_LIMITING_BURST_ALLOWANCE: "0",
      SEED_PROGRESSIVE_TRUST_TRUSTED_TIER_LIMIT: "5",
      SEED_FEDERATION_ENABLED: "false",
    },
  });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  recipients = [];
  for (let i = 0; i < 12; i++) recipients.push(await newDevice(relay));
});

afterEach(async () => {
  for (const one of recipients) await one.ack(await queueOf(one));
});

afterAll(async () => {
  await db.destroy();
  await relay.stop();
});

interface Draft {
  id?: string;
  from?: TestDevice;
  allOrNothing?: boolean;
  changes?: Record<string, unknown>;
}

const addresses = (count = recipients.length) => recipients.slice(0, count).map(({ address }) => address);
function bodyFor(to: readonly string[], { id, allOrNothing, changes = {} }: Draft = {}) {
  const { recipient_address: _, ...content } = message(relay, "", id === undefined ? {} : { messageId: id });
  return { ...content, recipients: to, ...(allOrNothing && { all_or_nothing: true }), ...changes };
}
/** The members of a message that its recipients get. */
const sentMembers = ({ message_id, mls_ciphertext, sender_signature, timestamp }: ReturnType<typeof bodyFor>) => ({
  ...{ message_id, mls_ciphertext, sender_signature, timestamp },
});
const sendBody = (from: TestDevice, body: unknown) => call(relay, "sendMessageToMany", { token: from.token, body });
const queueOf = async (device: TestDevice) =>
  demand(await device.poll({ limit: 1000 })).body.messages.map((one) => one.message_id);
const queues = (devices: readonly TestDevice[] = recipients) => Promise.all(devices.map(queueOf));
const setAge = (device: TestDevice, hours: number) =>
  rows(db, "update devices set registered_at = registered_at - :age::bigint where device_id = :id", {
    id: device.deviceId,
    age: hours * hour,
  });
async function newSender(hours = 0): Promise<TestDevice> {
  const device = await newDevice(relay);
  await setAge(device, hours);
  return device;
}
const unlimited = async (): Promise<TestDevice> => {
  const device = await newDevice(relay);
  await rows(db, "update devices set custom_limit = 1000 where device_id = :id", { id: device.deviceId });
  return device;
};
async function fill(device: TestDevice, count = queueLimit): Promise<void> {
  const sender = await unlimited();
  const messages = Array.from({ length: count }, () => message(relay, device.address));
  const { body } = demand(await call(relay, "sendMessageBatch", { token: sender.token, body: { messages } }));
  expect(body.accepted_count).toBe(count);
}

describe("a message to many", () => {
  it("is queued for each recipient as a single message would be, and names no other recipient", async () => {
    const sender = await unlimited();
    const content = bodyFor(addresses(3), { changes: { system_event: { event: "epoch_change" } } });
    const { status, body } = await sendBody(sender, content);
    expect(status).toBe(202);
    expect(body).toEqual({
      message_id: content.message_id,
      accepted_count: 3,
      rejected_count: 0,
      recipient_statuses: addresses(3).map((recipient_address) => ({ recipient_address, status: "queued" })),
    });
    for (const one of recipients.slice(0, 3)) {
      const [queued, ...others] = demand(await one.poll()).body.messages;
      expect(others).toEqual([]);
      expect(queued).toEqual({
        message_id: content.message_id,
        mls_ciphertext: content.mls_ciphertext,
        sender_signature: content.sender_signature,
        timestamp: content.timestamp,
        received_at: expect.any(Number),
        system_event: { event: "epoch_change", extension_type: null },
      });
    }
  });

  it("is pushed to those with a stream, and the estimate of nobody else changes", async () => {
    const sender = await unlimited();
    const streams = await Promise.all(
      recipients.slice(0, 2).map((device) => openDeviceStream(relay.url, device.token)),
    );
    try {
      // Also in a size at which streams share the text of the frame, twice the same bytes under two ids.
      const large = randomBytes(100_000).toString("base64");
      const event = { event: "epoch_change", extension_type: "x" };
      const contents = [
        bodyFor(addresses(4)),
        bodyFor(addresses(4), { changes: { mls_ciphertext: large } }),
        bodyFor(addresses(4), { changes: { mls_ciphertext: large } }),
      ];
      const hinted = bodyFor(addresses(4), { changes: { mls_ciphertext: large, system_event: event } });
      for (const content of [...contents, hinted]) demand(await sendBody(sender, content));
      for (const stream of streams) {
        for (const content of contents) {
          const { data } = await stream.next("message");
          expect(data).toEqual({ ...sentMembers(content), received_at: expect.any(Number) });
        }
        const system = await stream.next("system");
        expect(system.event).toBe("epoch_change");
        expect(system.data).toEqual({ ...sentMembers(hinted), received_at: expect.any(Number), extension_type: "x" });
      }
    } finally {
      for (const stream of streams) await stream.close();
    }
  });

  it("lists recipients that cannot be reached, each with its reason, and reaches the others", async () => {
    const sender = await unlimited();
    const [good = "", better = ""] = addresses(2);
    const far = `${"0".repeat(32)}@other.example`;
    const { status, body } = await sendBody(
      sender,
      bodyFor([
        good,
        nowhere,
        "nobody",
        far,
        "a\ud800b",
        better,
        good.toUpperCase().replace("RELAY.TEST", "relay.test"),
      ]),
    );
    expect(status).toBe(202);
    expect([body.accepted_count, body.rejected_count]).toEqual([3, 4]);
    const rejected = (recipient_address: string, error: string, code: number) => ({
      recipient_address,
      status: "rejected",
      error,
      code,
    });
    expect(body.recipient_statuses.slice(0, 6)).toEqual([
      { recipient_address: good, status: "queued" },
      rejected(nowhere, "ADDRESS_NOT_FOUND", 4003),
      rejected("nobody", "INVALID_ADDRESS", 4005),
      rejected(far, "FEDERATION_DISABLED", 5003),
      rejected("a\ufffdb", "INVALID_ADDRESS", 4005),
      { recipient_address: better, status: "queued" },
    ]);
    // The same recipient in another spelling is a repetition, which is answered like the first one.
    expect(body.recipient_statuses[6]?.status).toBe("queued");
    expect(await queues(recipients.slice(0, 2))).toEqual([[body.message_id], [body.message_id]]);
  });

  it.each([
    ["no recipients", { recipients: [] }, "INVALID_REQUEST"],
    ["more than 1,000 recipients", { recipients: Array.from({ length: 1001 }, () => nowhere) }, "INVALID_REQUEST"],
    ["a recipient that is no text", { recipients: [null] }, "INVALID_REQUEST"],
    ["a malformed id", { message_id: "no id" }, "INVALID_REQUEST"],
    ["no ciphertext", { mls_ciphertext: undefined }, "INVALID_REQUEST"],
    ["a ciphertext that is not canonical", { mls_ciphertext: "AAB=" }, "INVALID_REQUEST"],
    ["a short signature", { sender_signature: "00" }, "INVALID_REQUEST"],
    ["an unknown member", { recipient_address: nowhere }, "INVALID_REQUEST"],
    ["a choice that is no boolean", { all_or_nothing: "yes" }, "INVALID_REQUEST"],
  ])("with %s is refused as a whole", async (_, changes, error) => {
    const sender = await unlimited();
    const { status, body } = await sendBody(sender, bodyFor(addresses(2), { changes }));
    expect([status, body.error]).toEqual([400, error]);
    expect(await queues()).toEqual(recipients.map(() => []));
  });

  it("is queued whole at every length, beside others at the same time", async () => {
    const sender = await unlimited();
    // Long ciphertexts to many recipients are stored in another way than short ones, or those to few.
    const sent = [1, 2, 3, 4, 8, 17, 40].flatMap((kibibytes) =>
      [12, 9, 3, 2].map((count) => {
        const mls_ciphertext = randomBytes(kibibytes * 1024 + 1).toString("base64");
        const event = { event: "epoch_change", extension_type: `${kibibytes}_to_${count}` };
        return {
          count,
          event,
          content: bodyFor(addresses(count), { changes: { mls_ciphertext, system_event: event } }),
        };
      }),
    );
    const answers = await Promise.all(sent.map(({ content }) => sendBody(sender, content)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    for (const [i, device] of recipients.entries()) {
      const got = demand(await device.poll({ limit: 1000 })).body.messages;
      const wanted = sent
        .filter(({ count }) => i < count)
        .map(({ content, event }) => ({
          ...sentMembers(content),
          received_at: expect.any(Number),
          system_event: event,
        }));
      const byId = (one: { message_id: string }, other: { message_id: string }) =>
        one.message_id < other.message_id ? -1 : 1;
      expect([...got].sort(byId)).toEqual(wanted.sort(byId));
    }
  });

  it("takes 1,000 recipients, and every one of them gets it once", async () => {
    const sender = await unlimited();
    const to = addresses().flatMap((address) => [address, ...Array.from({ length: 4 }, () => nowhere)]);
    const padded = [...to, ...Array.from({ length: 1000 - to.length }, () => "nobody")];
    const { body } = demand(await sendBody(sender, bodyFor(padded)));
    expect(body.recipient_statuses.map((one) => one.recipient_address)).toEqual(padded);
    expect(body.accepted_count).toBe(recipients.length);
    expect(await queues()).toEqual(recipients.map(() => [body.message_id]));
  });

  it("is recognised when it is repeated, whole, in parts, or as a single message", async () => {
    const sender = await unlimited();
    const content = bodyFor(addresses(3));
    const first = demand(await sendBody(sender, content)).body;
    expect(demand(await sendBody(sender, content)).body).toEqual(first);
    const wider = { ...content, recipients: addresses(5), all_or_nothing: true };
    expect(demand(await sendBody(sender, wider)).body.accepted_count).toBe(5);
    const single = { ...message(relay, addresses(1)[0] ?? "", { messageId: content.message_id }) };
    demand(await call(relay, "sendMessage", { token: sender.token, body: single }));
    expect(await queues(recipients.slice(0, 6))).toEqual([
      ...Array.from({ length: 5 }, () => [content.message_id]),
      [],
    ]);
  });
});

describe("the count of a message to many", () => {
  it.each([
    ["a New device is that of its recipients", 0, 10, "NEW"],
    ["an Established device is that of its recipients", 8, 60, "ESTABLISHED"],
  ])("of %s", async (_, hours, limit) => {
    const sender = await newSender(hours);
    const counted = await countUntilRefused(sender, 6, limit);
    expect(counted).toBe(limit);
  });

  it("of a Trusted device is one for each four recipients begun, in this relay's settings", async () => {
    const sender = await newSender(48);
    // 5 messages: of 9 recipients (3), of 1 (1), of 4 (1).
    for (const count of [9, 1, 4]) {
      expect(demand(await sendBody(sender, bodyFor(addresses(count)))).body.accepted_count).toBe(count);
    }
    const over = demand(await sendBody(sender, bodyFor(addresses(1)))).body.recipient_statuses[0];
    expect([over?.status, over?.error, over?.limit]).toEqual(["rejected", "RATE_LIMIT_EXCEEDED", 5]);
  });

  it("of a Verified device is the same from its first day", async () => {
    const sender = await newSender();
    await rows(db, "update devices set admin_verified = true where device_id = :id", { id: sender.deviceId });
    expect(demand(await sendBody(sender, bodyFor(addresses(12)))).body.accepted_count).toBe(12);
    expect(demand(await sendBody(sender, bodyFor(addresses(8)))).body.accepted_count).toBe(8);
    expect(demand(await sendBody(sender, bodyFor(addresses(1)))).body.rejected_count).toBe(1);
  });

  it("leaves out recipients that were rejected, and repetitions", async () => {
    const sender = await newSender(48);
    const content = bodyFor([...addresses(4), ...Array.from({ length: 8 }, () => nowhere)]);
    demand(await sendBody(sender, content));
    demand(await sendBody(sender, content));
    // One of five is used.
    expect(demand(await sendBody(sender, bodyFor(addresses(12)))).body.accepted_count).toBe(12);
    expect(demand(await sendBody(sender, bodyFor(addresses(4)))).body.accepted_count).toBe(4);
    expect(demand(await sendBody(sender, bodyFor(addresses(1)))).body.accepted_count).toBe(0);
  });

  it("accepts as many recipients as the rest of the limit covers", async () => {
    const sender = await newSender(48);
    for (const count of [12, 1]) demand(await sendBody(sender, bodyFor(addresses(count))));
    const { body } = demand(await sendBody(sender, bodyFor(addresses(12))));
    expect([body.accepted_count, body.rejected_count]).toEqual([4, 8]);
  });
});

/** Sends to `each` recipients until one is refused; gives the number that was accepted, at most a little over `most`. */
async function countUntilRefused(sender: TestDevice, each: number, most: number): Promise<number> {
  let sum = 0;
  while (sum <= most) {
    const { body } = demand(await sendBody(sender, bodyFor(addresses(each))));
    sum += body.accepted_count;
    if (body.rejected_count > 0) return sum;
  }
  return sum;
}

describe("all or nothing", () => {
  it("refuses the whole for the sender's limit, and counts nothing", async () => {
    const sender = await newSender();
    const refused = await sendBody(sender, bodyFor([nowhere, ...addresses(11)], { allOrNothing: true }));
    expect([refused.status, refused.body.error, refused.body.code, refused.body["limit"]]).toEqual([
      429,
      "RATE_LIMIT_EXCEEDED",
      4004,
      10,
    ]);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(await queues()).toEqual(recipients.map(() => []));
    expect(demand(await sendBody(sender, bodyFor(addresses(10), { allOrNothing: true }))).body.accepted_count).toBe(10);
  });

  it("refuses the whole for a full queue, and names the recipients at fault", async () => {
    const sender = await newSender();
    await fill(recipients[3] as TestDevice);
    const content = bodyFor([...addresses(5), nowhere], { allOrNothing: true });
    for (let i = 0; i < 3; i++) {
      const { status, body } = await sendBody(sender, content);
      expect([status, body.error, body.code]).toEqual([507, "QUEUE_FULL", 5004]);
      expect(body["details"]).toEqual([{ path: "body/recipients/3", message: expect.any(String) }]);
    }
    expect(await queues(recipients.filter((_, i) => i !== 3))).toEqual(Array.from({ length: 11 }, () => []));
    // Nothing was counted or remembered: the same message goes through once there is room.
    const [first = ""] = await queueOf(recipients[3] as TestDevice);
    await recipients[3]?.ack([first]);
    const { body } = demand(await sendBody(sender, content));
    expect([body.accepted_count, body.rejected_count]).toEqual([5, 1]);
  });

  it("only lists recipients that cannot be reached", async () => {
    const sender = await newSender();
    const { status, body } = await sendBody(
      sender,
      bodyFor([nowhere, ...addresses(2), "nobody", `${"0".repeat(32)}@other.example`], { allOrNothing: true }),
    );
    expect(status).toBe(202);
    expect(body.recipient_statuses.map(({ error }) => error)).toEqual([
      "ADDRESS_NOT_FOUND",
      undefined,
      undefined,
      "INVALID_ADDRESS",
      "FEDERATION_DISABLED",
    ]);
  });

  it("holds against any other messages that are sent at the same time: never a part", async () => {
    const plan = fc.array(
      fc.record({
        sender: fc.nat(3),
        to: fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 8 }),
        whole: fc.boolean(),
      }),
      { minLength: 8, maxLength: 24 },
    );
    await fc.assert(
      fc.asyncProperty(plan, async (messages) => {
        const senders = await Promise.all([newSender(), newSender(), newSender(48), unlimited()]);
        const queued = recipients.slice(0, 8);
        for (const one of queued) await one.ack(await queueOf(one));
        // Two queues have little room, so that both limits are reached.
        await fill(queued[0] as TestDevice, queueLimit - 3);
        await fill(queued[5] as TestDevice, queueLimit - 1);
        const sent = await Promise.all(
          messages.map(async ({ sender, to, whole }) => {
            const body = bodyFor(
              to.map((i) => queued[i]?.address ?? ""),
              { allOrNothing: whole },
            );
            const answer = await sendBody(senders[sender] as TestDevice, body);
            return { id: body.message_id, to, whole, answer };
          }),
        );
        const held = (await queues(queued)).map((ids) => new Set(ids));
        for (const { id, to, whole, answer } of sent) {
          const has = to.map((i) => held[i]?.has(id) === true);
          if (answer.status !== 202) {
            expect([429, 507]).toContain(answer.status);
            expect(whole).toBe(true);
            expect(has).not.toContain(true);
            continue;
          }
          expect(answer.body.recipient_statuses.map(({ status }) => status === "queued")).toEqual(has);
          if (whole) expect(has).not.toContain(false);
        }
      }),
      { numRuns: 8 },
    );
  });
});

describe("a large message to many", () => {
  it("takes no more room on its way than one copy of it", async () => {
    const bytes = 3 * 1024 * 1024;
    // There is room for three copies and a little: where each recipient had one of its own, the third message that
    // waits would be refused as OVERLOADED.
    const small = await startRelay({
      intakeBufferBytes: 3 * bytes + 1024,
      bodyBytesPerCaller: 3 * 2 * bytes,
      seeds: { SEED_RATE_LIMITING_ENABLED: "false" },
    });
    try {
      const sender = await newDevice(small);
      const to: TestDevice[] = [];
      for (let i = 0; i < 50; i++) to.push(await newDevice(small));
      const ciphertext = randomBytes(bytes).toString("base64");
      const send = () =>
        call(small, "sendMessageToMany", {
          token: sender.token,
          body: {
            ...bodyFor(to.map(({ address }) => address)),
            mls_ciphertext: ciphertext,
          },
        });
      const answers = await Promise.all([send(), send(), send()]);
      expect(answers.map(({ status, body }) => [status, body.accepted_count])).toEqual(answers.map(() => [202, 50]));
      const first = demand(await (to[49] as TestDevice).poll({ limit: 1 })).body.messages[0];
      expect(first?.mls_ciphertext === ciphertext).toBe(true);
    } finally {
      await small.stop();
    }
  });
});
