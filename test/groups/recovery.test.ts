import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deviceKeysOf, newSecretKey } from "../../src/client/index.js";
import { type Groups, type GroupsOptions, memoryStore } from "../../src/groups/index.js";
import { encodeIdentity } from "../../src/groups/mls/members.js";
import { isRecovered, recoveryOf } from "../../src/groups/mls/recovery-signatures.js";
import { encodeHex } from "../../src/protocol/encodings.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { until } from "../support/until.js";
import { groupOf, linkDevice, linkTo, openDevice, openPerson, roomy, textsOf, untilHas, untilSame } from "./people.js";

let fixture: PeerFixture;
let relay: PeerRelay;
let other: PeerRelay;
beforeAll(async () => {
  fixture = await createPeerFixture();
  relay = await fixture.relay(roomy);
  other = await fixture.relay(roomy);
});
afterAll(() => fixture?.stop());

async function backUp(groups: Groups, options?: { messages?: boolean }): Promise<Uint8Array> {
  return new Uint8Array(await new Response(await groups.exportBackup(options)).arrayBuffer());
}

/** Opens a device of a new store, at another relay if one is given. */
function restore(backup: Uint8Array, key: string, at: PeerRelay = relay, options?: Partial<GroupsOptions>) {
  return openPerson(at, "ignored", { restore: { backup, key }, ...options });
}

test("a user who has lost their device goes on at another relay, in all their groups, as the same user with the same role", async () => {
  const [ada, ben] = [await openDevice(relay, "Ada"), await openPerson(relay, "Ben")];
  const group = await ada.create({ name: "Club", everyone: ["send"] });
  await group.add([ben.address]);
  const notes = await ada.create({ name: "Notes" });
  await notes.send({ text: "a note" });
  await notes.setLocal({ pinned: true });
  const bens = await groupOf(ben, "Club");
  await group.send({ text: "before" });
  await group.setLocal({ muted: true });
  await ada.setVerified(ben.user);
  await expect(ada.exportBackup()).rejects.toThrow("recovery key");
  const before = bens.epoch;
  const key = await ada.createRecoveryKey();
  await until(async () => bens.epoch > before, "Ben knows of the recovery key");
  expect(key).toMatch(/^(\d{5} ){9}\d{5}$/);
  await untilHas(bens, "before");
  const backup = await backUp(ada, { messages: true });
  await group.send({ text: "after the backup" });
  await bens.send({ text: "Ada?" });
  await untilHas(group, "Ada?");
  await notes.add([ben.address]);
  const bensNotes = await groupOf(ben, "Notes");
  const lost = ada.device.deviceId;
  await ada.close();

  const again = await restore(backup, key.replaceAll(" ", ""), other);
  expect([again.name, again.user, again.hasRecoveryKey]).toEqual(["Ada", ada.user, false]);
  expect(again.isVerified(ben.user)).toBe(true);
  const there = await groupOf(again, "Club");
  expect(await textsOf(there)).toEqual(["before"]);
  expect(await there.local()).toEqual({ muted: true });
  await until(async () => (await again.lostGroups()).length === 0, "she is in all of them");
  const ownNotes = await groupOf(again, "Notes");
  expect(await textsOf(ownNotes)).toEqual(["a note"]);
  expect(await ownNotes.local()).toEqual({ pinned: true });
  await there.send({ text: "I am back" });
  await untilHas(bens, "I am back");
  await bens.send({ text: "Good" });
  await untilHas(there, "Good");
  // Ben may not invite: the recovery key lets her in. She is administrator, as before.
  expect(bens.may("invite")).toBe(false);
  await there.rename("Back");
  await until(async () => bens.name === "Back", "Ben sees the name");
  await again.unlinkDevice(lost);
  await until(async () => bens.members().length === 2, "the lost device is out");
  // She was alone in these when she made the backup. Somebody who has come since can still let her into them.
  expect([ownNotes.id === bensNotes.id, ownNotes.members().length]).toEqual([false, 1]);
  await bensNotes.add([again.address]);
  await until(async () => again.group(bensNotes.id)?.state === "active", "Ben lets her in");
});

test("a file opens with its recovery key alone, and a mistyped group of it is named", async () => {
  const ada = await openPerson(relay, "Ada");
  const group = await ada.create({ name: "Large" });
  for (let count = 0; count < 12; count++) await group.send({ text: `${count} ${"x".repeat(15_000)}` });
  const key = await ada.createRecoveryKey();
  const backup = await backUp(ada, { messages: true });
  expect(backup.length).toBeGreaterThan(150_000);
  const text = new TextDecoder("latin1").decode(backup);
  for (const secret of ["Ada", "Large", "xxxx", ada.user]) expect(text).not.toContain(secret);
  const store = memoryStore();
  const failing = (given: { backup?: Uint8Array; key?: string }) =>
    expect(openDevice(relay, "ignored", { store, restore: { backup, key, ...given } })).rejects;
  const groups = key.split(" ");
  const mistyped = (at: number, group: string) => groups.with(at, group).join(" ");
  const digit = (Number(groups[3]?.[2]) + 1) % 10;
  await failing({ key: mistyped(3, `${groups[3]?.slice(0, 2)}${digit}${groups[3]?.slice(3)}`) }).toMatchObject({
    name: "RecoveryError",
    reason: "key",
    groups: [4],
  });
  await failing({ key: mistyped(0, groups[1] ?? "") }).toMatchObject({ groups: [1] });
  await failing({ key: groups.slice(0, 9).join(" ") }).toMatchObject({ groups: [10] });
  await failing({ key: await ada.createRecoveryKey() }).toMatchObject({ reason: "otherKey" });
  const changed = (at: number, bit = 1) => backup.map((byte, index) => (index === at ? byte ^ bit : byte));
  await failing({ backup: changed(0) }).toMatchObject({ reason: "damaged" });
  await failing({ backup: changed(16, 2) }).toMatchObject({ reason: "version" });
  await failing({ backup: changed(backup.length - 1) }).toMatchObject({ reason: "damaged" });
  for (const end of [0, 40, 65_601, backup.length - 1])
    await failing({ backup: backup.slice(0, end) }).toMatchObject({ name: "RecoveryError" });
  expect(await store.get("account")).toBeUndefined();
  const again = await openPerson(relay, "ignored", { store, restore: { backup, key } });
  expect(await textsOf(await groupOf(again, "Large"))).toHaveLength(12);
});

test("a backup brings in nobody who was removed, nor anyone with a recovery key that was replaced", async () => {
  const [ada, ben, cem] = [
    await openPerson(relay, "Ada"),
    await openPerson(relay, "Ben"),
    await openPerson(relay, "Cem"),
  ];
  const group = await ada.create({ name: "Closed" });
  await group.add([ben.address, cem.address]);
  const bens = await groupOf(ben, "Closed");
  await groupOf(cem, "Closed");
  const open = await ada.create({ name: "Open" });
  await open.add([ben.address, cem.address]);
  await groupOf(ben, "Open");
  await groupOf(cem, "Open");
  const renewed = async (renew: () => Promise<string>) => {
    const epochs = [group.epoch, open.epoch].map((epoch) => epoch + 1n);
    const key = await renew();
    const areThere = async () => group.epoch === epochs[0] && open.epoch === epochs[1];
    await until(areThere, "Ada knows of the recovery key in both groups");
    return key;
  };
  const keys = [await renewed(() => ben.createRecoveryKey()), await renewed(() => cem.createRecoveryKey())] as const;
  const backups = [await backUp(ben), await backUp(cem)] as const;
  await group.remove(group.members().flatMap(({ id, user }) => (user === ben.user ? [id] : [])));
  await until(async () => bens.state === "removed", "Ben is out");
  await renewed(() => cem.createRecoveryKey());
  // What is in one group in both cases shows that the requests have been answered.
  const bens2 = await restore(backups[0], keys[0]);
  await groupOf(bens2, "Open");
  expect(await bens2.lostGroups()).toEqual([{ group: group.id, name: "Closed" }]);
  const cems2 = await restore(backups[1], keys[1]);
  const dan = await openPerson(relay, "Dan");
  await open.add([dan.address]);
  await groupOf(dan, "Open");
  await until(async () => (await cems2.lostGroups()).length === 2, "Cem waits");
  expect(group.members().map(({ user }) => user)).toEqual([ada.user, cem.user]);
  expect(open.members().filter(({ user }) => user === cem.user)).toHaveLength(1);
});

test("all devices of a user have the recovery key, and each lets the others' backups work", async () => {
  const phone = await openDevice(relay, "Ada");
  const ben = await openPerson(relay, "Ben");
  const group = await phone.create({ name: "Linked" });
  await group.add([ben.address]);
  const early = await linkDevice(phone, relay);
  await groupOf(early, "Linked");
  const key = await phone.createRecoveryKey();
  await until(async () => early.hasRecoveryKey, "the linked device has it");
  const bens = await groupOf(ben, "Linked");
  const tablet = await linkDevice(early, relay);
  expect(tablet.hasRecoveryKey).toBe(true);
  await untilSame([bens, await groupOf(tablet, "Linked")]);
  const backup = await backUp(tablet);
  for (const one of [phone, early, tablet]) await one.close();
  const again = await restore(backup, key);
  const there = await groupOf(again, "Linked");
  await there.send({ text: "back" });
  await untilHas(bens, "back");
});

test("a device that was unlinked ends the recovery key that it has made, also if another device hears of both late", async () => {
  const store = memoryStore();
  const phone = await openPerson(relay, "Ada");
  const early = await openDevice(relay, "Ada", { store, link: linkTo(phone) });
  const group = await phone.create({ name: "Late" });
  await groupOf(early, "Late");
  const stolen = await linkDevice(early, relay);
  const stolens = await groupOf(stolen, "Late");
  await early.close();
  await stolen.createRecoveryKey();
  await stolens.send({ text: "sent after that" });
  await untilHas(group, "sent after that");
  await phone.unlinkDevice(stolen.device.deviceId);
  await group.setLocal({ pinned: true });
  const tablet = await openPerson(relay, "Ada", { store });
  const tablets = await groupOf(tablet, "Late");
  // What a device tells another one is heard in order.
  await until(async () => (await tablets.local()).pinned === true, "the tablet has heard of both");
  await tablets.setLocal({ muted: true });
  await until(async () => (await group.local()).muted === true, "the phone has heard all that the tablet has said");
  expect([tablet.hasRecoveryKey, phone.hasRecoveryKey]).toEqual([false, false]);
});

test("the recovery key lets in one device of the user in whose leaf it is, into one group", () => {
  const keys = () => {
    const secret = newSecretKey();
    return { secret, publicKey: encodeHex(deviceKeysOf(secret).publicKey) };
  };
  const [ada, mallory, recovery, device, other] = Array.from({ length: 5 }, keys) as [Keys, Keys, Keys, Keys, Keys];
  const signatureKey = newSecretKey();
  const leafOf = (user: Keys, of: Keys, recovering?: Keys) => {
    const secrets = { userSecret: user.secret, deviceSecret: of.secret, signatureKey };
    return {
      identity: encodeIdentity({ name: "", address: `${randomUUID()}@relay.example`, recovery: recovering }, secrets),
      signatureKey,
    };
  };
  const groupId = newSecretKey();
  const view = (leaf: { identity: Uint8Array; signatureKey: Uint8Array }) => ({
    groupId,
    leaves: [{ ...leaf, index: 0, encryptionKey: new Uint8Array(32) }],
  });
  const { deviceId } = deviceKeysOf(device.secret);
  const recovered = { user: ada.publicKey, device: deviceId, signatureKey };
  const replaces = recoveryOf(groupId, recovered, recovery.secret);
  const asks = { ...recovered, replaces };
  const present = view(leafOf(ada, other, recovery));
  expect(isRecovered(present, asks)).toBe(true);
  expect(isRecovered(present, recovered)).toBe(false);
  // Another group, another device, another leaf key, another recovery key, and that of another user.
  expect(isRecovered({ ...present, groupId: newSecretKey() }, asks)).toBe(false);
  expect(isRecovered(present, { ...asks, device: deviceKeysOf(other.secret).deviceId })).toBe(false);
  expect(isRecovered(present, { ...asks, signatureKey: newSecretKey() })).toBe(false);
  expect(isRecovered(present, { ...asks, replaces: recoveryOf(groupId, recovered, mallory.secret) })).toBe(false);
  expect(isRecovered(view(leafOf(mallory, other, recovery)), asks)).toBe(false);
  expect(isRecovered(view(leafOf(ada, other)), asks)).toBe(false);
  // A leaf that claims to be of a user who has not signed it.
  const forged = leafOf(ada, other, recovery);
  expect(isRecovered(view({ ...forged, signatureKey: newSecretKey() }), asks)).toBe(false);
});

interface Keys {
  secret: Uint8Array;
  publicKey: string;
}
