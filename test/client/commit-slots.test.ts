import { randomBytes } from "node:crypto";
import { decodeGroupState, encodeGroupState } from "ts-mls";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSlotMember, type SlotMember } from "../../scripts/demo/slot-member.js";
import { openEnvelope, sealEnvelope } from "../../src/client/crypto/envelope.js";
import { newSecretKey } from "../../src/client/crypto/keys.js";
import type { DeviceClient } from "../../src/client/device/client.js";
import type { IncomingMessage } from "../../src/client/messages/messages.js";
import type { Runtime } from "../../src/client/runtime/runtime.js";
import type { FollowResult } from "../../src/client/slots/commit-outcomes.js";
import { type CommitSlots, type CommitSlotsOptions, createCommitSlots } from "../../src/client/slots/commit-slots.js";
import { commitSlotKey } from "../../src/client/slots/slot-names.js";
import type { SlotReceipt, SlotRelay } from "../../src/client/slots/slot-receipts.js";
import { type SlotTakers, type TurnSlot, takenInTurn } from "../../src/client/slots/user-attempts.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { decodeHex, encodeBase64, encodeHex, utf8 } from "../../src/protocol/encodings.js";
import { publicKeyOf } from "../../src/protocol/signature.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { listen, newClient } from "./harness.js";

let relay: TestRelay;
let slotRelay: SlotRelay;
let device: DeviceClient;
let ada: SlotMember;
let ben: SlotMember;

beforeAll(async () => {
  relay = await startRelay({ newTierSlotsPerHour: 1_000, seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
  device = await newClient(relay);
  const { server, slots } = await device.connection.discover();
  if (slots === undefined) throw new Error("the relay has no commit slots");
  slotRelay = { domain: server, slotKey: decodeHex(slots.key) as Uint8Array, memoryDays: slots.memory_days };
});
beforeEach(async () => {
  [ada, ben] = [await createSlotMember("ada"), await createSlotMember("ben")];
  await ada.found("the group");
  await ben.join(await ada.addFirst([ben.keyPackage]));
});
afterAll(() => relay.stop());

function slotsOf(member: SlotMember, changes: Partial<CommitSlotsOptions> = {}): CommitSlots {
  return createCommitSlots({
    device,
    relay: slotRelay,
    exporter: member.exporter,
    store: member.store,
    enteredAt: () => member.disk.enteredAt,
    evaluate: (content) => member.evaluate(content),
    apply: (commit) => member.apply(commit),
    announce: async () => undefined,
    ...changes,
  });
}

/** Puts content of any kind into the slot of the present epoch, as an insider can. */
async function fill(attempt: number, content = new Uint8Array(randomBytes(100))): Promise<SlotReceipt> {
  const { slot, sign } = await commitSlotKey(slotRelay, { exporter: ada.exporter, attempt });
  const slot_key = Buffer.from(slotRelay.slotKey).toString("hex");
  const body = { content: encodeBase64(content), slot_key, ...sign(content) };
  return (await device.call("takeSlot", { path: { slot }, body })).receipt;
}

const expectOneState = () => expect(ben.authenticator()).toBe(ada.authenticator());

test("void content leads to the next attempt, for the committer and for those who follow", async () => {
  await fill(0);
  await fill(1);
  const attempts: number[] = [];
  const slots = slotsOf(ada, { announce: async ({ attempt }) => void attempts.push(attempt) });
  expect(await slots.commit(() => ada.makeCommit())).toEqual({ kind: "won" });
  expect(attempts).toEqual([2]);
  expect(await slotsOf(ben).follow()).toEqual({ kind: "current", applied: 1 });
  expectOneState();
});

describe("with one later attempt for each user,", () => {
  const secrets = { ada: newSecretKey(), ben: newSecretKey(), mallory: newSecretKey(), eve: newSecretKey() };
  const takersOf = (name: keyof typeof secrets): SlotTakers => ({
    users: () => Object.values(secrets).map((secret) => [publicKeyOf(secret)]),
    secretKey: secrets[name],
  });
  const by = (member: SlotMember, changes: Partial<CommitSlotsOptions> = {}) =>
    slotsOf(member, { takers: takersOf(member === ada ? "ada" : "ben"), ...changes });
  const inTurn = (name: keyof typeof secrets) => takenInTurn(slotRelay, ada.exporter, takersOf(name));

  async function take(one: TurnSlot | undefined, key = one?.key) {
    if (one === undefined || key === undefined) throw new Error("there is no attempt to take");
    const content = new Uint8Array(randomBytes(100));
    const slot_key = encodeHex(slotRelay.slotKey);
    const body = { content: encodeBase64(content), slot_key, ...key.sign(content) };
    return device.call("takeSlot", { path: { slot: one.slot }, body });
  }

  test("two members who fill all that they can stop nothing", async () => {
    await fill(0);
    await fill(1);
    const [mallory, eve] = [await inTurn("mallory"), await inTurn("eve")];
    const second = mallory.attempt(2, []);
    expect((await take(second)).won).toBe(true);
    expect((await take(eve.attempt(3, [2]))).won).toBe(true);
    // No further one takes her key, nor the key of another slot.
    const last = mallory.attempt(4, [2, 3]);
    expect(last?.key).toBeUndefined();
    await expect(take(last, second?.key)).rejects.toMatchObject({ error: "INVALID_REQUEST" });

    const attempts: number[] = [];
    const slots = by(ada, { announce: async ({ attempt }) => void attempts.push(attempt) });
    expect(await slots.commit(() => ada.makeCommit())).toEqual({ kind: "won" });
    expect(attempts).toEqual([4]);
    expect(await by(ben).follow()).toEqual({ kind: "current", applied: 1 });
    expectOneState();
  });

  test("a commit in such an attempt is finished after a crash", async () => {
    for (const attempt of [0, 1]) await fill(attempt);
    const crashing = by(ada, { apply: () => Promise.reject(new Error("the battery is empty")) });
    await expect(crashing.commit(() => ada.makeCommit())).rejects.toThrow("the battery is empty");
    // As if the answer had been lost.
    delete ada.disk.pending?.receipt;
    ada.crash();
    expect(await by(ada).follow()).toEqual({ kind: "current", applied: 1 });
    expect(await by(ben).follow()).toEqual({ kind: "current", applied: 1 });
    expectOneState();
  });

  test("a relay that does not prove who has taken one is not believed", async () => {
    for (const attempt of [0, 1]) await fill(attempt);
    await take((await inTurn("mallory")).attempt(2, []));
    const call = async (...[operation, ...input]: Parameters<DeviceClient["call"]>) => {
      const answer = (await device.call(operation, ...input)) as { slots?: { taker?: { public_key: string } }[] };
      const own = (await inTurn("ben")).attempt(2, [])?.key?.sign(new Uint8Array(1)).public_key;
      for (const { taker } of answer.slots ?? []) if (taker !== undefined && own !== undefined) taker.public_key = own;
      return answer;
    };
    const lied = by(ben, { device: { ...device, call } as DeviceClient });
    await expect(lied.follow()).rejects.toThrow("has not proved");
    expect(await by(ben).follow()).toEqual({ kind: "current", applied: 0 });
  });

  test("the group has ended once every user has filled one", async () => {
    for (const attempt of [0, 1]) await fill(attempt);
    const order = Object.keys(secrets) as (keyof typeof secrets)[];
    for (const [at, name] of order.entries())
      await take(
        (await inTurn(name)).attempt(
          2 + at,
          Array.from({ length: at }, (_, user) => user),
        ),
      );
    const ended = { kind: "rejoin", reason: "no attempt left" };
    const slots = by(ada);
    expect(await slots.commit(() => ada.makeCommit())).toEqual(ended);
    expect(slots.slots()).toHaveLength(6);
  });
});

test("a group whose attempts are all used up ends, and does not fork", async () => {
  for (let attempt = 0; attempt < 16; attempt++) await fill(attempt);
  const ended = { kind: "rejoin", reason: "no attempt left" };
  expect(await slotsOf(ada).commit(() => ada.makeCommit())).toEqual(ended);
  expect(await slotsOf(ben).follow()).toEqual(ended);
  expectOneState();
});

test("a commit that came in a message is applied if its receipt proves it, otherwise the slot's is", async () => {
  const sent: Parameters<CommitSlots["receive"]>[0][] = [];
  const slots = slotsOf(ada, { announce: async (commit) => void sent.push(commit) });
  await slots.commit(() => ada.makeCommit());
  const [own] = sent as [(typeof sent)[number]];
  // An insider sends another commit than the slot has.
  const { content } = await ben.makeCommit();
  expect(await slotsOf(ben).receive({ ...own, content })).toEqual({ kind: "current", applied: 1 });
  expectOneState();

  await slots.commit(() => ada.makeCommit());
  const offline = { ...device, call: () => Promise.reject(new Error("no request is needed")) } as never;
  const second = sent[1] as (typeof sent)[number];
  expect(await slotsOf(ben, { device: offline }).receive(second)).toEqual({ kind: "current", applied: 1 });
  expectOneState();
});

test("a commit that could not be announced is announced when the application starts again", async () => {
  const announced: string[] = [];
  const failing = slotsOf(ada, {
    async announce() {
      throw new Error("no network");
    },
  });
  await expect(failing.commit(() => ada.makeCommit())).rejects.toThrow("no network");
  ada.crash();
  const slots = slotsOf(ada, { announce: async ({ receipt }) => void announced.push(receipt.slot) });
  expect(await slots.follow()).toEqual({ kind: "current", applied: 0 });
  expect(await slots.follow()).toEqual({ kind: "current", applied: 0 });
  expect(announced).toHaveLength(1);
  await slotsOf(ben).follow();
  expectOneState();
});

test("a commit that won before a crash is applied afterwards, with the state that was made with it", async () => {
  const crashing = slotsOf(ada, {
    async apply() {
      throw new Error("the battery is empty");
    },
  });
  await expect(crashing.commit(() => ada.makeCommit())).rejects.toThrow("the battery is empty");
  await slotsOf(ben).follow();
  ada.crash();
  expect(await slotsOf(ada).follow()).toEqual({ kind: "current", applied: 1 });
  expectOneState();
});

test("an answer that its receipt does not prove changes nothing", async () => {
  const lying = {
    ...device,
    async call(...[operation, ...input]: Parameters<DeviceClient["call"]>) {
      const answer = (await device.call(operation, ...input)) as { receipt: SlotReceipt };
      return { ...answer, receipt: { ...answer.receipt, signature: "ab".repeat(64) } };
    },
  } as DeviceClient;
  const epoch = ada.epoch();
  await expect(slotsOf(ada, { device: lying }).commit(() => ada.makeCommit())).rejects.toThrow("not proved");
  expect(ada.epoch()).toBe(epoch);
  // It won nonetheless, which shows with an honest relay.
  expect(await slotsOf(ada).follow()).toEqual({ kind: "current", applied: 1 });
  await slotsOf(ben).follow();
  expectOneState();
});

test("a relay with another slot key has forgotten slots, and the group continues as a new one", async () => {
  const before = { ...slotRelay, slotKey: new Uint8Array(randomBytes(32)) };
  expect(await slotsOf(ada, { relay: before }).commit(() => ada.makeCommit())).toEqual({
    kind: "rejoin",
    reason: "slots restarted",
  });
  expect(ada.disk.pending).toBeUndefined();
});

describe("many groups of one device", () => {
  const paths: string[] = [];
  const statuses: number[] = [];
  const counted = (changes: Partial<Runtime> = {}) =>
    newClient(relay, {
      runtime: {
        async fetch(url, init) {
          const response = await globalThis.fetch(url, init);
          if (new URL(url).pathname.startsWith("/v1/slots")) {
            paths.push(new URL(url).pathname);
            statuses.push(response.status);
          }
          return response;
        },
        ...changes,
      },
    });
  const newGroups = (length: number) =>
    Promise.all(
      Array.from({ length }, async (_, i) => {
        const member = await createSlotMember("ada");
        await member.found(`group ${i}`);
        return member;
      }),
    );
  beforeEach(() => {
    paths.length = 0;
    statuses.length = 0;
  });

  test("are asked for in few requests, and no commit yet is no error", async () => {
    const many = await counted();
    const members = await newGroups(12);
    const [first, ...others] = members as [SlotMember, ...SlotMember[]];
    await slotsOf(first, { device: many }).commit(() => first.makeCommit());
    paths.length = 0;
    const behind = Promise.all([ada, ...others].map((one) => slotsOf(one, { device: many }).follow()));
    const stopped = new AbortController();
    const reason = new Error("the application has ended");
    stopped.abort(reason);
    await expect(slotsOf(first, { device: many }).follow({ signal: stopped.signal })).rejects.toBe(reason);
    expect(await behind).toEqual([ada, ...others].map(() => ({ kind: "current", applied: 0 })));
    expect(new Set(paths)).toEqual(new Set(["/v1/slots/read"]));
    expect(paths.length).toBeLessThan(members.length / 2);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test("follow the commits of others side by side", async () => {
    const many = await counted();
    for (let i = 0; i < 3; i++) await slotsOf(ada).commit(() => ada.makeCommit());
    const others = await newGroups(3);
    const results = await Promise.all([ben, ...others].map((one) => slotsOf(one, { device: many }).follow()));
    expect(results.map((one) => (one.kind === "current" ? one.applied : one.kind))).toEqual([3, 0, 0, 0]);
    expectOneState();
  });

  test("are asked for one by one at a relay that has no such request, or has it no longer", async () => {
    const { server, slots } = await device.connection.discover();
    const members = await newGroups(3);
    for (const policy of [slots, { ...slots, max_slots_per_reading: undefined }]) {
      const old = await counted({
        async fetch(url, init) {
          const { pathname } = new URL(url);
          if (pathname === "/v1/slots/read") return globalThis.fetch(`${relay.url}/nowhere`, init);
          if (pathname.startsWith("/v1/slots")) paths.push(pathname);
          const response = await globalThis.fetch(url, init);
          if (pathname !== "/.well-known/svc") return response;
          return Response.json({ ...(await response.json()), server, slots: policy });
        },
      });
      await slotsOf(ada).commit(() => ada.makeCommit());
      const results = await Promise.all([ben, ...members].map((one) => slotsOf(one, { device: old }).follow()));
      expect(results.map((one) => (one.kind === "current" ? one.applied : one.kind))).toEqual([1, 0, 0, 0]);
      expectOneState();
      expect(paths.length).toBeGreaterThan(members.length);
    }
  });

  test("believe no answer that its receipt does not prove", async () => {
    await slotsOf(ada).commit(() => ada.makeCommit());
    type Readings = { slots: { slot: string; receipt?: SlotReceipt }[] };
    const answers: [string, (readings: Readings) => void][] = [
      ["not proved", ({ slots }) => Object.assign(slots[0]?.receipt ?? {}, { signature: "ab".repeat(64) })],
      ["other slots", ({ slots }) => slots.shift()],
    ];
    for (const [message, change] of answers) {
      const lying = {
        ...device,
        async call(...[operation, ...input]: Parameters<DeviceClient["call"]>) {
          const answer = await device.call(operation, ...input);
          if (operation === "readSlots") change(answer as unknown as Readings);
          return answer;
        },
      } as DeviceClient;
      await expect(slotsOf(ben, { device: lying }).follow()).rejects.toThrow(message);
    }
    expect(await slotsOf(ben).follow()).toEqual({ kind: "current", applied: 1 });
    expectOneState();
  });
});

describe("an epoch that was entered long ago", () => {
  const days = (share: number) => share * slotRelay.memoryDays * 86_400_000;
  const grow = (member: SlotMember, share: number) => {
    member.disk.enteredAt -= days(share);
  };

  test("is ended by a commit without proposals, if the application makes one, before nobody may commit any more", async () => {
    grow(ada, 0.2);
    const slots = slotsOf(ada, { renew: () => ada.makeCommit() });
    expect(await slots.follow()).toEqual({ kind: "current", applied: 0 });
    grow(ada, 0.1);
    expect(await slotsOf(ada).follow()).toEqual({ kind: "current", applied: 0 });
    expect(await slots.follow()).toEqual({ kind: "current", applied: 1 });
    expect(await slots.follow()).toEqual({ kind: "current", applied: 0 });
    expect(await slotsOf(ben).follow()).toEqual({ kind: "current", applied: 1 });
    expectOneState();
  });

  test("takes no commit when half of the time has passed for which the relay remembers its slot", async () => {
    const tooOld = { kind: "rejoin", reason: "epoch too old" };
    const { slot } = await commitSlotKey(slotRelay, { exporter: ada.exporter, attempt: 0 });
    grow(ada, 0.51);
    const slots = slotsOf(ada, { renew: () => ada.makeCommit() });
    expect(await slots.commit(() => ada.makeCommit())).toEqual(tooOld);
    expect(await slots.follow()).toEqual(tooOld);
    await expect(device.call("getSlot", { path: { slot } })).rejects.toMatchObject({ error: "NOT_FOUND" });
  });

  test("is left by the commit that won in it, also by one whose answer was lost, and by none that was not sent", async () => {
    const losing = {
      ...device,
      async call(...[operation, ...input]: Parameters<DeviceClient["call"]>) {
        const answer = await device.call(operation, ...input);
        if (operation === "takeSlot") throw new Error("the answer is lost");
        return answer;
      },
    } as DeviceClient;
    const offline = {
      ...device,
      async call(...[operation, ...input]: Parameters<DeviceClient["call"]>) {
        if (operation === "takeSlot") throw new Error("no network");
        return device.call(operation, ...input);
      },
    } as DeviceClient;
    await expect(slotsOf(ada, { device: losing }).commit(() => ada.makeCommit())).rejects.toThrow("is lost");
    grow(ada, 0.51);
    expect(await slotsOf(ada).follow()).toEqual({ kind: "current", applied: 1 });
    expect(await slotsOf(ben).follow()).toEqual({ kind: "current", applied: 1 });
    expectOneState();
    await expect(slotsOf(ada, { device: offline }).commit(() => ada.makeCommit())).rejects.toThrow("no network");
    grow(ada, 0.51);
    expect(await slotsOf(ada).follow()).toEqual({ kind: "rejoin", reason: "epoch too old" });
    expect(ada.disk.pending).toBeUndefined();
  });
});

test("a commit that one member alone cannot follow counts, and that member is removed and added again", async () => {
  const cleo = await createSlotMember("cleo");
  await slotsOf(ada).commit(async () => {
    const made = await ada.makeCommit([{ proposalType: "add", add: { keyPackage: cleo.keyPackage } }]);
    if (made.invitation === undefined) throw new Error("cleo is not invited");
    await cleo.join(made.invitation);
    return made;
  });
  await slotsOf(ben).follow();
  // What ben finds in commits from now on is garbage for him alone.
  spoilPathKeys(ben);
  expect(await slotsOf(ada).commit(() => ada.makeCommit())).toEqual({ kind: "won" });
  const unusable = { kind: "rejoin", reason: "unusable commit" };
  expect(await slotsOf(ben).follow()).toEqual(unusable);
  expect(await slotsOf(ben).commit(() => ben.makeCommit())).toEqual(unusable);
  expect(await slotsOf(cleo).follow()).toEqual({ kind: "current", applied: 1 });

  const [removed, again] = [ben.leaf(), await createSlotMember("ben")];
  await slotsOf(cleo).commit(async () => {
    const made = await cleo.makeCommit([
      { proposalType: "remove", remove: { removed } },
      { proposalType: "add", add: { keyPackage: again.keyPackage } },
    ]);
    if (made.invitation === undefined) throw new Error("ben is not invited");
    await again.join(made.invitation);
    return made;
  });
  expect(await slotsOf(ada).follow()).toEqual({ kind: "current", applied: 1 });
  expect(await slotsOf(again).commit(() => again.makeCommit())).toEqual({ kind: "won" });
  for (const member of [ada, cleo]) {
    await slotsOf(member).follow();
    expect(member.authenticator()).toBe(again.authenticator());
  }
});

/** Replaces the keys by which a member opens path secrets. */
function spoilPathKeys(member: SlotMember): void {
  const [state] = decodeGroupState(member.disk.group ?? new Uint8Array(), 0) ?? [];
  if (state === undefined) throw new Error("the member is in no group");
  const { privateKeys, leafIndex } = state.privatePath;
  const spoiled = Object.fromEntries(Object.keys(privateKeys).map((node) => [node, new Uint8Array(randomBytes(32))]));
  member.disk.group = encodeGroupState({ ...state, privatePath: { leafIndex, privateKeys: spoiled } });
  member.crash();
}

test("calls wait for each other, and a commit that is wanted no longer is not made", async () => {
  const slots = slotsOf(ada);
  const [first, second, third] = await Promise.all([
    slots.commit(() => ada.makeCommit()),
    slots.commit(async () => undefined),
    slots.commit(() => ada.makeCommit()),
  ]);
  expect([first, second, third]).toEqual([{ kind: "won" }, { kind: "lost" }, { kind: "won" }]);
  expect(() => slotsOf(ada, { apply: undefined as never })).toThrow("apply must be a function");
  expect(() => slotsOf(ada, { isCrowded: true as never })).toThrow("isCrowded must be a function");
});

test("an application that keeps waiting messages itself leaves the rest at the relay while it has too many, and reads all of them in order", async () => {
  const [room, texts]: [number, string[]] = [5, []];
  const bens = await newClient(relay);
  const to = bens.session()?.addresses.at(-1) ?? "";
  // Ben hears of no commit. The last epoch has fewer texts than he has room for.
  for (const [epoch, count] of [8, 8, 3].entries()) {
    await slotsOf(ada).commit(() => ada.makeCommit());
    for (let at = 0; at < count; at++) {
      texts.push(`text ${at} of epoch ${epoch}`);
      await device.send({ to, ciphertext: sealEnvelope(await ada.keys(), utf8(texts.at(-1) as string)) });
    }
  }
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  const leftAtRelay = async () => {
    const statement = "select count(*)::int as count from messages where device_id = :deviceId";
    return (await db.one<{ count: number }>(statement, { deviceId: bens.deviceId }))?.count ?? 0;
  };
  let waiting: Uint8Array[] = [];
  const read: string[] = [];
  const crowds: { kept: number; leftAtRelay: number; followed: FollowResult }[] = [];
  const readWaiting = async () => {
    const keys = await ben.keys();
    waiting = waiting.filter((envelope) => {
      const text = openEnvelope(keys, envelope);
      if (text !== undefined) read.push(new TextDecoder().decode(text));
      return text === undefined;
    });
  };
  const slots = slotsOf(ben, {
    device: bens,
    isCrowded: () => waiting.length > room,
    async apply(commit) {
      await ben.apply(commit);
      await readWaiting();
    },
  });
  const { until } = listen(bens, {
    async handle({ ciphertext }: IncomingMessage) {
      waiting.push(ciphertext);
      await readWaiting();
      if (waiting.length === 0) return;
      const [kept, left] = [waiting.length, await leftAtRelay()];
      const followed = await slots.follow();
      if (kept > room) crowds.push({ kept, leftAtRelay: left, followed });
      else expect(followed).toEqual({ kind: "later", applied: 0 });
    },
  });
  await until(() => read.length >= texts.length);
  expect(read).toEqual(texts);
  expectOneState();
  // Each time one message more than there was room for; nothing behind it had been taken.
  expect(crowds).toEqual([
    { kept: 6, leftAtRelay: expect.any(Number), followed: { kind: "later", applied: 1 } },
    { kept: 6, leftAtRelay: expect.any(Number), followed: { kind: "later", applied: 1 } },
  ]);
  for (const [at, { leftAtRelay }] of crowds.entries())
    expect(leftAtRelay).toBeGreaterThanOrEqual(texts.length - (8 * at + 6));
  await db.close();
});
