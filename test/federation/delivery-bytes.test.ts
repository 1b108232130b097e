import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type MeasuredRelay, startMeasuredRelay } from "../overload/measured.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { limitsOf } from "../support/rate-limit-headers.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { createOriginFixture, deliver, type OriginFixture, outcomeOf, tokenFor } from "./origin-fixture.js";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const mebibyte = 1024 * 1024;
let fixture: OriginFixture;
beforeAll(async () => {
  fixture = await createOriginFixture();
});
afterAll(() => fixture.stop());

/** Messages of different ids that have the ciphertext of the first one, for these devices in turn. */
function sharing(relay: TestRelay, devices: readonly TestDevice[], { count, bytes }: { count: number; bytes: number }) {
  const ciphertext = new Uint8Array(randomBytes(bytes));
  return Array.from({ length: count }, (_, i) => {
    const { mls_ciphertext, ...rest } = message(relay, devices[i % devices.length]?.address ?? "", { ciphertext });
    return { ...rest, mls_ciphertext: i === 0 ? mls_ciphertext : undefined, ciphertext_from: i === 0 ? undefined : 0 };
  });
}

const idsOf = (messages: readonly { message_id: string }[]) => messages.map(({ message_id }) => message_id);

async function peerOf(relay: TestRelay, origin: string) {
  return { token: await tokenFor(relay, await fixture.origin(origin)), origin };
}

describe("a delivery of messages that share a ciphertext", () => {
  let relay: MeasuredRelay;
  beforeAll(async () => {
    relay = await startMeasuredRelay({
      FEDERATION_CA_FILE: fixture.config.federationCaFile ?? "",
      FEDERATION_CRL_FILE: fixture.config.federationCrlFile ?? "",
    });
  });
  afterAll(() => relay.stop());

  it.each([
    ["a message of the largest size", { count: 24, bytes: 10 * mebibyte }],
    ["a message of which a transaction holds several", { count: 240, bytes: mebibyte }],
  ])("takes the memory of %s, not of all", async (_, { count, bytes }) => {
    const devices = [await newDevice(relay.target), await newDevice(relay.target)];
    const messages = sharing(relay.target, devices, { count, bytes });
    const peer = await peerOf(relay.target, `peer${count}.example`);
    let given: Awaited<ReturnType<typeof deliver>> | undefined;
    const timestamp = relay.target.clock.nowSeconds();
    const transaction = { ...peer, messages, transactionId: randomUUID(), body: { timestamp } };
    const growth = await relay.growthDuring(async () => {
      // On a busy machine the database may take longer than the relay waits. A peer then sends the same transaction again.
      do given = await deliver(relay.target, transaction);
      while (given.status === 503);
    });
    expect(given?.status).toBe(200);
    expect(given?.body.accepted_messages).toEqual(idsOf(messages));
    expect(growth).toBeLessThan(count * bytes);
    for (const [i, device] of devices.entries()) {
      const ids: string[] = [];
      for (;;) {
        const page = demand(await device.poll({ limit: 1000 })).body.messages;
        if (page.length === 0) break;
        ids.push(...idsOf(page));
        demand(await device.ack(idsOf(page)));
      }
      expect(ids).toEqual(idsOf(messages.filter((_, at) => at % 2 === i)));
    }
  });
});

describe("the bytes of deliveries", () => {
  let relay: TestRelay;
  let device: TestDevice;
  const each = 600_000;
  beforeAll(async () => {
    const bytes = { federationDeliveryBytes: 2 * mebibyte, federationBytesPerMinute: 3 * mebibyte };
    relay = await startRelay({ ...fixture.config, ...bytes });
    device = await newDevice(relay);
  });
  afterAll(() => relay.stop());

  const queued = async () => {
    const ids = idsOf(demand(await device.poll({ limit: 1000 })).body.messages);
    if (ids.length > 0) demand(await device.ack(ids));
    return ids;
  };

  it("have a limit for one transaction, beyond which it is refused whole; its messages arrive in smaller ones", async () => {
    const peer = await peerOf(relay, "whole.example");
    const messages = sharing(relay, [device], { count: 4, bytes: each });
    const refused = await deliver(relay, { ...peer, messages });
    expect(outcomeOf(refused)).toBe("413 MESSAGE_TOO_LARGE");
    expect(await queued()).toEqual([]);
    // The peer repeats the ciphertext in the second transaction, from which it cannot point to the first.
    const carried = { mls_ciphertext: messages[0]?.mls_ciphertext, ciphertext_from: undefined };
    const halves = [messages.slice(0, 2), messages.slice(2).map((one) => ({ ...one, ...carried }))];
    for (const half of halves) expect(outcomeOf(await deliver(relay, { ...peer, messages: half }))).toBe("200");
    expect(await queued()).toEqual(idsOf(messages));
  });

  it("have a limit for a minute, in which a shared ciphertext counts for each message", async () => {
    const peer = await peerOf(relay, "minute.example");
    const give = (count: number) =>
      deliver(relay, { ...peer, messages: sharing(relay, [device], { count, bytes: each }) });
    const given = await give(3);
    expect(outcomeOf(given)).toBe("200");
    expect(limitsOf(given)).toMatchObject({
      federation_bytes: { limit: 3 * mebibyte, remaining: 3 * mebibyte - 3 * each, windowSeconds: 60 },
    });
    const messages = sharing(relay, [device], { count: 3, bytes: each });
    const transactionId = randomUUID();
    const refused = await deliver(relay, { ...peer, messages, transactionId });
    expect(outcomeOf(refused)).toBe("429 RATE_LIMIT_EXCEEDED");
    expect(refused.body).toMatchObject({ limit: 3 * mebibyte });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await queued()).toHaveLength(3);
    relay.clock.advance(61);
    expect(outcomeOf(await deliver(relay, { ...peer, messages, transactionId }))).toBe("200");
    expect(await queued()).toEqual(idsOf(messages));
  });

  it("never keep a single message out", async () => {
    const peer = await peerOf(relay, "single.example");
    const messages = [message(relay, device.address, { ciphertext: new Uint8Array(4 * mebibyte) })];
    const given = await deliver(relay, { ...peer, messages });
    expect(outcomeOf(given)).toBe("200");
    expect(limitsOf(given)).toMatchObject({ federation_bytes: { remaining: 0 } });
    expect(await queued()).toEqual(idsOf(messages));
  });
});
