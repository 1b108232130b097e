import { randomBytes } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  encodeSvcMessage,
  encodeSystemOperation,
  epochKeysOf,
  newSecretKey,
  type SvcMessage,
  sealEnvelope,
} from "../../../src/client/index.js";
import { runtimeWith } from "../../../src/client/runtime/runtime.js";
import { encodeContent } from "../../../src/groups/encoding/content.js";
import { decodeRecord, encodeRecord } from "../../../src/groups/encoding/records.js";
import {
  type Group,
  type Groups,
  type Message,
  memoryStore,
  tsMls,
  type UnreachableError,
} from "../../../src/groups/index.js";
import { doorKeysOf } from "../../../src/groups/membership/door-keys.js";
import { encodeSent, hashOf } from "../../../src/groups/membership/known-disputes.js";
import type { Membership } from "../../../src/groups/membership/membership.js";
import { encodeRequest } from "../../../src/groups/membership/request-encoding.js";
import { RequestOpener } from "../../../src/groups/membership/request-opening.js";
import { signClaim } from "../../../src/groups/mls/dispute-statements.js";
import { replacementOf } from "../../../src/groups/mls/leaf-replacement.js";
import { encodeIdentity } from "../../../src/groups/mls/members.js";
import type { GroupView, Leaf } from "../../../src/groups/mls/mls.js";
import { isAllowed } from "../../../src/groups/mls/permissions.js";
import type { LoggedCommit, StoredEffect, StoredMembership } from "../../../src/groups/store/records.js";
import { concatBytes, encodeHex, utf8 } from "../../../src/protocol/encodings.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import { groupOf, linkTo, mlsWith, openDevice, openPerson, roomy, untilHas, untilSame } from "../people.js";
import { Mallory, openToBecome } from "./mallory.js";

// Mallory sends what her library would not send. Ben has the library as it is.

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

let isAway = false;
/** Requests to these paths fail while the relay is away. */
const failing =
  (paths: string): typeof fetch =>
  async (url, init) => {
    if (isAway && String(url).includes(paths)) throw new TypeError("the relay is away");
    return fetch(url, init);
  };

test("receipts for messages that never come fill a bounded part of a store, and real ones still count", async () => {
  let forged: Uint8Array | undefined;
  const mls = mlsWith("encrypt", (real) => (state, content) => real.encrypt(state, forged ?? content));
  const store = memoryStore();
  const ben = await openPerson(relay, "Ben", { store });
  const mallory = await openPerson(relay, "Mallory", { mls });
  const bens = await ben.create({ name: "Filled" });
  await bens.add([mallory.address]);
  const mallorys = await groupOf(mallory, "Filled");
  const { id } = await bens.send({ text: "read me" });
  await untilHas(mallorys, "read me");
  const common = () => ({ message_id: crypto.randomUUID(), sent_at_millis: Date.now() });
  const named = (sent: number, count: number) =>
    Array.from({ length: count }, (_, at) => `${sent}-${at}`.padEnd(100, "x"));
  const send = async (targets: string[]) => {
    forged = encodeSvcMessage({ ...common(), type: "receipt", targets, status: "read" });
    await mallorys.send({ text: "a receipt goes in its place" });
    forged = undefined;
  };
  // More than one receipt may name is no receipt.
  await send(named(100, 101));
  for (let sent = 0; sent < 12; sent += 1) await send(named(sent, 100));
  await mallorys.receipt([id], "read");
  await mallorys.send({ text: "the last one" });
  await untilHas(bens, "the last one");
  const isRead = async () => (await bens.messages()).some(({ receipts }) => receipts[mallory.user] === "read");
  await until(isRead, "the real receipt has come");
  const kept = await store.list({ prefix: "effect/" });
  expect(kept).toHaveLength(1_000);
  expect(Math.max(...kept.map(([, value]) => value.length))).toBeLessThan(1_000);
  expect(kept.some(([key]) => key.includes("/100-"))).toBe(false);
});

test("what one user says of a message that is still to come takes no room from what others say of it", async () => {
  let forged: SvcMessage | undefined;
  const mls = mlsWith("encrypt", (real) => (state, content) => {
    return real.encrypt(state, forged === undefined ? content : encodeSvcMessage(forged));
  });
  const [ada, mallory] = [await openPerson(relay, "Ada"), await openPerson(relay, "Mallory", { mls })];
  const adas = await ada.create({ name: "Early" });
  await adas.add([mallory.address]);
  const mallorys = await groupOf(mallory, "Early");
  const { id } = await adas.send({ text: "to be taken back" });
  await untilHas(mallorys, "to be taken back");
  // The file with the past does not come through, and then it does.
  const store = memoryStore();
  isAway = true;
  const tablet = await openDevice(relay, "Ada", {
    store,
    link: linkTo(ada),
    runtime: { fetch: failing("/v1/blobs/") },
  });
  const there = await groupOf(tablet, "Early");
  await until(async () => mallorys.members().length === 3, "Mallory knows the tablet");
  await until(async () => (await store.list({ prefix: "history/" })).length > 0, "the file is offered");
  for (let sent = 0; sent < 40; sent += 1) {
    const common = { message_id: crypto.randomUUID(), sent_at_millis: Date.now(), delivered: [id], read: [id] };
    forged = { ...common, type: "reaction", target: id, emoji: sent % 2 ? "+" : "-" };
    await mallorys.send({ text: "a reaction goes in its place" });
    forged = { ...common, type: "edit", target: id, text: "taken over" };
    await mallorys.send({ text: "an edit goes in its place" });
  }
  forged = undefined;
  await mallorys.send({ text: "the last one" });
  await untilHas(there, "the last one");
  // A reaction, an edit and a receipt.
  const mallorysEffects = await store.list({ prefix: "effect/" });
  expect(mallorysEffects).toHaveLength(3);
  // As if 97 users had reacted.
  const [[key, first]] = mallorysEffects as [[string, Uint8Array]];
  const reaction = decodeRecord<StoredEffect>(first);
  for (let user = 0; user < 97; user += 1) {
    const by = { ...reaction.by, user: String(user) };
    await store.write([[key.replace(/\d+$/, String(user).padStart(12, "0")), encodeRecord({ ...reaction, by })]]);
  }
  await adas.edit(id, "");
  await adas.send({ text: "taken back" });
  await untilHas(there, "taken back");
  expect(await store.list({ prefix: "effect/" })).toHaveLength(100);
  await tablet.close();
  isAway = false;
  const again = await openPerson(relay, "Ada", { store });
  const group = again.group(adas.id) as Group;
  const found = async () => (await group.messages()).find((one) => one.id === id);
  await until(async () => (await found()) !== undefined, "the past has come");
  expect(await found()).toMatchObject({ text: "", receipts: { [mallory.user]: "read" } });
});

test("a receipt for more messages than one may name goes in several", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const adas = await ada.create({ name: "Many" });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, "Many");
  for (let at = 0; at < 101; at += 1) await adas.send({ text: `${at}` });
  await untilHas(bens, "100");
  const ids = (await bens.messages({ limit: 200 })).map(({ id }) => id);
  await bens.receipt(ids, "read");
  const areRead = async () =>
    (await adas.messages({ limit: 200 })).every(({ receipts }) => receipts[ben.user] === "read");
  await until(areRead, "all are read");
});

test("requests by one link take no room from those by another, and make way when it is revoked", async () => {
  const store = memoryStore();
  const ada = await openPerson(relay, "Ada", { store });
  const [ben, mallory] = [await openPerson(relay, "Ben"), await openPerson(relay, "Mallory")];
  const adas = await ada.create({ name: "Asked" });
  const invite = () => adas.invite({ appUrl: "https://app.example/join", uses: 1_000, approve: true });
  const [known, other] = [await invite(), await invite()];
  await mallory.join(known.link);
  await until(async () => (await adas.requests()).length === 1, "Mallory has asked");
  const [asked] = await store.list({ prefix: "request/" });
  const many = Array.from({ length: 49 }, (_, at) => `request/${adas.id}/${String(at).padStart(64, "0")}`);
  await store.write(many.map((key) => [key, asked?.[1]]));
  const seen = async () => (await store.list({ prefix: "seen/" })).length;
  const before = await seen();
  await ben.join(known.link);
  await until(async () => (await seen()) > before, "the request has come");
  expect(await adas.requests()).toHaveLength(50);
  await ben.join(other.link);
  await until(async () => (await adas.requests()).length === 51, "the link that few know lets Ben ask");
  await adas.revoke(known.id);
  await mallory.join(other.link);
  await until(async () => (await adas.requests()).length === 2, "the requests by the other link have made way");
});

test("a member who says again and again that they leave causes one change", async () => {
  let isLeaving = false;
  const mls = mlsWith("encrypt", (real) => (state, content) => {
    return real.encrypt(state, isLeaving ? encodeSystemOperation({ operation: "leave" }) : content);
  });
  const store = memoryStore();
  const ada = await openPerson(relay, "Ada", { store, runtime: { fetch: failing("/slots/") } });
  const mallory = await openPerson(relay, "Mallory", { mls });
  const adas = await ada.create({ name: "Leaving" });
  await adas.add([mallory.address]);
  const mallorys = await groupOf(mallory, "Leaving");
  isAway = true;
  isLeaving = true;
  for (let sent = 0; sent < 5; sent += 1) await mallorys.send({ text: "a leave goes in its place" });
  isLeaving = false;
  await mallorys.send({ text: "still here" });
  await untilHas(adas, "still here");
  expect(await store.list({ prefix: "change/" })).toHaveLength(1);
  isAway = false;
});

test("what no key opens makes a device read the slots of its groups less and less often", async () => {
  const waits = [1_500, 3_000, 6_000, 12_000, 24_000, 48_000];
  const over: number[] = [];
  const sleep = async (millis: number, signal?: AbortSignal) => {
    const isOne = waits.includes(millis);
    await runtimeWith().sleep(isOne ? 20 : millis, signal);
    if (isOne) over.push(millis);
  };
  const ben = await openPerson(relay, "Ben", { runtime: { sleep } });
  const mallory = await openPerson(relay, "Mallory");
  for (const name of ["One", "Two"]) await ben.create({ name });
  over.length = 0;
  for (const [at, millis] of waits.entries()) {
    const junk = new Uint8Array(randomBytes(600));
    junk[0] = 1;
    await mallory.device.send({ to: ben.address, ciphertext: junk });
    await until(async () => over.length > at, `the slots are read after ${millis} ms`);
  }
  expect(over).toEqual(waits);
});

test("requests that wait for their commits are 100 by one link, and one by another has room", async () => {
  const store = memoryStore();
  const ada = await openPerson(relay, "Ada", { store, runtime: { fetch: failing("/slots") } });
  const people = await Promise.all(["Ben", "Cleo", "Dan"].map((name) => openPerson(relay, name)));
  const [ben, cleo, dan] = people as [Groups, Groups, Groups];
  const adas = await ada.create({ name: "Rush" });
  const invite = () => adas.invite({ appUrl: "https://app.example/join", uses: 1_000 });
  const [known, other] = [await invite(), await invite()];
  const changes = () => store.list({ prefix: `change/${adas.id}/` });
  isAway = true;
  await ben.join(known.link);
  await until(async () => (await changes()).length === 1, "Ben has asked");
  const [[, asked]] = (await changes()) as [[string, Uint8Array]];
  const many = Array.from({ length: 99 }, (_, at): [string, Uint8Array] => {
    const change = decodeRecord<{ joiner: object }>(asked);
    const joiner = { ...change.joiner, device: String(at).padStart(64, "0") };
    return [`change/${adas.id}/9${String(at).padStart(11, "0")}`, encodeRecord({ ...change, joiner })];
  });
  await store.write(many);
  const seen = async () => (await store.list({ prefix: "seen/" })).length;
  const before = await seen();
  await cleo.join(known.link);
  await until(async () => (await seen()) > before, "Cleo's request has come");
  expect(await changes()).toHaveLength(100);
  await dan.join(other.link);
  await until(async () => (await changes()).length === 101, "Dan's request waits");
  await store.write(many.map(([key]) => [key, undefined]));
  isAway = false;
  await groupOf(dan, "Rush");
});

test("a message has reactions and receipts of 1,000 users", async () => {
  const store = memoryStore();
  const [ada, ben] = [await openPerson(relay, "Ada", { store }), await openPerson(relay, "Ben")];
  const adas = await ada.create({ name: "Loud" });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, "Loud");
  const [{ id: full }, { id: other }] = [await adas.send({ text: "full" }), await adas.send({ text: "other" })];
  await untilHas(bens, "full", "other");
  await bens.react(other, "👍");
  await until(async () => (await adas.messages()).some(({ reactions }) => ben.user in reactions), "Ben has reacted");
  const others = Array.from({ length: 1_000 }, (_, at) => String(at).padStart(64, "0"));
  const fill = async (users: string[]) => {
    const stored = await store.list({ prefix: `message/${adas.id}/` });
    for (const [key, value] of stored) {
      const message = decodeRecord<Message>(value);
      const reactions = Object.fromEntries(users.map((user) => [user, ["👎"]]));
      const receipts = Object.fromEntries(users.map((user) => [user, "delivered"]));
      if (message.id === full) await store.write([[key, encodeRecord({ ...message, reactions, receipts })]]);
    }
  };
  const find = async () => (await adas.messages()).find(({ id }) => id === full) as Message;
  const told = async (emoji: string) => {
    await bens.react(full, emoji);
    await bens.receipt([full], "read");
    await bens.send({ text: emoji });
    await untilHas(adas, emoji);
  };
  await fill(others);
  await told("👍");
  for (const all of [(await find()).reactions, (await find()).receipts]) {
    expect(Object.keys(all)).toHaveLength(1_000);
    expect(all).not.toHaveProperty(ben.user);
  }
  // A user who is among them may change their mind.
  await fill([...others.slice(1), ben.user]);
  await told("🎉");
  expect((await find()).reactions[ben.user]).toEqual(["🎉"]);
});

test("past epochs of a small group take 16 MiB of a store", async () => {
  const store = memoryStore();
  const ada = await openDevice(relay, "Ada", { store });
  const { id } = await ada.create({ name: "Small" });
  await ada.close();
  const key = `group/${id}`;
  const stored = decodeRecord<StoredMembership>((await store.get(key)) as Uint8Array);
  const [present] = stored.epochs as [StoredMembership["epochs"][number]];
  const bytes = 128 * 1024;
  const numbers = Array.from({ length: 200 }, (_, at) => 10_000 - at);
  const past = numbers.map((epoch) => ({ ...present, epoch, bytes }));
  await store.write([
    [key, encodeRecord({ ...stored, epochs: [present, ...past] })],
    ...numbers.map((epoch): [string, Uint8Array] => [
      `past/${id}/${String(epoch).padStart(12, "0")}`,
      new Uint8Array(bytes),
    ]),
  ]);
  const again = await openPerson(relay, "Ada", { store });
  await again.group(id)?.rename("Smaller");
  const kept = await store.list({ prefix: `past/${id}/` });
  const total = kept.reduce((sum, [, one]) => sum + one.length, 0);
  expect(kept.length).toBeGreaterThan(64);
  expect([total <= 16 * 2 ** 20, total > 16 * 2 ** 20 - 2 * bytes]).toEqual([true, true]);
});

test("complaints of commits of many past epochs take little room from other changes", async () => {
  const [store, mallorys] = [memoryStore(), memoryStore()];
  const ben = await openPerson(relay, "Ben");
  let stoppedMillis: number | undefined;
  const nowMillis = () => stoppedMillis ?? relay.clock.nowMillis();
  const ada = await openPerson(relay, "Ada", { store, runtime: { nowMillis } });
  const mallory = await openPerson(relay, "Mallory", { store: mallorys });
  const bens = await ben.create({ name: "Past" });
  for (const { address } of [ada, mallory]) await bens.add([address]);
  const [adas, hers] = [await groupOf(ada, "Past"), await groupOf(mallory, "Past")];
  await untilSame([bens, adas, hers]);
  for (let at = 0; at < 24; at += 1) await bens.rename(`Past ${at}`);
  await untilSame([bens, adas, hers]);
  const stored = async <T>(key: string) => decodeRecord<T>((await mallorys.get(key)) as Uint8Array);
  const { epochs } = await stored<StoredMembership>(`group/${bens.id}`);
  const { deviceSecret } = await stored<{ deviceSecret: Uint8Array }>("account");
  const { ownLeaf, groupId } = tsMls().view(await tsMls().load((await mallorys.get(`state/${bens.id}`)) as Uint8Array));
  // Time passes no more, so Ada waits for Ben, who has a lower leaf, to help first.
  stoppedMillis = relay.clock.nowMillis();
  for (const { epoch, keys } of epochs.slice(1)) {
    const log = await mallorys.get(`log/${bens.id}/${String(epoch).padStart(12, "0")}`);
    if (log === undefined) continue;
    const commit = hashOf(decodeRecord<LoggedCommit>(log).content);
    const view = { groupId, epoch: BigInt(epoch), ownLeaf } as GroupView;
    const statement = signClaim(view, { commit, committer: ownLeaf, isUsable: false }, deviceSecret);
    const message = encodeSent({ kind: "statement", statement });
    const ciphertext = sealEnvelope(keys, encodeContent({ kind: "dispute", message }));
    await mallory.device.send({ to: ada.address, ciphertext });
  }
  await hers.send({ text: "the last one" });
  await untilHas(adas, "the last one");
  expect((await store.list({ prefix: `dispute/${bens.id}/` })).length).toBeGreaterThan(16);
  expect(await store.list({ prefix: `change/${bens.id}/` })).toHaveLength(16);
});

test("a user's device is added again ten times a day, however often it says that it has lost the group", async () => {
  const store = memoryStore();
  const ada = await openPerson(relay, "Ada", { store });
  const mallorys = await openToBecome(relay, "Mallory");
  const adas = await ada.create({ name: "Again", everyone: ["send"] });
  await adas.add([mallorys.groups.address]);
  await untilSame([adas, await groupOf(mallorys.groups, "Again")]);
  const account = decodeRecord<Record<"signer" | "userSecret" | "deviceSecret", Uint8Array>>(
    (await mallorys.store.get("account")) as Uint8Array,
  );
  await mallorys.groups.close();
  const { mls, carrier } = await Mallory.from(relay, mallorys.store, adas.id);
  const signatureKey = await mls.publicKeyOf(account.signer);
  const { address } = mallorys.groups;
  const identity = encodeIdentity({ name: "Mallory", address }, { ...account, signatureKey });
  const stored = decodeRecord<StoredMembership>((await mallorys.store.get(`group/${adas.id}`)) as Uint8Array);
  const ask = async () => {
    const leaf = mls.view(await mls.load((await store.get(`state/${adas.id}`)) as Uint8Array)).leaves[1] as Leaf;
    const replaces = replacementOf({ groupId: Uint8Array.from(Buffer.from(adas.id, "hex")) }, leaf);
    const { keyPackage } = await mls.newKeyPackage({ identity, signer: account.signer, replaces });
    const ciphertext = sealEnvelope(await doorKeysOf(stored.door as Uint8Array), encodeRequest({ keyPackage }));
    await carrier.device.send({ to: ada.address, ciphertext });
    const seen = `seen/${encodeHex(sha256(ciphertext))}`;
    await until(async () => (await store.get(seen)) !== undefined, "Ada has got it");
  };
  const before = adas.epoch;
  for (let at = 1; at <= 10; at += 1) {
    await ask();
    await until(async () => adas.epoch === before + BigInt(at), "the device was added again");
  }
  await ask();
  await adas.rename("Once more");
  expect(adas.epoch).toBe(before + 11n);
});

test("what waits is tried with the keys of the newest epochs at the start, and not with all", async () => {
  const store = memoryStore();
  const ada = await openDevice(relay, "Ada", { store });
  const { id } = await ada.create({ name: "Start" });
  await ada.close();
  const key = `group/${id}`;
  const stored = decodeRecord<StoredMembership>((await store.get(key)) as Uint8Array);
  const [present] = stored.epochs as [StoredMembership["epochs"][number]];
  const epochs = Array.from({ length: 100 }, (_, at) => {
    const exporter = async () => new Uint8Array(32).fill(at + 1);
    return epochKeysOf(exporter).then((keys) => ({ ...present, epoch: 1_000 - at, keys }));
  });
  const past = await Promise.all(epochs);
  const waiting = [1, 14, 15, 99].map((at): [string, Uint8Array] => {
    const ciphertext = sealEnvelope((past[at] as typeof present).keys, new Uint8Array(10).fill(99));
    const entry = {
      hash: encodeHex(sha256(ciphertext)),
      ciphertext,
      receivedAtSeconds: relay.clock.nowMillis() / 1000,
    };
    return [`waiting/${String(at).padStart(12, "0")}`, encodeRecord(entry)];
  });
  await store.write([[key, encodeRecord({ ...stored, epochs: [present, ...past] })], ...waiting]);
  await openPerson(relay, "Ada", { store });
  const left = (await store.list({ prefix: "waiting/" })).map(([one]) => Number(one.slice("waiting/".length)));
  expect(left).toEqual([15, 99]);
});

test("a flood that no key opens takes a bounded time, and still lets requests by the newest doors in", async () => {
  const newDoor = () => new Uint8Array(randomBytes(32));
  // Nine times as many as a device keeps of a group: eleven envelopes use up the tries of an hour.
  const doors = [newDoor(), ...Array<Uint8Array>(8_966).fill(newDoor()), ...Array.from({ length: 33 }, newDoor)];
  const log = doors.map((door, epoch) => ({ epoch, bytes: 1, door }));
  const membership = { isFollowed: true, stored: { log }, context: { invitations: [] } } as unknown as Membership;
  const opener = new RequestOpener();
  const found = async (envelope: Uint8Array, nowMillis = 0) =>
    (await opener.open([membership], envelope, nowMillis))?.since;
  const asked = async (door: number) =>
    sealEnvelope(await doorKeysOf(doors[door] as Uint8Array), encodeRequest({ keyPackage: newDoor() }));
  expect([await found(await asked(0)), await found(await asked(8_967))]).toEqual([0, 8_967]);
  for (let sent = 2; sent < 11; sent += 1) expect(await found(Uint8Array.of(1, ...randomBytes(600)))).toBeUndefined();
  expect([await found(await asked(8_967)), await found(await asked(8_968))]).toEqual([undefined, 8_968]);
  expect(await found(await asked(8_967), 3_600_000)).toBe(8_967);
});

test("of many signals that a member types, few are shown", async () => {
  let nowMillis = relay.clock.nowMillis();
  const ben = await openPerson(relay, "Ben", { runtime: { nowMillis: () => nowMillis } });
  const mallory = await openPerson(relay, "Mallory");
  const bens = await ben.create({ name: "Typed" });
  await bens.add([mallory.address]);
  const mallorys = await groupOf(mallory, "Typed");
  const told: boolean[] = [];
  ben.subscribe((event) => event.type === "typing" && told.push(event.isTyping));
  await mallorys.send({ text: "the first one" });
  await untilHas(bens, "the first one");
  for (let sent = 0; sent < 40; sent += 1) await mallorys.typing(sent % 2 === 0);
  await mallorys.send({ text: "the last one" });
  await untilHas(bens, "the last one");
  const shown = () => told.filter((isTyping) => isTyping).length;
  expect(shown()).toBe(10);
  nowMillis = relay.clock.nowMillis() + 10_000;
  await until(async () => {
    await mallorys.typing();
    return shown() > 10;
  }, "typing is shown again");
});

test("news that proves nothing makes a device read slots less and less often", async () => {
  let readings = 0;
  const counting: typeof fetch = async (url, init) => {
    if (String(url).includes("/slots/")) readings += 1;
    return fetch(url, init);
  };
  const store = memoryStore();
  const ben = await openPerson(relay, "Ben", { runtime: { fetch: counting } });
  const mallory = await openPerson(relay, "Mallory", { store });
  const bens = await ben.create({ name: "News" });
  await bens.add([mallory.address]);
  const mallorys = await groupOf(mallory, "News");
  await untilSame([bens, mallorys]);
  const mls = tsMls();
  const keys = async () => {
    const state = await mls.load((await store.get(`state/${bens.id}`)) as Uint8Array);
    return epochKeysOf(mls.exporterOf(state));
  };
  const past = await keys();
  await bens.rename("Newer");
  await untilSame([bens, mallorys]);
  readings = 0;
  for (const of of [past, await keys()])
    for (let sent = 0; sent < 40; sent += 1) {
      const news = { receipt: {} as never, attempt: 9, content: utf8(`${sent}`) };
      const ciphertext = sealEnvelope(of, encodeContent({ kind: "commit", news }));
      await mallory.device.send({ to: ben.address, ciphertext });
    }
  await mallorys.send({ text: "the last one" });
  await untilHas(bens, "the last one");
  await mallorys.rename("Newest");
  await until(async () => bens.name === "Newest", "real news leads on");
  // One reading takes two requests at most, and eight come before the first wait.
  expect(readings).toBeLessThan(30);
});

test("many changes of a large message take little room until the application reads of them", async () => {
  const store = memoryStore();
  const [ben, mallory] = [await openPerson(relay, "Ben", { store }), await openPerson(relay, "Mallory")];
  const bens = await ben.create({ name: "Changed" });
  await bens.add([mallory.address]);
  const mallorys = await groupOf(mallory, "Changed");
  const { id } = await bens.send({ text: "x".repeat(50_000) });
  await untilHas(mallorys, "x".repeat(50_000));
  for (let at = 0; at < 40; at += 1) await mallorys.react(id, at % 2 ? "+" : "-");
  await mallorys.send({ text: "the last one" });
  await untilHas(bens, "the last one");
  const kept = (await store.list({ prefix: "event/" })).map(([, value]) => value.length);
  expect(kept.length).toBeGreaterThan(40);
  expect(kept.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(150_000);
  const changes: string[] = [];
  for await (const event of ben.events()) {
    if (event.type === "messageChanged") changes.push(event.message.reactions[mallory.user]?.join() ?? "");
    if (event.type === "message" && event.message.text === "the last one") break;
  }
  expect(changes).toEqual(Array(40).fill("+"));
});

test("past epochs of a group with large states take a bounded part of a store", async () => {
  const mebibytes = 4;
  const mls = mlsWith("save", (real) => (state) => concatBytes(real.save(state), new Uint8Array(mebibytes * 2 ** 20)));
  const store = memoryStore();
  const ada = await openPerson(relay, "Ada", { store, mls });
  const adas = await ada.create({ name: "Large" });
  for (let at = 0; at < 8; at += 1) await adas.rename(`Large ${at}`);
  expect(await store.list({ prefix: "past/" })).toHaveLength(32 / mebibytes - 1);
});

/** Devices that do not exist, of one user. */
async function madeUp(count: number) {
  const mls = tsMls();
  const userSecret = newSecretKey();
  const made = Array.from({ length: count }, async () => {
    const signer = await mls.newSigner();
    const secrets = { userSecret, deviceSecret: newSecretKey(), signatureKey: await mls.publicKeyOf(signer) };
    const identity = encodeIdentity({ name: "Bot", address: `${crypto.randomUUID()}@victim.example` }, secrets);
    return { identity, signer, signatureKey: secrets.signatureKey };
  });
  return Promise.all(made);
}

test("a group has 4,096 devices, and nobody enters one that has more of a user than a user has", async () => {
  const [bot] = await madeUp(1);
  const viewOf = (count: number) => {
    const leaves = Array.from({ length: count }, (_, index) => {
      const key = new Uint8Array(32);
      return { index, identity: utf8(`${index}`), signatureKey: key, encryptionKey: key };
    });
    const extension = () => undefined;
    return { groupId: new Uint8Array(16), epoch: 0n, isMember: true, ownLeaf: 0, leaves, extension };
  };
  const add = { kind: "add", ...(bot as NonNullable<typeof bot>) } as const;
  const judged = (count: number, removed: number[]) => {
    const proposals = [add, ...removed.map((leaf) => ({ kind: "remove", leaf }) as const)];
    return isAllowed(viewOf(count), { committer: 0, proposals });
  };
  expect([judged(4_095, []), judged(4_096, []), judged(4_096, [7])]).toEqual([true, false, true]);

  const { groups, store } = await openToBecome(relay, "Mallory");
  const { id } = await groups.create({ name: "Enormous" });
  await groups.close();
  const mallory = await Mallory.from(relay, store, id);
  const ben = await openPerson(relay, "Ben");
  const leaves = await Promise.all((await madeUp(33)).map((one) => mallory.mls.newKeyPackage(one)));
  const { state } = await mallory.mls.commit(mallory.state, { add: leaves.map(({ keyPackage }) => keyPackage) });
  mallory.state = state;
  await mallory.lure([ben.address]);
  await (await mallory.carrier.create({ name: "Small" })).add([ben.address]);
  await groupOf(ben, "Small");
  expect(ben.groups().map(({ name }) => name)).toEqual(["Small"]);
});

test("a long list of new members takes several commits", async () => {
  const [ada, ben, cleo] = await Promise.all(["Ada", "Ben", "Cleo"].map((name) => openPerson(relay, name)));
  const group = await (ada as Groups).create({ name: "Long" });
  const before = group.epoch;
  const [, domain] = (ada as Groups).address.split("@");
  const nobody = Array.from({ length: 256 }, () => `${crypto.randomUUID()}@${domain}`);
  const adding = group.add([(ben as Groups).address, ...nobody, (cleo as Groups).address]);
  const { refused } = (await adding.catch((problem) => problem)) as UnreachableError;
  expect(refused.map(({ address }) => address).sort()).toEqual([...nobody].sort());
  expect(group.members().map(({ name }) => name)).toEqual(["Ada", "Ben", "Cleo"]);
  expect(group.epoch).toBe(before + 2n);
});
