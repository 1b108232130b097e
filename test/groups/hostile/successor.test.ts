import { afterAll, beforeAll, expect, test } from "vitest";
import { newSecretKey } from "../../../src/client/index.js";
import { decodeRecord } from "../../../src/groups/encoding/records.js";
import { type Group, memoryStore, type Store, tsMls } from "../../../src/groups/index.js";
import { encodeIdentity, userKeysOf } from "../../../src/groups/mls/members.js";
import { type Successor, succeed } from "../../../src/groups/mls/user-keys.js";
import type { Account } from "../../../src/groups/store/records.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import {
  eventsOf,
  groupOf,
  linkDevice,
  linkTo,
  openDevice,
  openPerson,
  roomy,
  untilHas,
  untilSame,
} from "../people.js";
import { take } from "./attempts.js";
import { Mallory } from "./mallory.js";

// Ben loses a tablet and unlinks it. Its finder has all that it had stored, and changes the library. All others have the library as it is.

const mls = tsMls();
const appUrl = "https://chat.example/app";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

const devicesOf = (group: Group, user: string) => group.members().filter((one) => one.user === user);
const accountIn = async (store: Store) => decodeRecord<Account>((await store.get("account")) as Uint8Array);

/** The keys of a user by each of their leaves, as a device has stored a group. */
async function keysIn(store: Store, { id }: Group, user: string): Promise<string[][]> {
  const view = mls.view(await mls.load((await store.get(`state/${id}`)) as Uint8Array));
  return view.leaves.map(userKeysOf).filter(([first]) => first === user);
}

/** A key package of a device that the finder has made a device of the user. */
async function forged(
  { user, userSecret }: Account,
  address: string,
  successors: Successor[] = [],
  secret = userSecret,
) {
  const signer = await mls.newSigner();
  const signatureKey = await mls.publicKeyOf(signer);
  const secrets = { userSecret: secret, deviceSecret: newSecretKey(), signatureKey };
  const identity = encodeIdentity({ name: "Ben", address, user, successors }, secrets);
  return (await mls.newKeyPackage({ identity, signer })).keyPackage;
}

test("a lost device keeps nothing that counts: its user's key has a successor, and nobody takes the old one", async () => {
  const adasStore = memoryStore();
  const [ada, ben] = [await openPerson(relay, "Ada", { store: adasStore }), await openPerson(relay, "Ben")];
  const events = eventsOf(ada);
  const club = await ada.create({ name: "Club" });
  const { link } = await club.invite({ appUrl, uses: 10 });
  const malloryStore = memoryStore();
  const helper = await openDevice(relay, "Mallory", { store: malloryStore });
  await club.add([ben.address, helper.address]);
  await groupOf(helper, "Club");
  const bens = await groupOf(ben, "Club");
  const laptop = await linkDevice(ben, relay);
  const store = memoryStore();
  const tablet = await openDevice(relay, "Ben", { store, link: linkTo(ben) });
  await groupOf(tablet, "Club");
  await until(async () => devicesOf(club, ben.user).length === 3, "all devices are in");
  await ada.setVerified(ben.user);
  const number = ada.safetyNumber(ben.user);
  await until(async () => (await keysIn(store, club, ben.user)).length === 3, "the tablet has stored it");
  await tablet.close();
  const lost = await accountIn(store);

  await ben.unlinkDevice(tablet.device.deviceId);
  const isNew = async () => {
    const keys = await keysIn(adasStore, club, ben.user);
    return keys.length === 2 && keys.every((one) => one.length === 2);
  };
  await until(isNew, "both devices that stay have the new key in the group");
  // Others see it, and have to compare again.
  const changed = events.filter(({ type }) => type === "userKeyChanged");
  expect(changed).toMatchObject([{ group: club.id, user: ben.user, isConflict: false }]);
  expect(ada.isVerified(ben.user)).toBe(false);
  expect(ada.safetyNumber(ben.user)).not.toBe(number);
  for (const own of [ben, laptop]) expect(own.safetyNumber(ada.user)).toBe(ada.safetyNumber(ben.user));
  await ada.setVerified(ben.user);
  const laptops = await groupOf(laptop, "Club");
  await laptops.send({ text: "from the laptop" });
  await untilHas(club, "from the laptop");

  // The finder opens the device, and links another one.
  const finder = await openPerson(relay, "Ben", { store });
  await until(async () => finder.group(club.id)?.state === "removed", "the finder is out");
  const other = await openPerson(relay, "Ben", { link: linkTo(finder) });
  expect(other.user).toBe(ben.user);
  await expect(club.add([{ address: other.address, user: ben.user }])).rejects.toMatchObject({
    refused: [{ error: "WRONG_USER" }],
  });
  for (const one of [finder, other]) await one.join(link);
  // A successor that the finder makes of the old key, and a member who takes them in.
  const secret = newSecretKey();
  const own = succeed({ user: ben.user, successors: [] }, { last: lost.userSecret, next: secret });
  await untilSame([club, bens, helper.group(club.id) as Group]);
  await helper.close();
  const mallory = await Mallory.from(relay, malloryStore, club.id);
  for (const [attempt, [successors, key]] of [[[], lost.userSecret] as const, [own, secret] as const].entries()) {
    const keyPackage = await forged(lost, other.address, [...successors], key);
    const { commit } = await mls.commit(mallory.state, { add: [keyPackage] });
    expect(await take(mallory.carrier, { state: mallory.state, bytes: commit, attempt })).toBe(true);
  }
  const before = club.epoch;
  await club.rename("After both");
  expect(club.epoch).toBe(before + 1n);
  // Somebody else does come in by the link, and neither of the two has by then.
  const cem = await openPerson(relay, "Cem");
  await cem.join(link);
  const cems = await groupOf(cem, club.name);
  expect(
    devicesOf(cems, ben.user)
      .map(({ device }) => device)
      .sort(),
  ).toEqual([ben, laptop].map(({ device }) => device.deviceId).sort());
  expect(ada.isVerified(ben.user)).toBe(true);
});

test("a device that only the lost one had linked is out after a day, and one that was off meanwhile comes back", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const club = await ada.create({ name: "Days" });
  await club.add([ben.address]);
  const bens = await groupOf(ben, "Days");
  const store = memoryStore();
  const laptop = await openDevice(relay, "Ben", { store, link: linkTo(ben) });
  await groupOf(laptop, "Days");
  const tablet = await linkDevice(ben, relay);
  await groupOf(tablet, "Days");
  const hidden = await linkDevice(tablet, relay);
  const hiddens = await groupOf(hidden, "Days");
  await until(async () => devicesOf(club, ben.user).length === 4, "all devices are in");
  await laptop.close();
  await ben.unlinkDevice(tablet.device.deviceId);
  await until(async () => devicesOf(club, ben.user).length === 3, "the tablet is out");
  await bens.send({ text: "before a day has passed" });
  await untilHas(hiddens, "before a day has passed");
  relay.clock.advance(86_400);
  ben.reconnectNow();
  await until(async () => devicesOf(club, ben.user).length === 1, "the devices without the new key are out");
  await until(async () => hiddens.state === "removed", "one of them has seen it");
  await bens.send({ text: "on one device" });
  const again = await openPerson(relay, "Ben", { store });
  await until(async () => devicesOf(club, ben.user).length === 2, "the laptop has heard of the key, and asked");
  const there = await groupOf(again, "Days");
  await untilHas(there, "before a day has passed", "on one device");
  await there.send({ text: "back" });
  await untilHas(club, "back");
  expect(again.safetyNumber(ada.user)).toBe(ada.safetyNumber(ben.user));
});
