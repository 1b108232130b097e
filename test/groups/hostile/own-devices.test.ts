import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sealEnvelope, uploadBlob } from "../../../src/client/index.js";
import { decodeRecord, encodeRecord } from "../../../src/groups/encoding/records.js";
import { type Group, type Groups, type Message, memoryStore } from "../../../src/groups/index.js";
import { doorKeysOf } from "../../../src/groups/membership/door-keys.js";
import { utf8 } from "../../../src/protocol/encodings.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import { groupOf, linkDevice, linkTo, openPerson, roomy, untilHas } from "../people.js";

// The tablet of a user says to the user's other devices what its library would not say, and is unlinked afterwards. The others have the library as it is.

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

interface Lost {
  tablet: Groups;
  /** Sends a message to the device to which the tablet is linked. */
  say(message: object | string): Promise<void>;
}

/** A tablet of the user of this group, in which it is by then. */
async function lostDevice(user: Groups, group: Group): Promise<Lost> {
  const store = memoryStore();
  const tablet = await openPerson(relay, user.name, { link: linkTo(user), store });
  const { deviceId } = tablet.device;
  await until(async () => group.members().some(({ device }) => device === deviceId), "the tablet is in the group");
  const [, link] = (await store.list({ prefix: "link/" }))[0] as [string, Uint8Array];
  const { secret } = decodeRecord<{ secret: Uint8Array }>(link);
  const keys = await doorKeysOf(secret);
  const say = async (message: object | string) => {
    const text = typeof message === "string" ? message : JSON.stringify(message);
    await tablet.device.send({ to: user.address, ciphertext: sealEnvelope(keys, utf8(text)) });
  };
  return { tablet, say };
}

const untilLocal = (one: Group, local: object) =>
  until(async () => isDeepStrictEqual(await one.local(), local), `it is ${JSON.stringify(local)}`);
const numbered = <T>(count: number, name: (at: number) => string, value: T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), value]));

test("whatever a device has set leaves room for what the user sets: of groups, of one group and of users", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const phone = await linkDevice(ada, relay);
  const group = await ada.create({ name: "Full" });
  await group.add([ben.address]);
  const there = await groupOf(phone, "Full");
  await (await groupOf(ben, "Full")).send({ text: "read me" });
  for (const one of [group, there]) await untilHas(one, "read me");
  const { tablet, say } = await lostDevice(ada, group);
  const user = (sent: number, at: number) => `user-${`${sent}-${at}`.padStart(64, "0").replaceAll("-", "a")}`;
  const named = { $name: { value: "Junk", at: 1 } };
  for (let sent = 0; sent < 4; sent += 1)
    await say({ type: "local", groups: numbered(300, (at) => user(sent + 10, at), named) });
  await say({ type: "local", groups: numbered(10, (at) => `user-${at}`, named) });
  await until(async () => ada.contacts().length === 1_200, "all contacts of the tablet are there");
  await ada.setContact(ben.user, { name: "Uncle Ben" });
  await until(async () => phone.person(ben.user).name === "Uncle Ben", "the phone knows the contact");
  const one = { value: 1, at: 1, more: "x".repeat(50) };
  const blocked = { $blocked: { value: true, at: 1 } };
  const names = numbered(50, (at) => `junk ${at}`, one);
  const users = numbered(50, (at) => `$junk ${at}`, one);
  const id = (sent: number, at: number) => `${sent}-${at}`.padStart(32, "0");
  for (let sent = 0; sent < 7; sent += 1) {
    await say({ type: "local", groups: numbered(200, (at) => id(sent, at), { draft: one }) });
    await say({ type: "local", groups: numbered(300, (at) => user(sent, at), blocked) });
  }
  await say({ type: "local", groups: { [`user-${ben.user}`]: { ...users, ...names }, constructor: { a: one } } });
  await say({ type: "local", groups: { [group.id]: { ...users, ...names }, __proto__: { a: one } } });
  for (const each of [group, there]) await until(async () => "junk 49" in (await each.local()), "all of it is there");
  await ada.unlinkDevice(tablet.device.deviceId);
  await ada.blockUser(ben.user);
  await until(async () => phone.blockedUsers().includes(ben.user), "the phone blocks Ben");
  for (const each of [ada, phone]) expect(each.blockedUsers().length).toBeLessThanOrEqual(2_001);
  await ada.unblockUser(ben.user);
  for (const each of [ada, phone]) {
    expect(each.contacts().length).toBeLessThanOrEqual(2_001);
    expect(each.person(ben.user).name).toBe("Uncle Ben");
  }
  await phone.setContact(ben.user);
  await until(async () => ada.person(ben.user).name === "Ben", "no name is left");
  const [message] = await group.messages();
  await group.setRead(message as Message);
  await until(async () => (await there.unread()) === 0, "the phone knows what was read");
  // The names of the tablet make way, and what the user has set on this device stays.
  await group.setLocal({ muted: true });
  await until(async () => (await there.local())["muted"] === true, "the phone knows that it is muted");
  const set = numbered(49, (at) => `own ${at}`, 1);
  await group.setLocal(set);
  for (const each of [group, there]) await untilLocal(each, { ...set, muted: true });
  await expect(group.setLocal({ more: 1 })).rejects.toThrow(RangeError);
  const later = await phone.create({ name: "Later" });
  await later.setLocal({ muted: true });
  await untilLocal(await groupOf(ada, "Later"), { muted: true });
});

test("what a device says of the past, unasked, is not fetched, and stops neither later devices nor the reading of messages", async () => {
  const fetched: string[] = [];
  const noting: typeof fetch = async (url, init) => {
    fetched.push(String(url));
    return fetch(url, init);
  };
  const [ada, ben] = [await openPerson(relay, "Ada", { runtime: { fetch: noting } }), await openPerson(relay, "Ben")];
  const group = await ada.create({ name: "Past" });
  await group.add([ben.address]);
  const bens = await groupOf(ben, "Past");
  await bens.send({ text: "before" });
  await untilHas(group, "before");
  const { tablet, say } = await lostDevice(ada, group);
  await untilHas(await groupOf(tablet, "Past"), "before");
  const { reference } = await uploadBlob(tablet.device, utf8("no JSON"));
  fetched.length = 0;
  await say({ type: "history", reference });
  await say({ type: "history", reference: { ...reference, url: reference.url.replace(/\w{4}$/, "0000") } });
  await say({ type: "history", reference: { ...reference, url: "https://127.0.0.1:9/v1/blobs/".padEnd(93, "0") } });
  await say({ type: "history", reference: "junk" });
  await say("no JSON");
  await ada.unlinkDevice(tablet.device.deviceId);
  const phone = await linkDevice(ada, relay);
  await untilHas(await groupOf(phone, "Past"), "before");
  expect((await group.messages()).map(({ text }) => text)).toEqual(["before"]);
  expect(fetched.filter((url) => /\/v1\/blobs\/\w+$/.test(url))).toEqual([]);
});

test("of a history that another device gives, only messages are taken, from the relay of both", async () => {
  const store = memoryStore();
  const ada = await openPerson(relay, "Ada", { store });
  const group = await ada.create({ name: "Odd" });
  for (const text of ["first", "second"]) await group.send({ text });
  const [[key, bytes], other] = (await store.list({ prefix: "message/" })) as [[string, Uint8Array], unknown];
  expect(other).toBeDefined();
  const odd = [{ receipts: undefined }, { reactions: { a: 5 } }, { from: null }, { text: 5 }, { mentions: [null] }];
  const kept = decodeRecord<Message>(bytes);
  const add = odd.map((one, at): [string, Uint8Array] => [
    `${key}${at}`,
    encodeRecord({ ...kept, id: `odd ${at}`, ...one }),
  ]);
  await store.write(add);
  const phone = await linkDevice(ada, relay);
  const there = await groupOf(phone, "Odd");
  await untilHas(there, "first", "second");
  expect((await there.messages()).map(({ text }) => text)).toEqual(["first", "second"]);
});

test("a device that says to be at no address holds up no group, and what it has declined is asked again", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const group = await ada.create({ name: "Keys" });
  const { tablet, say } = await lostDevice(ada, group);
  for (const address of [5, "nowhere", { toString: 5 }, `${"x".repeat(500)}@relay.test`])
    await say({ type: "link", address, device: tablet.device.deviceId });
  await say("no JSON");
  await say({ type: "consent", group: "0".repeat(64), isAccepted: false, by: ben.user });
  await say({ type: "local", groups: { [group.id]: { heard: { value: true, at: 1 } } } });
  await untilLocal(group, { heard: true });
  await ada.unlinkDevice(tablet.device.deviceId);
  await group.add([ben.address]);
  await group.send({ text: "after" });
  await untilHas(await groupOf(ben, "Keys"), "after");
  const bens = await ben.create({ name: "Mine" });
  await bens.add([ada.address]);
  await groupOf(ada, "Mine");
});
