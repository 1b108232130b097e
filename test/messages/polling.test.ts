import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routes } from "../../generated/routes.js";
import { call } from "../support/api.js";
import { type Draft, demand, message, newDevice, type TestDevice } from "../support/device.js";
import { expectDuring, timed } from "../support/during.js";
import { startRelay, type TestRelay } from "../support/relay.js";

let relay: TestRelay;
let sender: TestDevice;

beforeAll(async () => {
  relay = await startRelay({ seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
  sender = await newDevice(relay);
});

afterAll(() => relay.stop());

async function fill(device: TestDevice, count: number, bytes = 10): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const { body } = demand(await sender.send(device.address, { ciphertext: new Uint8Array(bytes).fill(i) }));
    ids.push(body.message_id);
  }
  return ids;
}
const idsOf = (page: { body: { messages: { message_id: string }[] } }) =>
  page.body.messages.map((one) => one.message_id);

describe("a poll", () => {
  it("of an empty queue returns no messages and an interval of 60", async () => {
    const device = await newDevice(relay);
    const polling = await timed(relay.clock, () => device.poll());
    const { status, body } = polling.result;
    expect(status).toBe(200);
    expect(body).toEqual({
      messages: [],
      has_more: false,
      next_poll_interval: 60,
      server_timestamp: body.server_timestamp,
    });
    expectDuring(body.server_timestamp, polling);
  });

  it("returns unacknowledged messages again, oldest first", async () => {
    const device = await newDevice(relay);
    const ids = await fill(device, 5);
    expect(idsOf(await device.poll())).toEqual(ids);
    expect(demand(await device.poll()).body.next_poll_interval).toBe(30);
    await device.ack([ids[1] ?? "", ids[2] ?? ""]);
    expect(idsOf(await device.poll())).toEqual([ids[0], ids[3], ids[4]]);
  });

  it("returns at most limit messages, and says whether there are more", async () => {
    const device = await newDevice(relay);
    const ids = await fill(device, 4);
    const first = await device.poll({ limit: 3 });
    expect([idsOf(first), first.body.has_more]).toEqual([ids.slice(0, 3), true]);
    const whole = await device.poll({ limit: 4 });
    expect([idsOf(whole), whole.body.has_more]).toEqual([ids, false]);
  });

  it("returns 100 messages if it names no limit", async () => {
    const device = await newDevice(relay);
    const drafts = await fill(device, 101);
    const page = await device.poll();
    expect([idsOf(page), page.body.has_more]).toEqual([drafts.slice(0, 100), true]);
  });

  it("with since leaves out messages received earlier", async () => {
    const device = await newDevice(relay);
    const [early = ""] = await fill(device, 1);
    relay.clock.advance(100);
    const since = relay.clock.nowSeconds();
    const late = await fill(device, 2);
    expect(idsOf(await device.poll({ since }))).toEqual(late);
    expect(idsOf(await device.poll({ since: 0 }))).toEqual([early, ...late]);
    expect(idsOf(await device.poll({ since: since + 1000 }))).toEqual([]);
    const part = await device.poll({ since, limit: 1 });
    expect([idsOf(part), part.body.has_more]).toEqual([late.slice(0, 1), true]);
  });

  it("ends a page at 16 MiB of ciphertext, but holds at least one message", async () => {
    const device = await newDevice(relay);
    const mebibyte = 1024 * 1024;
    const ids = await fill(device, 3, 6 * mebibyte);
    const first = await device.poll();
    expect([idsOf(first), first.body.has_more]).toEqual([ids.slice(0, 2), true]);
    await device.ack(ids.slice(0, 2));
    const rest = await device.poll();
    expect([idsOf(rest), rest.body.has_more]).toEqual([ids.slice(2), false]);
    expect(rest.body.messages[0]?.mls_ciphertext).toBe(Buffer.alloc(6 * mebibyte, 2).toString("base64"));
  });

  it("returns messages exactly as they were sent, however long their ciphertexts are", async () => {
    const device = await newDevice(relay);
    const lookalikes: Draft[] = [
      {},
      { senderSignature: `"mls_ciphertext":"" \\` },
      { systemEvent: { event: "epoch_change", extension_type: null } },
      { systemEvent: { event: "member_added", extension_type: `","mls_ciphertext":"\\` } },
    ];
    const lengths = [1, 765, 766, 100 * 1024, 2, 768, 769, 1023, 1024, 1025, 10 * 1024, 3];
    const sent = lengths.flatMap((length) =>
      lookalikes.map((draft) => message(relay, device.address, { ...draft, ciphertext: randomBytes(length) })),
    );
    for (const body of sent) demand(await call(relay, "sendMessage", { token: sender.token, body }));

    for (const limit of [1, 4, sent.length]) {
      const answer = await fetch(new URL(`${routes.pollMessages.path}?limit=${limit}`, relay.url), {
        headers: { authorization: `Bearer ${device.token}` },
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(answer.headers.get("content-length")).toBe(String(bytes.length));
      const page = JSON.parse(bytes.toString());
      expect(bytes.toString() === JSON.stringify(page)).toBe(true);
      expect(page.has_more).toBe(limit < sent.length);
      const wanted = sent.slice(0, limit).map(({ recipient_address: _, ...members }) => members);
      expect(page.messages).toEqual(wanted.map((members) => ({ ...members, received_at: expect.any(Number) })));
    }
  });

  it("never shows received_at decreasing, even if several messages are sent at once", async () => {
    const device = await newDevice(relay);
    const sending = Array.from({ length: 30 }, () => sender.send(device.address));
    relay.clock.advance(1);
    await Promise.all(sending);
    const times = demand(await device.poll()).body.messages.map((one) => one.received_at);
    expect(times).toHaveLength(30);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it("shows a device only its own queue", async () => {
    const [mine, yours] = [await newDevice(relay), await newDevice(relay)];
    await fill(yours, 1);
    expect(idsOf(await mine.poll())).toEqual([]);
  });

  it.each([
    ["limit", "0"],
    ["limit", "1001"],
    ["limit", "many"],
    ["since", "-1"],
    ["before", "1"],
  ])("with %s=%s is refused", async (name, value) => {
    const answer = await call(relay, "pollMessages", { token: sender.token, query: { [name]: value } });
    expect([answer.status, answer.body.error]).toEqual([400, "INVALID_REQUEST"]);
  });

  it("is answered for many polls of one device at once", async () => {
    const device = await newDevice(relay);
    const ids = await fill(device, 3);
    const pages = await Promise.all(Array.from({ length: 6 }, () => device.poll()));
    for (const page of pages) expect(idsOf(page)).toEqual(ids);
  });
});
