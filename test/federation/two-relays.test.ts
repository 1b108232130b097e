import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { demand, message, newDevice, type TestDevice } from "../support/device.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { startRelay } from "../support/relay.js";
import { openDeviceStream } from "../support/stream.js";
import { eventually } from "./outbox-fixture.js";

// Waiting for retries takes real time here, and more of it on a busy machine.

let fixture: PeerFixture;
let here: PeerRelay;
let there: PeerRelay;
let sender: TestDevice;
let recipient: TestDevice;

const seeds = { SEED_PROGRESSIVE_TRUST_NEW_TIER_LIMIT: "1000", SEED_RATE_LIMITING_ENABLED: "false" };

beforeAll(async () => {
  fixture = await createPeerFixture();
  [here, there] = [await fixture.relay({ seeds }), await fixture.relay({ seeds })];
});
beforeEach(async () => {
  [sender, recipient] = [await newDevice(here), await newDevice(there)];
  for (const { proxy } of [here, there]) Object.assign(proxy, { open: true, requests: "pass", answers: "pass" });
  there.proxy.delayMillis = 0;
});
afterAll(() => fixture.stop());

const received = async (device = recipient) => demand(await device.poll({ limit: 1000 })).body.messages;
const ids = async (device = recipient) => (await received(device)).map((message) => message.message_id);
async function sendSome(count: number, from = sender, to = recipient): Promise<string[]> {
  const sent: string[] = [];
  for (let i = 0; i < count; i++) {
    const { body } = demand(await from.send(to.address));
    expect(body.status).toBe("federated");
    sent.push(body.message_id);
  }
  return sent;
}
const arrives = async (sent: readonly string[], device = recipient) => {
  await eventually(async () => (await ids(device)).length >= sent.length);
  expect(await ids(device)).toEqual(sent);
};
const waiting = async (relay: PeerRelay): Promise<number> => {
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  try {
    return (await db.one<{ n: number }>("select count(*) as n from outbox"))?.n ?? 0;
  } finally {
    await db.close();
  }
};

describe("a message from one relay to another", () => {
  it("arrives once when it was sent on a stream, also when it is sent again by request", async () => {
    const stream = await openDeviceStream(here.url, sender.token);
    const sent = message(here, recipient.address);
    for (let times = 0; times < 2; times++) {
      stream.send({ type: "send", message: sent });
      expect(await stream.next("send_result")).toMatchObject({ status: "federated", delivery_estimate: "delayed" });
    }
    await stream.close();
    await arrives([sent.message_id]);
    expect(demand(await sender.send(recipient.address, { messageId: sent.message_id })).body.status).toBe("federated");
    const [second] = await sendSome(1);
    await arrives([sent.message_id, second ?? ""]);
  });

  it("arrives as it was sent, with its hint, and nothing is left behind", async () => {
    const ciphertext = new Uint8Array([1, 2, 3, 250, 251]);
    const signature = "ab".repeat(64);
    const systemEvent = { event: "member_added", extension_type: "x" };
    const { body } = demand(
      await sender.send(recipient.address, { ciphertext, senderSignature: signature, systemEvent }),
    );
    expect(body).toMatchObject({ status: "federated", delivery_estimate: "delayed" });
    await arrives([body.message_id]);
    const [message] = await received();
    expect(message).toMatchObject({
      mls_ciphertext: Buffer.from(ciphertext).toString("base64"),
      sender_signature: signature,
      system_event: systemEvent,
    });
    await eventually(async () => (await waiting(here)) === 0);
  });

  it("is queued once when its sender repeats it", async () => {
    const { body } = demand(await sender.send(recipient.address));
    await arrives([body.message_id]);
    expect(demand(await sender.send(recipient.address, { messageId: body.message_id })).body.status).toBe("federated");
    await arrives([body.message_id, ...(await sendSome(1))]);
  });

  it("keeps its place among the others, also in both directions at once", async () => {
    const [there1, here1] = [sendSome(30), sendSome(30, recipient, sender)];
    await arrives(await there1);
    await arrives(await here1, sender);
  });
});

describe("nothing is lost or duplicated, and the order is kept", () => {
  it("when every connection is cut again and again", async () => {
    const cutting = setInterval(() => there.proxy.cut(), 40);
    const sent = await sendSome(60);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    clearInterval(cutting);
    await arrives(sent);
  });

  it("when requests arrive and answers do not", async () => {
    await arrives(await sendSome(1));
    there.proxy.answers = "hold";
    const before = await ids();
    const sent = await sendSome(5);
    await eventually(async () => (await ids()).length > before.length);
    there.proxy.cut();
    there.proxy.answers = "pass";
    await arrives([...before, ...sent]);
  });

  it("when the connection is slow", async () => {
    there.proxy.delayMillis = 150;
    await arrives(await sendSome(10));
  });

  it("when the other relay is not there for a while", async () => {
    there.proxy.open = false;
    there.proxy.cut();
    const sent = await sendSome(20);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await ids()).toEqual([]);
    there.proxy.open = true;
    await arrives(sent);
  });

  it("when the sending relay ends between request and answer, and another node goes on", async () => {
    const second = await startRelay(here.config, { clock: here.clock });
    try {
      await arrives(await sendSome(1));
      const before = await ids();
      there.proxy.answers = "hold";
      const sent = await sendSome(5);
      await eventually(async () => (await ids()).length > before.length);
      await second.stop();
      there.proxy.cut();
      there.proxy.answers = "pass";
      await arrives([...before, ...sent]);
    } finally {
      await second.stop();
    }
  });
});

describe("a full queue at the other relay", () => {
  it("delays the messages of that recipient only", async () => {
    const small = await fixture.relay({ seeds: { ...seeds, SEED_STORAGE_MESSAGE_QUEUE_LIMIT: "10" } });
    const [full, other] = [await newDevice(small), await newDevice(small)];
    const sent: string[] = [];
    for (let i = 0; i < 13; i++) sent.push(demand(await sender.send(full.address)).body.message_id);
    await arrives(sent.slice(0, 10), full);
    await arrives(await sendSome(2, sender, other), other);
    await full.ack(sent.slice(0, 10));
    await arrives(sent.slice(10), full);
  });
});

describe("one message for several recipients of the other relay", () => {
  it("is delivered to each, apart from those that cannot be delivered", async () => {
    const [known, gone] = [[await newDevice(there), await newDevice(there)], `${"0".repeat(32)}@${there.domain}`];
    const messageId = demand(await sender.send(recipient.address)).body.message_id;
    for (const to of [gone, ...known.map(({ address }) => address)]) demand(await sender.send(to, { messageId }));
    for (const device of [recipient, ...known]) await arrives([messageId], device);
    await eventually(async () => (await waiting(here)) === 0);
  });
});

describe("a recipient that the other relay does not know", () => {
  it("is not tried again, and delays no other recipient", async () => {
    const unknown = `${"0".repeat(32)}@${there.domain}`;
    demand(await sender.send(unknown));
    await arrives(await sendSome(2));
    await eventually(async () => (await waiting(here)) === 0);
  });
});
