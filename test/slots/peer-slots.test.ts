import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { routes } from "../../generated/routes.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { publicKeyOf, sign as signText } from "../../src/protocol/signature.js";
import { slotTakingText } from "../../src/protocol/signed-text.js";
import { nodeAbove } from "../../src/protocol/taking-key.js";
import { type PeerServer, startPeerServer } from "../federation/peer-server.js";
import { call } from "../support/api.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { newSlot, takingOf } from "../support/slots.js";
import { until } from "../support/until.js";

// Two relays speak TLS to each other here, and a request may wait for a lost answer of theirs.

// `npm run lab -- slot-races` plays 1,000 rounds.
const races = Number(process.env["SLOT_RACES"] ?? 25);

let fixture: PeerFixture;
let here: PeerRelay;
/** A relay that does not wait long for the answers of others. */
let impatient: PeerRelay;
/** The relay with the slots. */
let there: PeerRelay;
let member: TestDevice;
let hasty: TestDevice;
let neighbour: TestDevice;
let key: string;

beforeAll(async () => {
  fixture = await createPeerFixture();
  const roomy = {
    newTierPeerSlotsPerHour: 100_000,
    newTierSlotsPerHour: 100_000,
    peerSlotReadsPerMinute: 1_000,
    peerSlotReadsPerIpMinute: 1_000,
    federationSlotsPerMinute: 100_000,
  };
  here = await fixture.relay({ ...roomy, ...patient });
  impatient = await fixture.relay({ ...roomy, ...patient, federationSlotTimeoutSeconds: 2 });
  there = await fixture.relay({ ...roomy, slotStorageBytes: 2 ** 20, newTierSlotStorageShare: 1 });
  [member, hasty, neighbour] = [await newDevice(here), await newDevice(impatient), await newDevice(there)];
  key = (await call(there, "getDiscovery")).body.slots?.key ?? "";
});
beforeEach(() => {
  for (const { proxy } of [here, there]) Object.assign(proxy, { open: true, requests: "pass", answers: "pass" });
});
afterAll(() => fixture.stop());

/** Another relay may take its time on a busy machine. */
const patient = {
  federationSlotTimeoutSeconds: 60,
  federationConnectTimeoutSeconds: 60,
  federationRequestTimeoutSeconds: 60,
};
const newContent = (bytes = 200) => randomBytes(bytes).toString("base64");

interface Taking {
  slot?: string;
  content?: string;
  slotKey?: string;
  domain?: string;
  by?: TestDevice;
  at?: PeerRelay;
}

/** Takes a slot through the member's own relay. */
function take({
  slot = newSlot(),
  content = newContent(),
  slotKey = key,
  domain = there.domain,
  by = member,
  at = here,
}: Taking = {}) {
  const body = { ...takingOf(slot, { content, slot_key: slotKey }, domain), domain };
  return call(at, "takeSlot", { token: by.token, params: { slot }, body });
}

/** Takes a slot at the relay that has it. */
const takeThere = (slot: string, content: string) =>
  call(there, "takeSlot", {
    token: neighbour.token,
    params: { slot },
    body: takingOf(slot, { content, slot_key: key }, there.domain),
  });

const read = (slot: string, domain = there.domain) =>
  call(here, "getSlot", { token: member.token, params: { slot }, query: { domain } });
const readThere = (slot: string) => call(there, "getSlot", { params: { slot } });
const errorOf = ({ status, body }: { status: number; body: { error?: string | undefined } }) => [status, body.error];
const again = [503, "PEER_UNAVAILABLE"];

describe("a commit slot of another relay", () => {
  test("is taken through the member's own relay, which passes on the receipt of the other one", async () => {
    const [slot, content] = [newSlot(), newContent()];
    expect(errorOf(await read(slot))).toEqual([404, "NOT_FOUND"]);
    const taken = await take({ slot, content });
    expect(taken.body).toMatchObject({ won: true, receipt: { domain: there.domain, slot, slot_key: key } });
    expect(taken.body.content).toBeUndefined();
    expect((await take({ slot, content })).body).toEqual(taken.body);
    const { receipt, expires_at } = taken.body;
    for (const found of [await readThere(slot), await read(slot)])
      expect(found.body).toEqual({ content, receipt, expires_at });
    expect((await take({ slot })).body).toEqual({ ...taken.body, won: false, content });
    expect((await takeThere(slot, newContent())).body).toEqual({ ...taken.body, won: false, content });
  });

  test("of several keys is taken through the member's own relay, which passes on by which key", async () => {
    const seed = new Uint8Array(randomBytes(32));
    const [own, beside] = [createHash("sha256").update(publicKeyOf(seed)).digest(), randomBytes(32)];
    const slot = Buffer.from(nodeAbove(own, beside)).toString("hex");
    const content = newContent();
    const contentHash = createHash("sha256").update(Buffer.from(content, "base64")).digest("hex");
    const signature = signText(seed, slotTakingText({ domain: there.domain, slot, contentHash }));
    const public_key = Buffer.from(publicKeyOf(seed)).toString("hex");
    const taking = { content, slot_key: key, public_key, signature, path: [beside.toString("hex")] };
    const by = { token: member.token, params: { slot }, body: { ...taking, domain: there.domain } };
    const taken = await call(here, "takeSlot", by);
    expect(taken.body).toMatchObject({ won: true, taker: { public_key, signature } });
    expect((await read(slot)).body).toMatchObject({ content, taker: { public_key, signature } });
  });

  const patience = { timeout: 180_000 + races * 1_000 };
  test("has one winner of members who come at once through both relays", patience, async () => {
    for (let round = 0; round < races; round++) {
      const [slot, contents] = [newSlot(), Array.from({ length: 4 }, () => newContent())];
      const answers = await Promise.all(
        contents.map((content, index) => (index % 2 ? take({ slot, content }) : takeThere(slot, content))),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(answers.filter(({ body }) => body.won)).toHaveLength(1);
      const winner = contents[answers.findIndex(({ body }) => body.won)];
      expect(answers.map(({ body }) => body.content ?? winner)).toEqual(Array(4).fill(winner));
    }
  });

  test("is won by the repetition of a request whose answer was lost between the relays", async () => {
    const [slot, content] = [newSlot(), newContent()];
    const wins = async (slot: string, content: string) =>
      (await take({ slot, content, by: hasty, at: impatient })).body.won === true;
    await until(() => wins(newSlot(), newContent()), "the relays know each other");
    there.proxy.answers = "hold";
    const lost = await take({ slot, content, by: hasty, at: impatient });
    expect(errorOf(lost)).toEqual(again);
    expect(Number(lost.headers.get("retry-after"))).toBeGreaterThan(0);
    await until(async () => (await readThere(slot)).status === 200, "the other relay has taken the content");
    there.proxy.cut();
    there.proxy.answers = "pass";
    await until(() => wins(slot, content), "the repetition wins");
    expect((await take({ slot })).body).toMatchObject({ won: false, content });
  });

  test("is asked for again while the other relay is down", async () => {
    const [slot, content] = [newSlot(), newContent()];
    there.proxy.open = false;
    there.proxy.cut();
    expect(errorOf(await take({ slot, content }))).toEqual(again);
    expect(errorOf(await read(slot))).toEqual(again);
    there.proxy.open = true;
    await until(async () => (await take({ slot, content })).body.won === true, "the other relay is back");
  });

  test("is not taken without a signature for the relay that has it", async () => {
    const [slot, content] = [newSlot(), newContent()];
    const { signature, ...body } = takingOf(slot, { content, slot_key: key }, there.domain);
    const ask = (changes: object) =>
      call(here, "takeSlot", {
        token: member.token,
        params: { slot },
        body: { ...body, signature, domain: there.domain, ...changes },
      });
    expect(errorOf(await ask({ content: newContent() }))).toEqual([403, "INVALID_SIGNATURE"]);
    expect(errorOf(await ask({ domain: here.domain }))).toEqual([403, "INVALID_SIGNATURE"]);
    expect(errorOf(await read(slot))).toEqual([404, "NOT_FOUND"]);
    expect((await ask({ domain: there.domain.toUpperCase() })).body.won).toBe(true);
  });

  test("is refused as the other relay refuses it", async () => {
    expect(errorOf(await take({ slotKey: "ab".repeat(32) }))).toEqual([410, "SLOTS_RESTARTED"]);
    expect(errorOf(await take({ domain: "not a domain" }))).toEqual([400, "INVALID_ADDRESS"]);
    const own = (await call(here, "getDiscovery")).body.slots?.key ?? "";
    expect((await take({ domain: here.domain, slotKey: own })).body).toMatchObject({
      won: true,
      receipt: { domain: here.domain },
    });
    const db = createDatabase({ url: there.databaseUrl, poolSize: 1 });
    try {
      await db.run("update slot_balance set content_bytes = content_bytes + 524288");
      expect(errorOf(await take())).toEqual([507, "QUEUE_FULL"]);
      expect((await takeThere(newSlot(), newContent())).body.won).toBe(true);
    } finally {
      await db.run("update slot_balance set content_bytes = content_bytes - 524288");
      await db.close();
    }
  });
});

describe("many commit slots of another relay", () => {
  const readMany = (slots: string[], { at = here, by = member, token = by.token as string | undefined } = {}) =>
    call(at, "readSlots", { ...(token !== undefined && { token }), query: { domain: there.domain }, body: { slots } });

  test("are read through the member's own relay, with a device's token only", async () => {
    const [slot, free, content] = [newSlot(), newSlot(), newContent()];
    const { receipt, expires_at } = (await takeThere(slot, content)).body;
    expect((await readMany([free, slot])).body.slots).toEqual([
      { slot: free, taken: false },
      { slot, taken: true, content, receipt, expires_at },
    ]);
    const stranger = await call(here, "readSlots", { query: { domain: there.domain }, body: { slots: [slot] } });
    expect(errorOf(stranger)).toEqual([401, "INVALID_TOKEN"]);
  });

  test("are as many as the discovery document says, and count one by one", async () => {
    const { max_peer_slots_per_reading: most = 0 } = (await call(here, "getDiscovery")).body.slots ?? {};
    const slots = (length: number) => Array.from({ length }, () => newSlot());
    expect((await readMany(slots(most))).body.slots).toHaveLength(most);
    expect(errorOf(await readMany(slots(most + 1)))).toEqual([400, "INVALID_REQUEST"]);
    const small = await fixture.relay({ ...patient, peerSlotReadsPerMinute: 3 });
    const by = await newDevice(small);
    expect((await readMany(slots(2), { at: small, by })).status).toBe(200);
    expect(errorOf(await readMany(slots(2), { at: small, by }))).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect((await readMany(slots(1), { at: small, by })).status).toBe(200);
  });

  test("are asked for again while the other relay is down", async () => {
    there.proxy.open = false;
    there.proxy.cut();
    expect(errorOf(await readMany([newSlot(), newSlot()]))).toEqual(again);
    there.proxy.open = true;
    await until(async () => (await readMany([newSlot()])).status === 200, "the other relay is back");
  });
});

describe("limits", () => {
  test("a device asks for so many slots of other relays, and a network address reads so many", async () => {
    const small = await fixture.relay({ ...patient, newTierPeerSlotsPerHour: 2, peerSlotReadsPerIpMinute: 1 });
    const device = await newDevice(small);
    const [slot, content] = [newSlot(), newContent()];
    const ask = () => take({ slot, content, by: device, at: small });
    expect((await ask()).body.won).toBe(true);
    expect((await ask()).body.won).toBe(true);
    expect(errorOf(await ask())).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    const readHere = () =>
      call(small, "getSlot", { token: device.token, params: { slot }, query: { domain: there.domain } });
    expect((await readHere()).body.content).toBe(content);
    expect(errorOf(await readHere())).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
  });

  test("the devices of a household catch up in the same minute, and none can read for all", async () => {
    const home = await fixture.relay(patient);
    const most = 16;
    const read = async (by: TestDevice) => {
      const slots = Array.from({ length: most }, () => newSlot());
      return (await call(home, "readSlots", { token: by.token, query: { domain: there.domain }, body: { slots } }))
        .status;
    };
    const devices = [];
    for (let i = 0; i < 5; i++) devices.push(await newDevice(home));
    for (const device of devices) expect(await read(device)).toBe(200);
    const [busy] = devices;
    expect([await read(busy as TestDevice), await read(busy as TestDevice), await read(busy as TestDevice)]).toEqual([
      200, 200, 429,
    ]);
  });

  test("strangers, who have no token, use up nothing of what this relay may read at another one", async () => {
    const readings = { federationSlotReadsPerMinute: 3 };
    const small = await fixture.relay({ ...patient, ...readings });
    const elsewhere = await fixture.relay({ ...patient });
    const device = await newDevice(elsewhere);
    const ask = (token?: string) =>
      call(elsewhere, "getSlot", {
        ...(token !== undefined && { token }),
        params: { slot: newSlot() },
        query: { domain: small.domain },
      });
    for (let count = 0; count < 10; count++) expect(errorOf(await ask())).toEqual([401, "INVALID_TOKEN"]);
    expect(errorOf(await ask("nonsense"))).toEqual([401, "INVALID_TOKEN"]);
    for (let count = 0; count < 3; count++) expect(errorOf(await ask(device.token))).toEqual([404, "NOT_FOUND"]);
    const own = { params: { slot: newSlot() }, query: { domain: elsewhere.domain } };
    expect(errorOf(await call(elsewhere, "getSlot", own))).toEqual([404, "NOT_FOUND"]);
  });

  test("devices that ask another relay for much leave some of what it allows to every other device", async () => {
    const busy = await fixture.relay({
      ...patient,
      federationSlotReadsPerMinute: 12,
      federationSlotsPerMinute: 12,
      peerSlotReserved: 2,
    });
    const [greedy, modest, late, old] = await Promise.all(Array.from({ length: 4 }, () => newDevice(busy)));
    if (!(greedy && modest && late && old)) throw new Error("four devices are needed");
    const db = createDatabase({ url: busy.databaseUrl, poolSize: 1 });
    await db.run("update devices set registered_at = registered_at - 21600 where device_id = :id", {
      id: old.deviceId,
    });
    await db.close();
    const readBy = async (by: TestDevice) =>
      errorOf(
        await call(busy, "getSlot", { token: by.token, params: { slot: newSlot() }, query: { domain: there.domain } }),
      );
    const takeBy = async (by: TestDevice) => (await take({ by, at: busy })).status;
    const [taken, refused] = [200, 429];
    for (let count = 0; count < 8; count++) {
      expect(await readBy(greedy)).toEqual([404, "NOT_FOUND"]);
      expect(await takeBy(greedy)).toBe(taken);
    }
    expect(await readBy(greedy)).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect(await takeBy(greedy)).toBe(refused);
    expect(await readBy(modest)).toEqual([404, "NOT_FOUND"]);
    expect(await takeBy(modest)).toBe(taken);
    // New devices have so much together; those that are older have the rest.
    expect(await readBy(late)).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect(await takeBy(late)).toBe(refused);
    for (let count = 0; count < 2; count++) {
      expect(await readBy(old)).toEqual([404, "NOT_FOUND"]);
      expect(await takeBy(old)).toBe(taken);
    }
    busy.clock.advance(60);
    expect(await readBy(greedy)).toEqual([404, "NOT_FOUND"]);
    expect(await takeBy(greedy)).toBe(taken);
  });

  test("the relays of a domain fill a share of the space, which leaves the rest to others", async () => {
    const small = await fixture.relay({ ...patient, slotStorageBytes: 2 ** 20, slotStorageOnePeerShare: 0.001 });
    const { key: slotKey = "" } = (await call(small, "getDiscovery")).body.slots ?? {};
    const first = { slot: newSlot(), content: newContent(900), domain: small.domain, slotKey };
    const others = { content: newContent(200), domain: small.domain, slotKey };
    expect((await take(first)).body.won).toBe(true);
    expect(errorOf(await take(others))).toEqual([507, "QUEUE_FULL"]);
    expect(errorOf(await take({ ...others, by: hasty, at: impatient }))).toEqual([507, "QUEUE_FULL"]);
    expect((await take(first)).body.won).toBe(true);
    expect((await take({ ...others, by: await newDevice(small), at: small })).body.won).toBe(true);
  });

  test("a relay takes so many slots and bytes, and reads so many, and none while it is blocked", async () => {
    const small = await fixture.relay({ federationSlotsPerMinute: 2, federationSlotReadsPerMinute: 1 });
    const { key: itsKey = "" } = (await call(small, "getDiscovery")).body.slots ?? {};
    const ask = () => take({ domain: small.domain, slotKey: itsKey });
    expect((await ask()).body.won).toBe(true);
    expect((await ask()).body.won).toBe(true);
    const refused = await ask();
    expect(errorOf(refused)).toEqual(again);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(2);
    expect(errorOf(await read(newSlot(), small.domain))).toEqual([404, "NOT_FOUND"]);
    expect(errorOf(await read(newSlot(), small.domain))).toEqual(again);
    const db = createDatabase({ url: small.databaseUrl, poolSize: 1 });
    await db.run(
      `insert into federation_blocks (domain, blocked_at, reason, reason_category, severity) values ('localhost', 1, '', 'spam', 'high')`,
    );
    await db.close();
    expect(errorOf(await ask())).toEqual([502, "FEDERATION_FAILED"]);
  });
});

describe("another server", () => {
  let peer: PeerServer;
  const pair = generateKeyPairSync("ed25519");
  const peerKey = pair.publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");

  beforeEach(async () => {
    peer = await startPeerServer(fixture);
    peer.capabilities = { federated_slots: true };
  });
  afterEach(() => peer.stop());

  const answerTo = (asked: { slot: string; content?: string }, changes: Record<string, unknown> = {}) => {
    const content = (changes["content"] as string | undefined) ?? asked.content ?? "";
    const hash = createHash("sha256").update(Buffer.from(content, "base64")).digest("hex");
    const text = ["mls-relay commit slot receipt 1", peer.domain, asked.slot, hash].join("\n");
    const receipt = {
      domain: peer.domain,
      slot: asked.slot,
      content_sha256: hash,
      slot_key: peerKey,
      signature: sign(null, Buffer.from(text), pair.privateKey).toString("hex"),
    };
    const { receipt: receiptChanges, ...rest } = changes;
    return { won: true, expires_at: 1, ...rest, receipt: { ...receipt, ...(receiptChanges as object) } };
  };
  const takeAt = (content = newContent()) => take({ content, domain: peer.domain, slotKey: peerKey });

  test("is believed if its receipt proves what it says", async () => {
    const others = newContent();
    peer.answers.set(routes.askSlot.path, (asked) => answerTo(asked as never));
    expect((await takeAt()).body).toMatchObject({ won: true, receipt: { domain: peer.domain } });
    peer.answers.set(routes.askSlot.path, (asked) => answerTo(asked as never, { won: false, content: others }));
    expect((await takeAt()).body).toMatchObject({ won: false, content: others });
  });

  test.each<[string, (asked: { slot: string; content: string }) => unknown]>([
    ["lies about the winner", (asked) => ({ ...answerTo(asked), won: false, content: newContent() })],
    [
      "calls the sender's content that of another one",
      (asked) => answerTo(asked, { won: false, content: asked.content }),
    ],
    ["signs nothing", (asked) => answerTo(asked, { receipt: { signature: "ab".repeat(64) } })],
    ["signs by another key", (asked) => answerTo(asked, { receipt: { slot_key: "ab".repeat(32) } })],
    ["has another slot", (asked) => answerTo({ ...asked, slot: "ab".repeat(32) })],
    ["has another domain", (asked) => answerTo(asked, { receipt: { domain: "other.example" } })],
    ["has a receipt for other content", (asked) => answerTo(asked, { receipt: { content_sha256: "ab".repeat(32) } })],
    ["leaves the receipt out", () => ({ won: true, expires_at: 1 })],
    ["leaves out who won", (asked) => ({ ...answerTo(asked), won: undefined })],
    ["leaves the winner's content out", (asked) => ({ ...answerTo(asked), won: false })],
    ["names no end", (asked) => ({ ...answerTo(asked), expires_at: "soon" })],
    ["answers nothing", () => null],
    ["answers a list", () => []],
    ["answers what is not JSON", () => "{]"],
    ["answers too much", () => ({ filler: "x".repeat(3 * 2 ** 20) })],
  ])("that %s is asked again", async (_what, answer) => {
    peer.answers.set(routes.askSlot.path, (asked) => answer(asked as never));
    expect(errorOf(await takeAt())).toEqual(again);
  });

  test("is not told which device asks", async () => {
    const asked: object[] = [];
    peer.answers.set(routes.askSlot.path, (body) => {
      asked.push(body as object);
      return answerTo(body as never);
    });
    expect((await takeAt()).status).toBe(200);
    expect(asked.map((body) => Object.keys(body).sort())).toEqual([
      ["content", "origin_server", "public_key", "signature", "slot", "slot_key"],
    ]);
  });

  test("that has no slots for other relays is not asked", async () => {
    peer.capabilities = {};
    expect(errorOf(await takeAt())).toEqual([502, "FEDERATION_FAILED"]);
    expect(peer.asked).not.toContain(routes.askSlot.path);
  });
});
