import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sign } from "../../src/protocol/signature.js";
import { prefixAnnouncementText } from "../../src/protocol/signed-text.js";
import { call } from "../support/api.js";
import { demand, newDevice, type TestDevice, unusedSecond } from "../support/device.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";

const daySeconds = 86_400;
let relay: TestRelay;
let second: TestRelay;
beforeAll(async () => {
  const room = { announcementsPerHour: 100, newAddressesPerDay: 100 };
  relay = await startRelay(room);
  second = await startRelay({ ...relay.config, ...room }, { clock: relay.clock });
});
afterAll(async () => {
  await second.stop();
  await relay.stop();
});

/** Announces prefixes, which the device then has besides its other addresses. */
function announce(device: TestDevice, prefixes: readonly string[], at = relay) {
  const { deviceId } = device;
  const timestamp = unusedSecond(deviceId, at.clock.nowSeconds());
  const signature = sign(device.secretKey, prefixAnnouncementText({ deviceId, prefixes, timestamp }));
  const body = { device_id: deviceId, delivery_address_prefixes: [...prefixes], timestamp, signature };
  return call(at, "announceDevice", { body });
}
const list = async (device: TestDevice, at = relay) =>
  demand(await call(at, "listAddresses", { token: device.token })).body.addresses;
const addressesOf = async (device: TestDevice) => (await list(device)).map(({ full_address: address }) => address);
const end = (device: TestDevice, prefix: string, at = relay) =>
  call(at, "endAddress", { token: device.token, params: { prefix } });
const prefixOf = (address: string) => address.slice(0, address.indexOf("@"));
const errorOf = ({ status, body }: { status: number; body: { error?: string | undefined } }) => [status, body.error];
const notFound = [404, "ADDRESS_NOT_FOUND"];

describe("the list of a device's addresses", () => {
  test("has all that are active, as they were announced, with their times, and none of other devices", async () => {
    const [device, other] = [await newDevice(relay), await newDevice(relay)];
    const created = relay.clock.nowSeconds();
    relay.clock.advance(60);
    const hex = randomUUID().replaceAll("-", "").toUpperCase();
    demand(await announce(device, [hex]));
    const later = relay.clock.nowSeconds();
    const spelled = hex.toLowerCase();
    const [first, last] = await list(device);
    expect(first).toMatchObject({ full_address: device.address, prefix: prefixOf(device.address) });
    expect(last).toMatchObject({ full_address: `${spelled}@relay.test`, prefix: spelled });
    for (const [one, at] of [
      [first, created],
      [last, later],
    ] as const) {
      expect(Math.abs((one?.created_at ?? 0) - at)).toBeLessThanOrEqual(30);
      expect(one?.announced_at).toBe(one?.created_at);
      expect(one?.expires_at).toBe((one?.announced_at ?? 0) + daySeconds);
    }
    expect(await addressesOf(other)).toEqual([other.address]);
  });

  test("shows a renewal, and leaves out what has lapsed", async () => {
    const device = await newDevice(relay);
    const prefix = randomUUID();
    demand(await announce(device, [prefix]));
    relay.clock.advance(daySeconds - 600);
    demand(await announce(device, [prefix]));
    relay.clock.advance(1200);
    const found = demand(await call(relay, "listAddresses", { token: await tokenOf(device) })).body.addresses;
    expect(found.map((one) => one.prefix)).toContain(prefix);
    expect(found.map((one) => one.full_address)).not.toContain(device.address);
    const renewed = found.find((one) => one.prefix === prefix);
    expect((renewed?.announced_at ?? 0) - (renewed?.created_at ?? 0)).toBeGreaterThan(daySeconds - 700);
  });
});

/** A token of a device whose first one has expired. The addresses of before stay as they are. */
async function tokenOf(device: TestDevice): Promise<string> {
  return demand(await announce(device, [randomUUID()])).body.access_token;
}

describe("an address that its device ends", () => {
  test("gets no messages from then on, in any spelling, on any node, and the other addresses do", async () => {
    const [device, sender] = [await newDevice(relay), await newDevice(relay)];
    const prefix = randomUUID();
    const leaked = `${prefix}@relay.test`;
    demand(await announce(device, [prefix]));
    // Both nodes remember the address now.
    for (const node of [relay, second]) {
      const body = demand(await sendAt(node, sender, leaked)).body;
      expect(body.status).toBe("queued");
    }
    const ended = demand(await end(device, prefix.replaceAll("-", "").toUpperCase(), second)).body;
    expect(ended.full_address).toBe(leaked);
    for (const node of [relay, second])
      for (const address of [leaked, `${prefix.replaceAll("-", "")}@relay.test`])
        expect(errorOf(await sendAt(node, sender, address))).toEqual(notFound);
    expect((await sendAt(relay, sender, device.address)).status).toBe(202);
    expect(await addressesOf(device)).toEqual([device.address]);
    expect((await device.poll()).body.messages).toHaveLength(3);
  });

  test("is answered like an unknown, a lapsed and another device's address", async () => {
    const [device, other] = [await newDevice(relay), await newDevice(relay)];
    const [ended, lapsed] = [randomUUID(), randomUUID()];
    demand(await announce(device, [lapsed]));
    relay.clock.advance(daySeconds + 60);
    device.token = demand(await announce(device, [ended])).body.access_token;
    other.token = demand(await announce(other, [prefixOf(other.address)])).body.access_token;
    demand(await end(device, ended));
    const prefixes = [ended, lapsed, randomUUID(), prefixOf(other.address)];
    const answers = await Promise.all(prefixes.map((prefix) => end(device, prefix)));
    for (const answer of answers) expect(errorOf(answer)).toEqual(notFound);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const sent = await Promise.all(prefixes.slice(0, 3).map((prefix) => sendAt(relay, other, `${prefix}@relay.test`)));
    for (const answer of sent) expect(errorOf(answer)).toEqual(notFound);
    expect(new Set(sent.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await addressesOf(other)).toEqual([other.address]);
  });

  test("still belongs to its device, which can announce it again and nobody else can", async () => {
    const [device, other] = [await newDevice(relay), await newDevice(relay)];
    const prefix = prefixOf(device.address);
    demand(await end(device, prefix));
    expect(errorOf(await announce(other, [prefix]))).toEqual([409, "ADDRESS_TAKEN"]);
    expect(errorOf(await sendAt(relay, other, device.address))).toEqual(notFound);
    demand(await announce(device, [prefix]));
    expect((await sendAt(relay, other, device.address)).status).toBe(202);
  });

  test("frees a place among the active addresses of its device", async () => {
    const device = await newDevice(relay);
    const prefixes = Array.from({ length: 9 }, () => randomUUID());
    demand(await announce(device, prefixes));
    expect(errorOf(await announce(device, [randomUUID()]))).toEqual([409, "ADDRESS_LIMIT"]);
    demand(await end(device, prefixes[0] ?? ""));
    expect((await announce(device, [randomUUID()])).status).toBe(200);
  });

  test("is ended once by requests that come at the same time", async () => {
    const device = await newDevice(relay);
    const prefix = prefixOf(device.address);
    const answers = await Promise.all([0, 1, 2, 3].map((n) => end(device, prefix, n % 2 ? relay : second)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
  });

  test("needs a token and a prefix of good form", async () => {
    const device = await newDevice(relay);
    const bare = await call(relay, "endAddress", { params: { prefix: prefixOf(device.address) } });
    expect(errorOf(bare)).toEqual([401, "INVALID_TOKEN"]);
    expect(errorOf(await end(device, "nonsense"))).toEqual([400, "INVALID_REQUEST"]);
    expect(errorOf(await call(relay, "listAddresses"))).toEqual([401, "INVALID_TOKEN"]);
  });
});

function sendAt(at: TestRelay, sender: TestDevice, recipient: string) {
  const body = {
    message_id: newId(),
    recipient_address: recipient,
    mls_ciphertext: Buffer.from("hello").toString("base64"),
    sender_signature: "ab".repeat(64),
    timestamp: at.clock.nowSeconds(),
  };
  return call(at, "sendMessage", { token: sender.token, body });
}

function newId(): string {
  const id = randomUUID();
  const millis = relay.clock.nowMillis().toString(16).padStart(12, "0");
  return `${millis.slice(0, 8)}-${millis.slice(8)}-7${id.slice(15)}`;
}

describe("an address that is ended while another relay sends to it", () => {
  let fixture: PeerFixture;
  let here: PeerRelay;
  let there: PeerRelay;
  beforeAll(async () => {
    fixture = await createPeerFixture();
    [here, there] = [await fixture.relay(), await fixture.relay()];
  });
  afterAll(() => fixture.stop());

  test("gets what came before, and nothing of what comes later", async () => {
    const [sender, recipient] = [await newDevice(here), await newDevice(there)];
    const texts = async () => (await recipient.poll()).body.messages.map((one) => one.message_id);
    const first = demand(await sender.send(recipient.address)).body.message_id;
    await until(async () => (await texts()).length === 1, "the first message has arrived");
    demand(await end(recipient, prefixOf(recipient.address), there));
    demand(await sender.send(recipient.address));
    // The next one is behind it in the outbox, so it arrives after the other one was refused.
    await recipient.announce();
    const last = demand(await sender.send(recipient.address)).body.message_id;
    await until(async () => (await texts()).includes(last), "the last message has arrived");
    expect(await texts()).toEqual([first, last]);
  });
});
