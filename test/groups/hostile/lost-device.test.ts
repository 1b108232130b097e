import { afterAll, beforeAll, expect, test } from "vitest";
import { newSecretKey, sealMessages } from "../../../src/client/index.js";
import { decodeRecord, encodeRecord } from "../../../src/groups/encoding/records.js";
import { type Group, type Groups, memoryStore, type Store, tsMls } from "../../../src/groups/index.js";
import { doorKeysOf } from "../../../src/groups/membership/door-keys.js";
import { encodeIdentity } from "../../../src/groups/mls/members.js";
import { succeed } from "../../../src/groups/mls/user-keys.js";
import type { Account, Link } from "../../../src/groups/store/records.js";
import { encodeHex, utf8 } from "../../../src/protocol/encodings.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import {
  groupOf,
  linkDevice,
  linkTo,
  mlsWith,
  openDevice,
  openPerson,
  roomy,
  textsOf,
  untilHas,
  untilSame,
} from "../people.js";
import { take } from "./attempts.js";
import { deafening, Mallory, sayLeaving } from "./mallory.js";

// Ben loses a tablet. Its finder prepares what they can before he unlinks it. All others have the library as it is.

const mls = tsMls();

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

const devicesOf = (group: Group, { user }: Groups) => group.members().filter((one) => one.user === user);
const accountIn = async (store: Store) => decodeRecord<Account>((await store.get("account")) as Uint8Array);

/** Says something to the device that has linked this one, as only devices of the user can. */
async function tellLinked(device: Groups, store: Store, message: object): Promise<void> {
  const [[, bytes] = []] = await store.list({ prefix: "link/" });
  const { secret, address } = decodeRecord<Link>(bytes as Uint8Array);
  const sealed = { to: [address], content: utf8(JSON.stringify(message)), keys: await doorKeysOf(secret) };
  const [copy] = await sealMessages({ ...sealed, isAutomatic: true }, device.device.connection);
  await device.device.send({ to: address, ciphertext: copy?.ciphertext as Uint8Array });
}

test("a lost device that has given itself out for another one is not told the next key of its user", async () => {
  const ada = await openPerson(relay, "Ada");
  const [bensStore, store] = [memoryStore(), memoryStore()];
  const ben = await openPerson(relay, "Ben", { store: bensStore });
  const club = await ada.create({ name: "Names" });
  await club.add([ben.address]);
  const bens = await groupOf(ben, "Names");
  const laptop = await linkDevice(ben, relay);
  const tablet = await openPerson(relay, "Ben", { store, link: linkTo(ben) });
  const there = await groupOf(tablet, "Names");
  await until(async () => devicesOf(club, ben).length === 3, "all devices are in");
  const key = encodeHex((await accountIn(store)).userSecret);
  for (const device of ["0".repeat(64), laptop.device.deviceId])
    await tellLinked(tablet, store, { type: "link", address: tablet.address, device });
  await there.setLocal({ told: true });
  await until(async () => (await bens.local())["told"] === true, "Ben's phone has heard all of it");
  await ben.unlinkDevice(tablet.device.deviceId);
  await until(async () => there.state === "removed", "the tablet is out");
  // What comes later than anything that the phone has told.
  await until(async () => encodeHex((await accountIn(bensStore)).userSecret) !== key, "the phone has another key");
  const cem = await openPerson(relay, "Cem");
  const other = await cem.create({ name: "Later" });
  await other.add([tablet.address]);
  await groupOf(tablet, "Later");
  expect(encodeHex((await accountIn(store)).userSecret)).toBe(key);
  // The laptop has been told.
  await until(async () => laptop.safetyNumber(ada.user) === ben.safetyNumber(ada.user), "the laptop has the new key");
});

test("a device without the user's new key removes none that have it, nor has the user leave", async () => {
  const ada = await openPerson(relay, "Ada");
  const ben = await openPerson(relay, "Ben");
  const club = await ada.create({ name: "Coup", everyone: ["send", "remove"] });
  await club.add([ben.address]);
  const bens = await groupOf(ben, "Coup");
  const tablet = await linkDevice(ben, relay);
  await groupOf(tablet, "Coup");
  const store = memoryStore();
  const hidden = await openDevice(relay, "Ben", { store, link: linkTo(tablet) });
  const hiddens = await groupOf(hidden, "Coup");
  await until(async () => devicesOf(club, ben).length === 3, "all devices are in");
  await ben.unlinkDevice(tablet.device.deviceId);
  await until(async () => devicesOf(club, ben).length === 2, "the tablet is out");
  await untilSame([club, bens, hiddens]);
  await hidden.close();
  const finder = await Mallory.from(relay, store, club.id);
  const account = await accountIn(store);
  const [phone] = club.members().filter(({ device }) => device === ben.device.deviceId);
  const next = newSecretKey();
  const successors = succeed({ user: ben.user, successors: [] }, { last: account.userSecret, next });
  const signatureKey = await mls.publicKeyOf(account.signer);
  const about = { name: "Ben", address: hidden.address, user: ben.user, successors };
  const identity = encodeIdentity(about, { userSecret: next, deviceSecret: account.deviceSecret, signatureKey });
  for (const [attempt, change] of [{}, { identity }].entries()) {
    const { commit } = await mls.commit(finder.state, { remove: [phone?.id as number], ...change });
    expect(await take(finder.carrier, { state: finder.state, bytes: commit, attempt })).toBe(true);
  }
  await club.rename("After both");
  await untilSame([club, bens]);
  await bens.send({ text: "still here" });
  await untilHas(club, "still here");
  expect(devicesOf(club, ben).map(({ device }) => device)).toContain(ben.device.deviceId);
});

test("users who do not exist do not make a device forget that the key of another one was replaced", async () => {
  const store = memoryStore();
  const ada = await openDevice(relay, "Ada", { store });
  const [ben, cem] = [await openPerson(relay, "Ben"), await openPerson(relay, "Cem")];
  const club = await ada.create({ name: "Keys" });
  await club.add([ben.address, cem.address]);
  const bens = await groupOf(ben, "Keys");
  await groupOf(cem, "Keys");
  const replaceKey = async (user: Groups) => {
    const tablet = await linkDevice(user, relay);
    await groupOf(tablet, "Keys");
    await user.unlinkDevice(tablet.device.deviceId);
  };
  const knows = (groups: Groups, other: Groups) =>
    until(
      async () => groups.safetyNumber(other.user) === other.safetyNumber(groups.user),
      `${groups.name} knows the key of ${other.name}`,
    );
  const before = ada.safetyNumber(ben.user);
  await replaceKey(ben);
  await until(async () => ada.safetyNumber(ben.user) !== before, "Ada knows that Ben has another key");
  await untilSame([club, bens]);
  await ada.close();
  // As if a member had added them to a group of many, and removed them.
  const junk = Array.from({ length: 9_999 }, (_, at) => "f".repeat(58) + String(at).padStart(6, "0"));
  const known = encodeRecord({ keys: ["0", "1"], group: "0".repeat(64) });
  await store.write(junk.map((user) => [`user-keys/${user}`, known]));
  const again = await openPerson(relay, "Ada", { store });
  await replaceKey(cem);
  for (const other of [cem, ben]) await knows(again, other);
  expect(await store.list({ prefix: "user-keys/" })).toHaveLength(10_000);
});

test("what a lost device has set for a far future does not bind its user", async () => {
  const store = memoryStore();
  const ben = await openPerson(relay, "Ben");
  const mallory = await openPerson(relay, "Mallory");
  const own = await ben.create({ name: "Own" });
  const tablet = await openPerson(relay, "Ben", { store, link: linkTo(ben) });
  const there = await groupOf(tablet, "Own");
  const at = Number.MAX_SAFE_INTEGER;
  const groups = { [`user-${mallory.user}`]: { $blocked: { at } }, [own.id]: { muted: { value: true, at } } };
  await tellLinked(tablet, store, { type: "local", groups });
  await there.setLocal({ told: true });
  await until(async () => (await own.local())["told"] === true, "Ben's phone has heard all of it");
  await ben.unlinkDevice(tablet.device.deviceId);
  const laptop = await linkDevice(ben, relay);
  const laptops = await groupOf(laptop, "Own");
  for (const isBlocked of [true, false, true]) {
    await (isBlocked ? ben.blockUser(mallory.user) : ben.unblockUser(mallory.user));
    const has = async () => laptop.blockedUsers().includes(mallory.user) === isBlocked;
    await until(has, `both devices have ${isBlocked ? "blocked" : "unblocked"} her`);
    expect(ben.blockedUsers().includes(mallory.user)).toBe(isBlocked);
  }
  await own.setLocal({ muted: false });
  await until(async () => (await laptops.local())["muted"] === false, "the laptop has it");
});

test("an unlinked device neither writes for its user afterwards nor has them leave", async () => {
  const { mls, deafen } = deafening();
  const [adasStore, bensStore, store] = [memoryStore(), memoryStore(), memoryStore()];
  const ada = await openPerson(relay, "Ada", { store: adasStore });
  const ben = await openPerson(relay, "Ben", { store: bensStore });
  const club = await ada.create({ name: "Lost" });
  await club.add([ben.address]);
  const bens = await groupOf(ben, "Lost");
  const tablet = await openDevice(relay, "Ben", { store, mls, link: linkTo(ben) });
  const there = await groupOf(tablet, "Lost");
  await untilSame([club, bens, there]);
  deafen();
  await ben.unlinkDevice(tablet.device.deviceId);
  await until(async () => devicesOf(club, ben).length === 1, "the tablet is out");
  await untilSame([club, bens]);
  relay.clock.advance(300);
  await there.send({ text: "in Ben's name" });
  await until(async () => (await tablet.deviceStatus()).unsent.length === 0, "it is sent");
  await tablet.close();
  const finder = await Mallory.from(relay, store, club.id);
  await sayLeaving(finder, ben, bensStore);
  await sayLeaving(finder, ada, adasStore);
  await club.rename("Afterwards");
  await bens.send({ text: "here" });
  await untilHas(club, "here");
  expect([bens.state, devicesOf(club, ben).length]).toEqual(["active", 1]);
  for (const group of [club, bens]) expect(await textsOf(group)).not.toContain("in Ben's name");
});

test("an unlinked device is nobody to those who know the new key: neither in a direct chat, nor in a group, nor by a profile", async () => {
  // Of two direct chats, the one with the lower id counts.
  const lowest = mlsWith(
    "found",
    (real) => (given) => real.found({ ...given, groupId: given.groupId.map((byte, at) => (at < 8 ? 0 : byte)) }),
  );
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben", { autoAccept: false })];
  const chat = await ada.directChat(ben.user, { addresses: [ben.address] });
  await until(async () => ben.groups().length === 1, "Ben is asked");
  const bens = await ben.directChat(ada.user);
  const tablet = await openPerson(relay, "Ben", { mls: lowest, link: linkTo(ben) });
  await until(async () => devicesOf(chat, ben).length === 2, "all devices are in");
  await until(async () => tablet.groups().length === 1, "the tablet has entered");
  await ben.unlinkDevice(tablet.device.deviceId);
  await until(async () => devicesOf(chat, ben).length === 1, "the tablet is out");
  await until(async () => chat.epoch === bens.epoch, "both are in one epoch");
  const isOut = () => tablet.groups().every(({ state }) => state === "removed");
  await until(async () => isOut(), "the tablet knows it");
  await tablet.setProfile({ name: "Robbed" });
  const theirs = await tablet.directChat(ada.user, { addresses: [ada.address] });
  await theirs.send({ text: "write to me here" });
  const trap = await tablet.create({ name: "Trap" });
  await trap.add([ada.address, ben.address]);
  await trap.send({ text: "and here" });
  for (const person of [ada, ben]) {
    await until(async () => person.groups().some(({ name }) => name === "Trap"), `${person.name} has come to the trap`);
    expect(person.groups().find(({ name }) => name === "Trap")?.consent).toBe("unknown");
  }
  await until(async () => ada.groups().length === 3, "Ada has come to the other direct chat");
  await bens.send({ text: "it is me" });
  await untilHas(chat, "it is me");
  expect([(await ada.directChat(ben.user)).id, ada.group(theirs.id)?.consent]).toEqual([chat.id, "unknown"]);
  await (ada.group(theirs.id) as Group).accept();
  expect([(await ada.directChat(ben.user)).id, ada.group(theirs.id)?.continuedIn]).toEqual([chat.id, chat.id]);
  await untilHas(ada.group(theirs.id) as Group, "write to me here");
  expect([ada.person(ben.user).name, ben.person(ben.user).name]).toEqual(["Ben", "Ben"]);
});
