import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { call } from "../support/api.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { startRelay } from "../support/relay.js";
import { openDeviceStream } from "../support/stream.js";
import { nowhere, sentMembers, startToManyFixture, type ToManyFixture } from "./to-many-fixture.js";

let many: ToManyFixture;
beforeAll(async () => {
  many = await startToManyFixture();
});
afterEach(() => many.emptyQueues());
afterAll(() => many.stop());

describe("a message to many", () => {
  it("is queued for each recipient as a single message would be, and names no other recipient", async () => {
    const sender = await many.unlimited();
    const content = many.bodyFor(many.addresses(3), { changes: { system_event: { event: "epoch_change" } } });
    const { status, body } = await many.sendBody(sender, content);
    expect(status).toBe(202);
    expect(body).toEqual({
      message_id: content.message_id,
      accepted_count: 3,
      rejected_count: 0,
      recipient_statuses: many.addresses(3).map((recipient_address) => ({ recipient_address, status: "queued" })),
    });
    for (const one of many.recipients.slice(0, 3)) {
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
    const sender = await many.unlimited();
    const streams = await Promise.all(
      many.recipients.slice(0, 2).map((device) => openDeviceStream(many.relay.url, device.token)),
    );
    try {
      // Also in a size at which streams share the text of the frame, twice the same bytes under two ids.
      const large = randomBytes(100_000).toString("base64");
      const event = { event: "epoch_change", extension_type: "x" };
      const contents = [
        many.bodyFor(many.addresses(4)),
        many.bodyFor(many.addresses(4), { changes: { mls_ciphertext: large } }),
        many.bodyFor(many.addresses(4), { changes: { mls_ciphertext: large } }),
      ];
      const hinted = many.bodyFor(many.addresses(4), { changes: { mls_ciphertext: large, system_event: event } });
      for (const content of [...contents, hinted]) demand(await many.sendBody(sender, content));
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
    const sender = await many.unlimited();
    const [good = "", better = ""] = many.addresses(2);
    const far = `${"0".repeat(32)}@other.example`;
    const { status, body } = await many.sendBody(
      sender,
      many.bodyFor([
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
    expect(await many.queues(many.recipients.slice(0, 2))).toEqual([[body.message_id], [body.message_id]]);
  });

  it.each([
    ["no recipients", { recipients: [] }, "INVALID_REQUEST"],
    ["more than 1,000 recipients", { recipients: Array.from({ length: 1001 }, () => nowhere) }, "INVALID_REQUEST"],
    ["a recipient that is no text", { recipients: [null] }, "INVALID_REQUEST"],
    ["a malformed id", { message_id: "no id" }, "INVALID_REQUEST"],
    ["no ciphertext", { mls_ciphertext: undefined }, "INVALID_REQUEST"],
    ["a ciphertext that is not canonical", { mls_ciphertext: "AAB=" }, "INVALID_REQUEST"],
    ["no signature", { sender_signature: "" }, "INVALID_REQUEST"],
    ["an unknown member", { recipient_address: nowhere }, "INVALID_REQUEST"],
    ["a choice that is no boolean", { all_or_nothing: "yes" }, "INVALID_REQUEST"],
  ])("with %s is refused as a whole", async (_, changes, error) => {
    const sender = await many.unlimited();
    const { status, body } = await many.sendBody(sender, many.bodyFor(many.addresses(2), { changes }));
    expect([status, body.error]).toEqual([400, error]);
    expect(await many.queues()).toEqual(many.recipients.map(() => []));
  });

  it("is queued whole at every length, beside others at the same time", async () => {
    const sender = await many.unlimited();
    // Long ciphertexts to many recipients are stored in another way than short ones, or those to few.
    const sent = [1, 2, 3, 4, 8, 17, 40].flatMap((kibibytes) =>
      [12, 9, 3, 2].map((count) => {
        const mls_ciphertext = randomBytes(kibibytes * 1024 + 1).toString("base64");
        const event = { event: "epoch_change", extension_type: `${kibibytes}_to_${count}` };
        return {
          count,
          event,
          content: many.bodyFor(many.addresses(count), { changes: { mls_ciphertext, system_event: event } }),
        };
      }),
    );
    const answers = await Promise.all(sent.map(({ content }) => many.sendBody(sender, content)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
    for (const [i, device] of many.recipients.entries()) {
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
    const sender = await many.unlimited();
    const to = many.addresses().flatMap((address) => [address, ...Array.from({ length: 4 }, () => nowhere)]);
    const padded = [...to, ...Array.from({ length: 1000 - to.length }, () => "nobody")];
    const { body } = demand(await many.sendBody(sender, many.bodyFor(padded)));
    expect(body.recipient_statuses.map((one) => one.recipient_address)).toEqual(padded);
    expect(body.accepted_count).toBe(many.recipients.length);
    expect(await many.queues()).toEqual(many.recipients.map(() => [body.message_id]));
  });

  it("is recognised when it is repeated, whole, in parts, or as a single message", async () => {
    const sender = await many.unlimited();
    const content = many.bodyFor(many.addresses(3));
    const first = demand(await many.sendBody(sender, content)).body;
    expect(demand(await many.sendBody(sender, content)).body).toEqual(first);
    const wider = { ...content, recipients: many.addresses(5), all_or_nothing: true };
    expect(demand(await many.sendBody(sender, wider)).body.accepted_count).toBe(5);
    const single = { ...message(many.relay, many.addresses(1)[0] ?? "", { messageId: content.message_id }) };
    demand(await call(many.relay, "sendMessage", { token: sender.token, body: single }));
    expect(await many.queues(many.recipients.slice(0, 6))).toEqual([
      ...Array.from({ length: 5 }, () => [content.message_id]),
      [],
    ]);
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
            ...many.bodyFor(to.map(({ address }) => address)),
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
