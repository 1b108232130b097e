import { afterAll, beforeAll, expect, test } from "vitest";
import { readAttempts } from "../../../src/client/slots/attempts.js";
import { commitSlotKey } from "../../../src/client/slots/slot-names.js";
import { decodeRecord, encodeRecord } from "../../../src/groups/encoding/records.js";
import { type Group, type Groups, memoryStore } from "../../../src/groups/index.js";
import type { Proof } from "../../../src/groups/membership/continuity.js";
import { hashOf } from "../../../src/groups/membership/known-disputes.js";
import { withBanned } from "../../../src/groups/mls/bans.js";
import { writeReplacement } from "../../../src/groups/mls/commit-replacement.js";
import { signClaim } from "../../../src/groups/mls/dispute-statements.js";
import { encodeGroupContext, groupContextType } from "../../../src/groups/mls/group-context.js";
import { readIdentity } from "../../../src/groups/mls/members.js";
import type { StoredMembership } from "../../../src/groups/store/records.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import { eventsOf, groupOf, openDevice, openPerson, roomy, textsOf, untilHas, untilSame } from "../people.js";
import { contextOf, take } from "./attempts.js";
import { Mallory, openToBecome } from "./mallory.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

interface Logged {
  epoch: number;
  receipt: object;
}

const namesIn = (group: Group) =>
  group
    .members()
    .map(({ name }) => name)
    .sort();

/** A group of Ada's in which Ben and Mallory may only write. */
async function club() {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const { groups, store } = await openToBecome(relay, "Mallory");
  const adas = await ada.create({ name: "Club", everyone: ["send"] });
  await adas.add([groups.address, ben.address]);
  const [bens, hers] = [await groupOf(ben, "Club"), await groupOf(groups, "Club")];
  await untilSame([adas, bens, hers]);
  const takeOver = async () => {
    await groups.close();
    return Mallory.from(relay, store, adas.id);
  };
  return { ada, ben, adas, bens, takeOver };
}

const refusals = (person: Groups) => {
  const events = eventsOf(person);
  return () => events.filter(({ type }) => type === "welcomeRefused").length;
};

test.each(["removed", "without any right"])("a member who is %s takes nobody over into another group", async (kind) => {
  const { ada, ben, adas, bens, takeOver } = await club();
  const told = [refusals(ada), refusals(ben)];
  const mallory = await takeOver();
  const isRemoved = kind === "removed";
  if (isRemoved) {
    await adas.remove(adas.members().flatMap(({ name, id }) => (name === "Mallory" ? [id] : [])));
    await untilSame([adas, bens]);
  }
  const before = namesIn(adas);
  await mallory.found();
  const lured = [ada.address, ben.address];
  await mallory.lure(lured);
  await until(async () => told.every((count) => count() === 1), "both are told");
  // A second one is refused as well, and nobody is told again.
  await mallory.found();
  await mallory.lure(lured);
  await adas.send({ text: "for members" });
  await untilHas(bens, "for members");
  await bens.send({ text: "an answer" });
  await untilHas(adas, "for members", "an answer");
  for (const group of [adas, bens]) expect(namesIn(group)).toEqual(before);
  expect([ada, ben].map((person) => person.groups().length)).toEqual([1, 1]);
  expect(told.map((count) => count())).toEqual([1, 1]);
  expect(Number(adas.epoch)).toBeLessThan(10);
  await adas.rename("Still ours");
  await untilSame([adas, bens]);
});

test("a device that was removed comes back by a Welcome that leads on from there, and is told who has added it", async () => {
  const { ben, adas, bens, takeOver } = await club();
  const told = refusals(ben);
  const events = eventsOf(ben);
  const mallory = await takeOver();
  const remove = (who: string) => adas.remove(adas.members().flatMap(({ name, id }) => (name === who ? [id] : [])));
  await adas.send({ text: "before" });
  await untilHas(bens, "before");
  await remove("Ben");
  await until(async () => bens.state === "removed", "Ben was removed");
  await mallory.found();
  await mallory.lure([ben.address]);
  await until(async () => told() === 1, "Ben is told");
  expect(bens.state).toBe("removed");
  await adas.rename("Club without Ben");
  await remove("Mallory");
  await adas.add([ben.address]);
  const again = await groupOf(ben, "Club without Ben");
  expect(again).toBe(bens);
  const joined = events.findLast(({ type }) => type === "joinedGroup");
  expect(joined).toMatchObject({ by: { name: "Ada" } });
  await adas.send({ text: "after" });
  await untilHas(bens, "before", "after");
});

test("a device that has lost the group comes back only on the way that its slot has taken", async () => {
  const [adasStore, bensStore] = [memoryStore(), memoryStore()];
  const ada = await openPerson(relay, "Ada", { store: adasStore });
  const mallorys = await openToBecome(relay, "Mallory");
  const ben = await openDevice(relay, "Ben", { store: bensStore });
  const { address } = ben;
  const adas = await ada.create({ name: "Long", everyone: ["send"] });
  await adas.add([address, mallorys.groups.address]);
  await untilSame([adas, await groupOf(ben, "Long"), await groupOf(mallorys.groups, "Long")]);
  await ben.close();
  await mallorys.groups.close();
  const mallory = await Mallory.from(relay, mallorys.store, adas.id);
  await adas.remove(adas.members().flatMap(({ name, id }) => (name === "Mallory" ? [id] : [])));
  await adas.rename("Long since");
  // Longer than slots are kept, and than messages wait.
  relay.clock.advance(40 * 24 * 3_600);
  const back = await openPerson(relay, "Ben", { store: bensStore });
  const [bens] = back.groups() as [Group];
  const told = refusals(back);
  await until(async () => bens.state === "mustRejoin", "Ben cannot follow");
  // Mallory was a member in that epoch, and shows a commit of her own with the receipt of the one that counts.
  const { leaves, ownLeaf, epoch } = mallory.mls.view(mallory.state);
  const log = (await adasStore.list({ prefix: `log/${adas.id}/` })).map(([, value]) => decodeRecord<Logged>(value));
  const receipt = log.find((one) => BigInt(one.epoch) === epoch)?.receipt;
  expect(receipt).toBeDefined();
  await mallory.lure([back.address], {
    remove: leaves.flatMap(({ index }) => (index === ownLeaf ? [] : [index])),
    prove: (commit) => mallory.proofWith(commit, { epoch: Number(epoch), receipt }),
  });
  await until(async () => told() === 1, "Ben is told");
  expect(bens.state).toBe("mustRejoin");
  await bens.rejoin();
  await until(async () => bens.state === "active", "Ben is back");
  expect(namesIn(bens)).toEqual(["Ada", "Ben"]);
  await bens.send({ text: "I am back" });
  await untilHas(adas, "I am back");
  expect(await textsOf(bens)).toEqual(["I am back"]);
});

test("a device that came back by a commit which another one has replaced goes on where the others are", async () => {
  const ada = await openToBecome(relay, "Ada");
  const hers = await openToBecome(relay, "Mallory");
  const cleo = await openToBecome(relay, "Cleo");
  const bensStore = memoryStore();
  const ben = await openDevice(relay, "Ben", { store: bensStore });
  const club = await ada.groups.create({ name: "Replaced", everyone: ["send", "invite", "remove"] });
  const people = [hers.groups, ben, cleo.groups];
  for (const { address } of people) await club.add([address]);
  await untilSame([club, ...(await Promise.all(people.map((one) => groupOf(one, "Replaced"))))]);
  const { user } = hers.groups;
  const { address } = ben;
  for (const one of [ada.groups, ...people]) await one.close();
  const parties = [ada, hers, cleo].map(({ store }) => Mallory.from(relay, store, club.id));
  const [adas, mallory, cleos] = (await Promise.all(parties)) as [Mallory, Mallory, Mallory];
  const { mls, state } = mallory;
  const view = mls.view(state);
  // Mallory commits, and the others replace that.
  const made = await mls.commit(state, {});
  expect(await take(mallory.carrier, { state, bytes: made.commit, attempt: 0 })).toBe(true);
  const context = contextOf(state);
  const { value } = await readAttempts({
    device: mallory.carrier.device,
    relay: context.slots,
    exporter: mls.exporterOf(state),
    from: 0,
  }).next();
  const first = value as Proof["first"];
  const claim = { commit: hashOf(first.content), committer: view.ownLeaf };
  const statements = [adas, cleos].map((one) => {
    const said = signClaim(mls.view(one.state), { ...claim, isUsable: false }, one.secrets.deviceSecret);
    return { leaf: said.leaf, signature: said.signature };
  });
  const extensions = new Map([[groupContextType, encodeGroupContext(withBanned(context, [user]))]]);
  const removal = await mls.commit(adas.state, { remove: [view.ownLeaf], extensions });
  const replacement = writeReplacement(removal.commit, { ...claim, statements });
  expect(await take(adas.carrier, { state, bytes: replacement, attempt: 1 })).toBe(true);
  // Ben has lost the group before, and Mallory adds him to what she has gone on with alone.
  const key = `group/${club.id}`;
  const stored = decodeRecord<StoredMembership>((await bensStore.get(key)) as Uint8Array);
  const { slot } = await commitSlotKey(context.slots, { exporter: mls.exporterOf(state), attempt: 0 });
  const lost = { ...stored, state: "mustRejoin", reason: "unusable commit", slots: [slot] };
  await bensStore.write([[key, encodeRecord(lost)]]);
  const back = await openPerson(relay, "Ben", { store: bensStore });
  const events = eventsOf(back);
  mallory.state = made.state;
  const own = view.leaves.find(({ identity }) => readIdentity(identity)?.address === address);
  const proof = { epoch: Number(view.epoch), first, commits: [made.commit] };
  await mallory.lure([address], {
    remove: [own?.index as number],
    prove: async (commit) => ({ ...proof, commits: [...proof.commits, commit] }),
  });
  await until(async () => events.some(({ type }) => type === "joinedGroup"), "Ben is led back");
  const [bens] = back.groups() as [Group];
  await until(async () => namesIn(bens).join() === "Ada,Ben,Cleo", "Ben is where the others are");
  expect([bens.epoch, bens.state]).toEqual([view.epoch + 1n, "active"]);
});
