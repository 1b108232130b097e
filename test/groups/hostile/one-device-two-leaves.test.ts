import { afterAll, beforeAll, expect, test } from "vitest";
import { newSecretKey } from "../../../src/client/index.js";
import { decodeRecord } from "../../../src/groups/encoding/records.js";
import { type Group, type Groups, memoryStore, type Store, tsMls } from "../../../src/groups/index.js";
import { encodeIdentity } from "../../../src/groups/mls/members.js";
import type { Account } from "../../../src/groups/store/records.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import { openDevice, openPerson, roomy, untilSame } from "../people.js";
import { take } from "./attempts.js";
import { Mallory } from "./mallory.js";

// Mallory makes leaves that name a device of hers twice. Ada has the library as it is.

const mls = tsMls();

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

const accountIn = async (store: Store) => decodeRecord<Account>((await store.get("account")) as Uint8Array);
const namesIn = (group: Group) => group.members().map(({ name }) => name);

interface Leafed {
  name: string;
  address: string;
  userSecret: Uint8Array;
  deviceSecret: Uint8Array;
  /** The user's signature is of another leaf. */
  isUnsigned?: boolean;
}

async function packageOf({ name, address, isUnsigned = false, ...secrets }: Leafed): Promise<Uint8Array> {
  const [signer, other] = [await mls.newSigner(), await mls.newSigner()];
  const signatureKey = await mls.publicKeyOf(isUnsigned ? other : signer);
  const identity = encodeIdentity({ name, address }, { ...secrets, signatureKey });
  return (await mls.newKeyPackage({ identity, signer })).keyPackage;
}

/** Ada, Mallory whose device is closed, and addresses of two more. */
async function openAll(makeGroup: (ada: Groups, mallory: Groups) => Promise<Group>) {
  const store = memoryStore();
  const ada = await openPerson(relay, "Ada");
  const helper = await openDevice(relay, "Mallory", { store });
  const [second, eve] = [await openPerson(relay, "Mallory"), await openPerson(relay, "Eve")];
  const adas = await makeGroup(ada, helper);
  await until(async () => helper.groups().length === 1, "Mallory is in");
  await until(async () => adas.epoch === helper.groups()[0]?.epoch, "both are in one epoch");
  const leave = async () => {
    await helper.close();
    return Mallory.from(relay, store, adas.id);
  };
  return { ada, adas, helper, second, eve, leave, account: await accountIn(store) };
}

/** What Mallory puts beside a new device of hers: with the device's id, Eve's address, and keys that Eve has. */
const besides: [string, (own: Leafed, address: string) => Leafed][] = [
  ["somebody whom no user has signed", (own, address) => ({ ...own, name: "Eve", address, isUnsigned: true })],
  ["another user on the same device", (own, address) => ({ ...own, name: "Eve", address, userSecret: newSecretKey() })],
];

test("nobody comes into a direct chat beside another device of one of the two", async () => {
  const made = await openAll((ada, mallory) => ada.directChat(mallory.user, { addresses: [mallory.address] }));
  const { adas, second, eve, leave, account } = made;
  const mallory = await leave();
  const own = {
    name: "Mallory",
    address: second.address,
    userSecret: account.userSecret,
    deviceSecret: newSecretKey(),
  };
  for (const [at, [what, make]] of besides.entries()) {
    const add = [await packageOf(own), await packageOf(make(own, eve.address))];
    const { commit } = await mls.commit(mallory.state, { add });
    expect([what, await take(mallory.carrier, { state: mallory.state, bytes: commit, attempt: at })]).toEqual([
      what,
      true,
    ]);
  }
  await adas.setDisappearing(3_600);
  expect([namesIn(adas), adas.direct]).toEqual([["Ada", "Mallory"], account.user ?? adas.direct]);
});

test("who may not invite brings nobody in beside another device of theirs", async () => {
  const made = await openAll(async (ada, mallory) => {
    const club = await ada.create({ name: "Club", everyone: ["send"] });
    await club.add([mallory.address]);
    return club;
  });
  const { adas, second, eve, leave, account } = made;
  const mallory = await leave();
  const own = {
    name: "Mallory",
    address: second.address,
    userSecret: account.userSecret,
    deviceSecret: newSecretKey(),
  };
  for (const [at, [what, make]] of besides.entries()) {
    const add = [await packageOf(own), await packageOf(make(own, eve.address))];
    const { commit } = await mls.commit(mallory.state, { add });
    expect([what, await take(mallory.carrier, { state: mallory.state, bytes: commit, attempt: at })]).toEqual([
      what,
      true,
    ]);
  }
  await adas.rename("After both");
  expect(namesIn(adas)).toEqual(["Ada", "Mallory"]);
});

test("a role of a user does not go over to another user whom the same device has signed", async () => {
  const made = await openAll(async (ada, mallory) => {
    const club = await ada.create({ name: "Roles" });
    await club.add([mallory.address]);
    return club;
  });
  const { ada, adas, helper, second, leave, account } = made;
  await adas.setRole(helper.user, ["send", "invite", "remove"]);
  await untilSame([adas, helper.groups()[0] as Group]);
  const mallory = await leave();
  const { deviceSecret } = account;
  const twin = await packageOf({ name: "Twin", address: second.address, userSecret: newSecretKey(), deviceSecret });
  const { commit } = await mls.commit(mallory.state, { add: [twin] });
  expect(await take(mallory.carrier, { state: mallory.state, bytes: commit, attempt: 0 })).toBe(true);
  await adas.remove(adas.members().flatMap(({ id, name }) => (name === "Mallory" ? [id] : [])));
  expect(Object.keys(adas.roles().users)).toEqual([ada.user]);
});
