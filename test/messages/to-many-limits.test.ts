import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/api.js";
import { demand, message, type TestDevice } from "../support/device.js";
import { limitsOf } from "../support/rate-limit-headers.js";
import { nowhere, queueLimit, queueOf, startToManyFixture, type ToManyFixture } from "./to-many-fixture.js";

let many: ToManyFixture;
beforeAll(async () => {
  many = await startToManyFixture();
});
afterEach(() => many.emptyQueues());
afterAll(() => many.stop());

describe("the count of a message to many", () => {
  it.each([
    ["a New device is that of its recipients", 0, 10, "NEW"],
    ["an Established device is that of its recipients", 8, 60, "ESTABLISHED"],
  ])("of %s", async (_, hours, limit) => {
    const sender = await many.newSender(hours);
    const counted = await countUntilRefused(sender, 6, limit);
    expect(counted).toBe(limit);
  });

  it("of a Trusted device is one for each four recipients begun, in this relay's settings", async () => {
    const sender = await many.newSender(48);
    // 5 messages: of 9 recipients (3), of 1 (1), of 4 (1).
    for (const count of [9, 1, 4]) {
      expect(demand(await many.sendBody(sender, many.bodyFor(many.addresses(count)))).body.accepted_count).toBe(count);
    }
    const over = demand(await many.sendBody(sender, many.bodyFor(many.addresses(1)))).body.recipient_statuses[0];
    expect([over?.status, over?.error, over?.limit]).toEqual(["rejected", "RATE_LIMIT_EXCEEDED", 5]);
  });

  it("of a Verified device is the same from its first day", async () => {
    const sender = await many.newSender();
    await many.db.run("update devices set admin_verified = true where device_id = :id", { id: sender.deviceId });
    expect(demand(await many.sendBody(sender, many.bodyFor(many.addresses(12)))).body.accepted_count).toBe(12);
    expect(demand(await many.sendBody(sender, many.bodyFor(many.addresses(8)))).body.accepted_count).toBe(8);
    expect(demand(await many.sendBody(sender, many.bodyFor(many.addresses(1)))).body.rejected_count).toBe(1);
  });

  it("leaves out recipients that were rejected, and repetitions", async () => {
    const sender = await many.newSender(48);
    const content = many.bodyFor([...many.addresses(4), ...Array.from({ length: 8 }, () => nowhere)]);
    demand(await many.sendBody(sender, content));
    demand(await many.sendBody(sender, content));
    // One of five is used.
    expect(demand(await many.sendBody(sender, many.bodyFor(many.addresses(12)))).body.accepted_count).toBe(12);
    expect(demand(await many.sendBody(sender, many.bodyFor(many.addresses(4)))).body.accepted_count).toBe(4);
    expect(demand(await many.sendBody(sender, many.bodyFor(many.addresses(1)))).body.accepted_count).toBe(0);
  });

  it("counts unknown recipients and repetitions by the same shares, also of copies", async () => {
    const sender = await many.newSender(48);
    const unknown = Array.from({ length: 9 }, () => `${crypto.randomUUID()}@relay.test`);
    const one = await many.sendBody(sender, many.bodyFor(unknown));
    expect(limitsOf(one)["misses"]?.remaining).toBe(15 - 3);
    const messages = unknown.map((address) => message(many.relay, address));
    const body = { messages, one_message: true };
    const copies = await call(many.relay, "sendMessageBatch", { token: sender.token, body });
    expect(limitsOf(copies)["misses"]?.remaining).toBe(15 - 6);
  });

  it.each([
    ["that has sent nothing", 0],
    ["that has sent before", 1],
  ])("by a device %s is refused for the same reason however lately a queue was seen full", async (_, before) => {
    const full = many.recipients[11] as TestDevice;
    await many.fill(full);
    const errors: unknown[] = [];
    for (let i = 0; i < 2; i++) {
      const sender = await many.newSender();
      for (let j = 0; j < before; j++) demand(await sender.send(many.recipients[0]?.address ?? ""));
      const { body } = demand(await many.sendBody(sender, many.bodyFor(many.addresses())));
      errors.push(body.recipient_statuses.at(-1)?.error);
      await many.emptyQueuesBut(full);
      // Now this node has seen that the queue is full.
      expect((await (await many.newSender()).send(full.address)).status).toBe(507);
    }
    expect(errors).toEqual(["RATE_LIMIT_EXCEEDED", "RATE_LIMIT_EXCEEDED"]);
  });

  it("accepts as many recipients as the rest of the limit covers", async () => {
    const sender = await many.newSender(48);
    for (const count of [12, 1]) demand(await many.sendBody(sender, many.bodyFor(many.addresses(count))));
    const { body } = demand(await many.sendBody(sender, many.bodyFor(many.addresses(12))));
    expect([body.accepted_count, body.rejected_count]).toEqual([4, 8]);
  });
});

describe("copies of one message in a batch", () => {
  const copiesFor = (to: readonly string[], changes: Record<string, unknown> = {}) =>
    to.map((address) => ({ ...message(many.relay, address), ...changes }));
  const sendCopies = async (from: TestDevice, messages: readonly object[], oneMessage = true) =>
    demand(
      await call(many.relay, "sendMessageBatch", { token: from.token, body: { messages, one_message: oneMessage } }),
    ).body;

  it.each([
    ["a Trusted device", 48, 4],
    ["an Established device", 8, 1],
  ])("count what one message to as many recipients counts, for %s", async (_, hours, perMessage) => {
    const [linkable, sealed] = [await many.newSender(hours), await many.newSender(hours)];
    const to = many.addresses(9);
    const plain = await many.sendBody(linkable, many.bodyFor(to));
    const copies = await call(many.relay, "sendMessageBatch", {
      token: sealed.token,
      body: { messages: copiesFor(to), one_message: true },
    });
    expect(demand(copies).body.accepted_count).toBe(9);
    const left = [plain, copies].map((answer) => limitsOf(answer)["messages"]?.remaining);
    expect(left[0]).toBe(left[1]);
    expect(left[1]).toBe((hours === 48 ? 5 : 60) - Math.ceil(9 / perMessage));
  });

  it("count one by one unless the request says that they are copies", async () => {
    const sender = await many.newSender(48);
    expect((await sendCopies(sender, copiesFor(many.addresses(9)), false)).accepted_count).toBe(5);
  });

  it("have one recipient each", async () => {
    const sender = await many.newSender(48);
    const [one = "", other = ""] = many.addresses(2);
    const { message_statuses: statuses } = await sendCopies(
      sender,
      copiesFor([one, other, one.toUpperCase(), nowhere]),
    );
    expect(statuses.map(({ status, error }) => error ?? status)).toEqual([
      ...["queued", "queued", "INVALID_REQUEST"],
      "ADDRESS_NOT_FOUND",
    ]);
  });

  it("count by the longest of them", async () => {
    const sender = await many.newSender(48);
    const bytes = (count: number) => Buffer.alloc(count, 7).toString("base64");
    const [first, ...others] = copiesFor(many.addresses(12), { mls_ciphertext: bytes(300 * 1024) });
    const answer = await sendCopies(sender, [
      ...others.map((one) => ({ ...one, mls_ciphertext: bytes(9) })),
      first ?? {},
    ]);
    // Three of 300 KiB fit in a mebibyte: of twelve, each third begins another of the four that are counted.
    expect(answer.accepted_count).toBe(12);
    expect((await sendCopies(sender, copiesFor(many.addresses(12)))).accepted_count).toBe(4);
  });
});

/** Sends to `each` recipients until one is refused; gives the number that was accepted, at most a little over `max`. */
async function countUntilRefused(sender: TestDevice, each: number, max: number): Promise<number> {
  let sum = 0;
  while (sum <= max) {
    const { body } = demand(await many.sendBody(sender, many.bodyFor(many.addresses(each))));
    sum += body.accepted_count;
    if (body.rejected_count > 0) return sum;
  }
  return sum;
}

describe("all or nothing", () => {
  it("refuses the whole for the sender's limit, and counts nothing", async () => {
    const sender = await many.newSender();
    const refused = await many.sendBody(sender, many.bodyFor([nowhere, ...many.addresses(11)], { allOrNothing: true }));
    expect([refused.status, refused.body.error, refused.body.code, refused.body["limit"]]).toEqual([
      429,
      "RATE_LIMIT_EXCEEDED",
      4004,
      10,
    ]);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(await many.queues()).toEqual(many.recipients.map(() => []));
    expect(
      demand(await many.sendBody(sender, many.bodyFor(many.addresses(10), { allOrNothing: true }))).body.accepted_count,
    ).toBe(10);
  });

  it("refuses the whole for a full queue, and names the recipients at fault", async () => {
    const sender = await many.newSender();
    await many.fill(many.recipients[3] as TestDevice);
    const content = many.bodyFor([...many.addresses(5), nowhere], { allOrNothing: true });
    for (let i = 0; i < 3; i++) {
      const { status, body } = await many.sendBody(sender, content);
      expect([status, body.error, body.code]).toEqual([507, "QUEUE_FULL", 5004]);
      expect(body["details"]).toEqual([{ path: "body/recipients/3", message: expect.any(String) }]);
    }
    expect(await many.queues(many.recipients.filter((_, i) => i !== 3))).toEqual(Array.from({ length: 11 }, () => []));
    // Nothing was counted or remembered: the same message goes through once there is room.
    const [first = ""] = await queueOf(many.recipients[3] as TestDevice);
    await many.recipients[3]?.ack([first]);
    const { body } = demand(await many.sendBody(sender, content));
    expect([body.accepted_count, body.rejected_count]).toEqual([5, 1]);
  });

  it("refuses for the sender's limit before it looks at queues", async () => {
    const sender = await many.newSender();
    await many.fill(many.recipients[0] as TestDevice);
    const { status, body } = await many.sendBody(sender, many.bodyFor(many.addresses(), { allOrNothing: true }));
    expect([status, body.error, body["details"]]).toEqual([429, "RATE_LIMIT_EXCEEDED", undefined]);
  });

  it("names no recipient that was refused for the sender's limit", async () => {
    const sender = await many.newSender();
    await many.fill(many.recipients[0] as TestDevice);
    const { status, body } = await many.sendBody(sender, many.bodyFor(many.addresses(11), { allOrNothing: true }));
    expect([status, body.error]).toEqual([507, "QUEUE_FULL"]);
    expect(body["details"]).toEqual([{ path: "body/recipients/0", message: expect.any(String) }]);
  });

  it("counts the recipients of a message refused for a full queue, until nothing is told about queues", async () => {
    const sender = await many.newSender();
    await many.fill(many.recipients[0] as TestDevice);
    await many.fill(many.recipients[4] as TestDevice);
    const probe = () => many.sendBody(sender, many.bodyFor([...many.addresses(9), nowhere], { allOrNothing: true }));
    const left: (number | undefined)[] = [];
    for (let i = 0; i < 3; i++) {
      const refused = await probe();
      expect([refused.status, (refused.body["details"] as unknown[]).length]).toEqual([507, 2]);
      left.push(limitsOf(refused)["misses"]?.remaining);
    }
    expect(left).toEqual([20, 10, 0]);
    for (let i = 0; i < 2; i++) {
      const { status, body, headers } = await probe();
      expect([status, body.error, body["details"]]).toEqual([429, "RATE_LIMIT_EXCEEDED", undefined]);
      expect(limitsOf({ headers })["messages"]?.remaining).toBe(10);
    }
    // Messages that fit are not concerned.
    const fits = many.bodyFor([...many.addresses(4).slice(1)], { allOrNothing: true });
    expect(demand(await many.sendBody(sender, fits)).body.accepted_count).toBe(3);
  });

  it("counts them for a Trusted device as it counts its messages", async () => {
    const sender = await many.newSender(48);
    await many.fill(many.recipients[0] as TestDevice);
    const refused = await many.sendBody(sender, many.bodyFor(many.addresses(9), { allOrNothing: true }));
    expect([refused.status, limitsOf(refused)["misses"]?.remaining]).toEqual([507, 15 - 3]);
  });

  it("only lists recipients that cannot be reached", async () => {
    const sender = await many.newSender();
    const { status, body } = await many.sendBody(
      sender,
      many.bodyFor([nowhere, ...many.addresses(2), "nobody", `${"0".repeat(32)}@other.example`], {
        allOrNothing: true,
      }),
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
        const senders = await Promise.all([many.newSender(), many.newSender(), many.newSender(48), many.unlimited()]);
        const queued = many.recipients.slice(0, 8);
        for (const one of queued) await one.ack(await queueOf(one));
        // Two queues have little room, so that both limits are reached.
        await many.fill(queued[0] as TestDevice, queueLimit - 3);
        await many.fill(queued[5] as TestDevice, queueLimit - 1);
        const sent = await Promise.all(
          messages.map(async ({ sender, to, whole }) => {
            const body = many.bodyFor(
              to.map((i) => queued[i]?.address ?? ""),
              { allOrNothing: whole },
            );
            const answer = await many.sendBody(senders[sender] as TestDevice, body);
            return { id: body.message_id, to, whole, answer };
          }),
        );
        const held = (await many.queues(queued)).map((ids) => new Set(ids));
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
