import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/database/db.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { decodeHex, encodeHex, utf8 } from "../../src/protocol/encodings.js";
import { publicKeyOf, sign, verifyBytes } from "../../src/protocol/signature.js";
import { slotTakingText } from "../../src/protocol/signed-text.js";
import { nodeAbove } from "../../src/protocol/taking-key.js";
import { call } from "../support/api.js";
import { runCommand } from "../support/command.js";
import { createTestDatabase } from "../support/database.js";
import { newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { newSlot, takingOf } from "../support/slots.js";
import { until } from "../support/until.js";

const hour = 3_600;
const day = 24 * hour;
// `npm run lab -- slot-races` plays 1,000 rounds.
const races = Number(process.env["SLOT_RACES"] ?? 25);
const masterKey = randomBytes(32).toString("hex");

let relay: TestRelay;
/** A second node on the same database. */
let other: TestRelay;
let db: Database;
let device: TestDevice;
let slotKey: string;

beforeAll(async () => {
  relay = await startRelay({
    masterKey,
    trustedProxies: ["127.0.0.1/32"],
    newTierSlotsPerHour: 100_000,
    expiryStepRows: 3,
  });
  other = await startRelay({ ...relay.config, databaseUrl: relay.databaseUrl }, { clock: relay.clock });
  db = createDatabase({ url: relay.databaseUrl, poolSize: 2 });
  device = await newDevice(relay);
  slotKey = (await policyOf(relay)).key;
});
afterAll(async () => {
  await db.close();
  await other.stop();
  await relay.stop();
});

async function policyOf(node: TestRelay) {
  const { slots } = (await call(node, "getDiscovery")).body;
  if (slots === undefined) throw new Error("the relay has no slots");
  return slots;
}

const newContent = (bytes = 200) => randomBytes(bytes).toString("base64");

interface Taking {
  slot?: string;
  content?: string;
  key?: string;
  by?: { token: string };
  node?: TestRelay;
}

function take({ slot = newSlot(), content = newContent(), key = slotKey, by = device, node = relay }: Taking = {}) {
  const body = takingOf(slot, { content, slot_key: key }, node.config.domain);
  return call(node, "takeSlot", { token: by.token, params: { slot }, body });
}

const read = (slot: string, { node = relay, ip = "10.0.0.1" } = {}) =>
  call(node, "getSlot", { params: { slot }, headers: { "x-forwarded-for": ip } });

const errorOf = ({ status, body }: { status: number; body: { error?: string | undefined } }) => [status, body.error];

async function storedBytes(): Promise<{ balance: number; content: number }> {
  const sql = `select (select content_bytes from slot_balance) as balance,
                      (select coalesce(sum(octet_length(content)), 0) from slots)::bigint as content`;
  const found = await db.one<{ balance: number; content: number }>(sql);
  return { balance: found?.balance ?? -1, content: found?.content ?? -2 };
}

describe("a commit slot", () => {
  test("is free until content takes it, and says then what has taken it, with a receipt that anybody can check", async () => {
    const [slot, content] = [newSlot(), newContent()];
    expect(errorOf(await read(slot))).toEqual([404, "NOT_FOUND"]);
    const began = relay.clock.nowSeconds();
    const taken = await take({ slot: slot.toUpperCase(), content });
    expect(taken.status).toBe(200);
    expect(taken.headers.get("cache-control")).toBe("no-store");
    const { won, receipt, expires_at: expiresAt } = taken.body;
    expect({ won, content: taken.body.content }).toEqual({ won: true, content: undefined });
    expect(expiresAt).toBeGreaterThanOrEqual(began + 30 * day);
    expect(expiresAt).toBeLessThanOrEqual(relay.clock.nowSeconds() + 30 * day);
    const hash = createHash("sha256").update(Buffer.from(content, "base64")).digest("hex");
    expect(receipt).toMatchObject({ domain: "relay.test", slot, content_sha256: hash, slot_key: slotKey });
    const text = `mls-relay commit slot receipt 1\nrelay.test\n${slot}\n${hash}`;
    expect(verifyBytes(decodeHex(slotKey) as Uint8Array, utf8(text), receipt.signature)).toBe(true);
    expect((await read(slot)).body).toEqual({ content, receipt, expires_at: expiresAt });
    expect((await read(slot, { node: other })).body).toEqual({ content, receipt, expires_at: expiresAt });
  });

  test("answers a repetition as it answered first, and other content with what it has", async () => {
    const [slot, content] = [newSlot(), newContent()];
    const first = (await take({ slot, content })).body;
    expect((await take({ slot, content, node: other })).body).toEqual(first);
    const somebody = await newDevice(relay);
    const lost = await take({ slot, by: somebody, node: other });
    expect(lost.status).toBe(200);
    expect(lost.body).toEqual({ ...first, won: false, content });
  });

  test("has one winner of many who come at once, on two nodes", { timeout: 180_000 + races * 1_000 }, async () => {
    const members = await Promise.all(Array.from({ length: 4 }, () => newDevice(relay)));
    for (let round = 0; round < races; round++) {
      const slot = newSlot();
      const commits = members.map((by, index) => ({ by, content: newContent(), node: index % 2 ? relay : other }));
      const answers = await Promise.all(commits.map((commit) => take({ slot, ...commit })));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const winners = commits.filter((_, index) => answers[index]?.body.won);
      expect(winners).toHaveLength(1);
      const losers = answers.filter(({ body }) => !body.won);
      expect(losers.map(({ body }) => body.content)).toEqual(Array(3).fill(winners[0]?.content));
      expect(new Set(answers.map(({ body }) => body.receipt.signature)).size).toBe(1);
    }
    expect(await storedBytes().then(({ balance, content }) => balance - content)).toBe(0);
  });

  test("keeps nothing of the device that took it", async () => {
    const slot = newSlot();
    await take({ slot });
    const row = await db.one<Record<string, unknown>>("select * from slots where slot = :slot::bytea", {
      slot: Buffer.from(slot, "hex"),
    });
    expect(Object.keys(row ?? {}).sort()).toEqual([
      "content",
      "content_sha256",
      "expires_at",
      "forget_at",
      "signature",
      "slot",
      "slot_key",
      // Of a slot of many keys.
      "taker_key",
      "taker_signature",
    ]);
  });

  test("of several keys is taken by one of them, and says by which", async () => {
    const seeds = Array.from({ length: 3 }, () => new Uint8Array(randomBytes(32)));
    const [one, two, three] = seeds.map((seed) => createHash("sha256").update(publicKeyOf(seed)).digest()) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    const both = Buffer.from(nodeAbove(one, two));
    const slot = encodeHex(nodeAbove(both, three));
    const domain = relay.config.domain;
    const takeBy = (seed: Uint8Array, path: Buffer[], content: string) => {
      const contentHash = createHash("sha256").update(Buffer.from(content, "base64")).digest("hex");
      const signature = sign(seed, slotTakingText({ domain, slot, contentHash }));
      const keys = { slot_key: slotKey, public_key: encodeHex(publicKeyOf(seed)), path: path.map(encodeHex) };
      return call(relay, "takeSlot", { token: device.token, params: { slot }, body: { content, ...keys, signature } });
    };
    const [first, second] = seeds as [Uint8Array, Uint8Array];
    for (const path of [[], [two], [one, three], [two, three, one]])
      expect(errorOf(await takeBy(first, path, newContent()))).toEqual([400, "INVALID_REQUEST"]);
    expect(errorOf(await takeBy(new Uint8Array(randomBytes(32)), [two, three], newContent()))).toEqual([
      400,
      "INVALID_REQUEST",
    ]);
    const content = newContent();
    const taken = await takeBy(second, [one, three], content);
    expect(taken.body).toMatchObject({ won: true, taker: { public_key: encodeHex(publicKeyOf(second)) } });
    const lost = await takeBy(first, [two, three], newContent());
    expect(lost.body).toEqual({ ...taken.body, won: false, content });
    const { won: _, ...kept } = lost.body;
    expect((await read(slot, { node: other })).body).toEqual(kept);
    const { body } = await call(other, "readSlots", { body: { slots: [slot] } });
    expect(body.slots).toEqual([{ slot, taken: true, ...kept }]);
  });

  test.each([
    ["a name that is too short", { slot: "ab" }, [400, "INVALID_REQUEST"]],
    ["a name that is not hex", { slot: "x".repeat(64) }, [400, "INVALID_REQUEST"]],
    ["no content", { content: "" }, [400, "INVALID_REQUEST"]],
    ["content that is not base64", { content: "abcde" }, [400, "INVALID_REQUEST"]],
    ["content over the limit", { content: newContent(1_048_577) }, [413, "MESSAGE_TOO_LARGE"]],
    ["a key that is no key", { key: "ab" }, [400, "INVALID_REQUEST"]],
    ["a wrong token", { by: { token: "x" } }, [401, "INVALID_TOKEN"]],
    ["another key", { key: "ab".repeat(32) }, [410, "SLOTS_RESTARTED"]],
  ])("is not taken with %s", async (_what, taking, error) => {
    const slot = newSlot();
    expect(errorOf(await take({ slot, ...taking }))).toEqual(error);
    expect(errorOf(await read(slot))).toEqual([404, "NOT_FOUND"]);
  });

  test("is taken only with the key that it is named after, and a signature by it over the content", async () => {
    const slot = newSlot();
    const domain = relay.config.domain;
    const taking = { content: newContent(), slot_key: slotKey };
    const body = takingOf(slot, taking, domain);
    const other = takingOf(newSlot(), taking, domain);
    const put = (changes: object) =>
      call(relay, "takeSlot", { token: device.token, params: { slot }, body: { ...body, ...changes } });
    // An observer has another key, or has seen a request with other content, for another slot or at another relay.
    expect(errorOf(await put({ public_key: other.public_key, signature: other.signature }))).toEqual([
      400,
      "INVALID_REQUEST",
    ]);
    for (const changes of [
      { content: newContent() },
      { signature: other.signature },
      { signature: takingOf(slot, taking, "other.test").signature },
      { signature: "0".repeat(128) },
    ])
      expect(errorOf(await put(changes))).toEqual([403, "INVALID_SIGNATURE"]);
    for (const missing of ["public_key", "signature"])
      expect(errorOf(await put({ [missing]: undefined }))).toEqual([400, "INVALID_REQUEST"]);
    expect(errorOf(await read(slot))).toEqual([404, "NOT_FOUND"]);
    expect((await put({ signature: body.signature.toUpperCase() })).body.won).toBe(true);
  });

  test("shows its content no longer than it promised, although nothing has removed it yet", async () => {
    const [slot, content] = [newSlot(), newContent()];
    await take({ slot, content });
    const now = relay.clock.nowSeconds();
    await db.run("update slots set expires_at = :now::bigint where content = decode(:content::text, 'base64')", {
      now,
      content,
    });
    expect(errorOf(await read(slot))).toEqual([410, "SLOT_EXPIRED"]);
    expect(errorOf(await take({ slot, content }))).toEqual([410, "SLOT_EXPIRED"]);
    expect(errorOf(await take({ slot, content: newContent() }))).toEqual([410, "SLOT_EXPIRED"]);
  });

  test("loses its content, but stays taken, and is forgotten in the end", async () => {
    const { retention_days: retention, memory_days: memory } = await policyOf(relay);
    const slots = Array.from({ length: 8 }, () => newSlot());
    const [slot = "", content] = [slots[0], newContent()];
    for (const one of slots) await take({ slot: one, content });
    relay.clock.advance(retention * day);
    await device.announce();
    await until(async () => (await storedBytes()).content === 0, "the content is removed");
    expect(await storedBytes()).toEqual({ balance: 0, content: 0 });
    expect(errorOf(await read(slot))).toEqual([410, "SLOT_EXPIRED"]);
    for (const again of [content, newContent()])
      expect(errorOf(await take({ slot, content: again }))).toEqual([410, "SLOT_EXPIRED"]);
    relay.clock.advance((memory - retention) * day);
    await device.announce();
    await until(async () => (await read(slot)).status === 404, "the slot is forgotten");
  });
});

describe("many commit slots in one request", () => {
  const readMany = (slots: string[], { node = relay, ip = "10.0.0.1" } = {}) =>
    call(node, "readSlots", { body: { slots }, headers: { "x-forwarded-for": ip } });

  test("are read in order without a token: content with its receipt, free ones, and those whose content has expired", async () => {
    const [slot, expired, free, content] = [newSlot(), newSlot(), newSlot(), newContent()];
    const { receipt, expires_at } = (await take({ slot, content })).body;
    await take({ slot: expired });
    await db.run("update slots set expires_at = 1 where slot = :slot::bytea", { slot: Buffer.from(expired, "hex") });
    const answer = await readMany([free, slot.toUpperCase(), expired, slot], { node: other });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const taken = { taken: true, content, receipt, expires_at };
    expect(answer.body.slots).toEqual([
      { slot: free, taken: false },
      { slot: slot.toUpperCase(), ...taken },
      { slot: expired, taken: true, error: "SLOT_EXPIRED", code: 4031 },
      { slot, ...taken },
    ]);
    expect((await take({ slot: free })).body.won).toBe(true);
  });

  test("are left out of an answer that has no room for them, and come when they are asked for again", async () => {
    const large = () => newContent(1_000_000);
    const slots = Array.from({ length: 6 }, () => newSlot());
    const takers = await Promise.all(slots.map(() => newDevice(relay)));
    for (const [i, slot] of slots.entries()) await take({ slot, content: large(), by: takers[i] as TestDevice });
    const first = (await readMany(slots)).body.slots;
    expect(first.map(({ taken }) => taken)).toEqual(slots.map(() => true));
    const leftOut = first.filter(({ content }) => content === undefined).map(({ slot }) => slot);
    expect(leftOut).toEqual(slots.slice(4));
    expect(Object.keys(first.at(-1) ?? {}).sort()).toEqual(["slot", "taken"]);
    const second = (await readMany(leftOut)).body.slots;
    expect(second.map(({ receipt }) => receipt?.slot)).toEqual(leftOut);
  });

  test.each([
    ["none", []],
    ["a name that is no name", ["ab"]],
    ["more than the discovery document says", Array.from({ length: 101 }, () => newSlot())],
  ])("are refused if they are %s", async (_what, slots) => {
    expect(errorOf(await readMany(slots))).toEqual([400, "INVALID_REQUEST"]);
  });

  test("count one by one, all or none of them", async () => {
    const limited = await startRelay({ slotReadsPerIpHour: 5, trustedProxies: ["127.0.0.1/32"] });
    try {
      expect((await policyOf(limited)).max_slots_per_reading).toBe(5);
      const slots = (length: number) => Array.from({ length }, () => newSlot());
      const read = (count: number, ip: string) => readMany(slots(count), { node: limited, ip });
      expect(errorOf(await read(6, "10.1.0.1"))).toEqual([400, "INVALID_REQUEST"]);
      expect((await read(3, "10.1.0.1")).status).toBe(200);
      const refused = await read(3, "10.1.0.1");
      expect(errorOf(refused)).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
      expect(refused.body).toMatchObject({ limit: 5 });
      expect((await read(2, "10.1.0.1")).status).toBe(200);
      expect((await read(1, "10.1.0.1")).status).toBe(429);
      expect((await read(5, "10.2.0.1")).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });
});

describe("limits", () => {
  test("a blocked device takes no slot", async () => {
    const by = await newDevice(relay);
    await db.run("update devices set blocked_at = 1 where device_id = :id", { id: by.deviceId });
    const slot = newSlot();
    const refused = await take({ slot, by });
    expect(errorOf(refused)).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect(refused.body).toMatchObject({ limit: 0, reset_at: null });
    expect(errorOf(await read(slot))).toEqual([404, "NOT_FOUND"]);
  });

  test("a device takes so many slots an hour, and repetitions and lost slots are not counted", async () => {
    const limited = await startRelay({ newTierSlotsPerHour: 2, slotReadsPerIpHour: 1_000 });
    try {
      const by = await newDevice(limited);
      const key = (await policyOf(limited)).key;
      const mine = { slot: newSlot(), content: newContent() };
      const takeHere = (taking: Taking = {}) => take({ by, key, node: limited, ...taking });
      expect((await takeHere(mine)).body.won).toBe(true);
      for (let i = 0; i < 3; i++) expect((await takeHere(mine)).body.won).toBe(true);
      for (let i = 0; i < 3; i++) expect((await takeHere({ slot: mine.slot })).body.won).toBe(false);
      expect((await takeHere()).body.won).toBe(true);
      const slot = newSlot();
      expect(errorOf(await takeHere({ slot }))).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
      expect(errorOf(await call(limited, "getSlot", { params: { slot } }))).toEqual([404, "NOT_FOUND"]);
      expect((await takeHere(mine)).body.won).toBe(true);
      const { limits } = (await call(limited, "getLimits", { token: by.token })).body;
      expect(limits.find(({ name }) => name === "slots_hour")).toMatchObject({ limit: 2, remaining: 0 });
      limited.clock.advance(hour);
      expect((await takeHere({ slot })).body.won).toBe(true);
    } finally {
      await limited.stop();
    }
  });

  test("bytes of a device, the space of all slots, and readings of a network address are limited", async () => {
    const small = { newTierSlotBytesPerHour: 2_048, slotStorageBytes: 1_048_576, slotReadsPerIpHour: 2 };
    const limited = await startRelay({ ...small, trustedProxies: ["127.0.0.1/32"] });
    try {
      const key = (await policyOf(limited)).key;
      const [one, two] = [await newDevice(limited), await newDevice(limited)];
      const write = (by: TestDevice, bytes: number) => take({ by, key, node: limited, content: newContent(bytes) });
      expect((await write(one, 1_500)).status).toBe(200);
      expect(errorOf(await write(one, 1_000))).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
      expect((await write(one, 548)).status).toBe(200);
      const full = createDatabase({ url: limited.databaseUrl, poolSize: 1 });
      await full.run("update slot_balance set content_bytes = 1048000");
      await full.close();
      expect(errorOf(await write(two, 1_000))).toEqual([507, "QUEUE_FULL"]);
      expect((await write(two, 576)).status).toBe(200);
      const slot = newSlot();
      const read = (ip: string) => call(limited, "getSlot", { params: { slot }, headers: { "x-forwarded-for": ip } });
      for (const status of [404, 404, 429]) expect((await read("10.1.0.1")).status).toBe(status);
      expect((await read("10.2.0.1")).status).toBe(404);
    } finally {
      await limited.stop();
    }
  });
});

test("after a restore the key is another one: nothing is taken under the old one, and slots of before are read on", async () => {
  const database = await createTestDatabase();
  const restored = await startRelay({ masterKey, databaseUrl: database.url });
  const member = await newDevice(restored);
  const { key } = await policyOf(restored);
  const [slot, content] = [newSlot(), newContent()];
  await take({ slot, content, key, by: member, node: restored });
  await restored.stop();
  const env = { DATABASE_URL: database.url, MASTER_KEY: masterKey, DOMAIN: "relay.test" };
  expect(await runCommand(["after-restore"], env)).toMatchObject({ code: 0, stderr: "" });
  const again = await startRelay({ masterKey, databaseUrl: database.url });
  try {
    const next = (await policyOf(again)).key;
    expect(next).not.toBe(key);
    const by = await newDevice(again);
    expect(errorOf(await take({ slot, content, key, by, node: again }))).toEqual([410, "SLOTS_RESTARTED"]);
    expect(errorOf(await take({ key, by, node: again }))).toEqual([410, "SLOTS_RESTARTED"]);
    const found = (await call(again, "getSlot", { params: { slot } })).body;
    expect(found).toMatchObject({ content, receipt: { slot_key: key } });
    expect((await take({ key: encodeHex(decodeHex(next) as Uint8Array), by, node: again })).body.won).toBe(true);
  } finally {
    await again.stop();
    await database.drop();
  }
});
