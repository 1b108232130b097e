import type { ClientState } from "ts-mls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { epochKeysOf, sealEnvelope, sealMessages } from "../../../src/client/index.js";
import { readAttempts } from "../../../src/client/slots/attempts.js";
import { encodeContent } from "../../../src/groups/encoding/content.js";
import { type Group, memoryStore, type Store, tsMls } from "../../../src/groups/index.js";
import { encodeSent, hashOf } from "../../../src/groups/membership/known-disputes.js";
import { writeReplacement } from "../../../src/groups/mls/commit-replacement.js";
import { signClaim } from "../../../src/groups/mls/dispute-statements.js";
import { encodeGroupContext, groupContextType } from "../../../src/groups/mls/group-context.js";
import { readIdentity } from "../../../src/groups/mls/members.js";
import { permissionsType, withMembers } from "../../../src/groups/mls/permissions.js";
import { fastSuite } from "../../../src/groups/mls/ts-mls-hpke.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import { partiesOf } from "../library.js";
import { groupOf, linkDevice, openPerson, roomy, untilHas, untilSame } from "../people.js";
import { contextOf, take, takeInTurn, takeOpen } from "./attempts.js";
import { type Forgery, forgeCommit, withCiphertexts } from "./forging.js";
import { Mallory, openToBecome } from "./mallory.js";

// Mallory may only write, and takes a slot with a commit that counts for all and that some cannot use. The others have the library as it is.

const mls = tsMls();
const suite = await fastSuite();

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

/** A group of Ada, Mallory, and these, in the order of their leaves. Mallory acts without the library. */
async function groupWith(name: string, others: readonly string[], stores: Record<string, Store> = {}) {
  const open = (one: string) => openPerson(relay, one, stores[one] && { store: stores[one] });
  const ada = await open("Ada");
  const hers = await openToBecome(relay, "Mallory");
  const club = await ada.create({ name, everyone: ["send"] });
  await club.add([hers.groups.address]);
  const people = await Promise.all(others.map(open));
  for (const { address } of people) await club.add([address]);
  const groups = [club, ...(await Promise.all(people.map((one) => groupOf(one, name))))];
  await untilSame([...groups, await groupOf(hers.groups, name)]);
  await hers.groups.close();
  const mallory = await Mallory.from(relay, hers.store, club.id);
  return { groups: groups as [Group, ...Group[]], mallory, ada, people };
}

/** Takes an attempt of the slot of Mallory's epoch with a commit of hers. */
async function commit({ carrier, state }: Mallory, forgery: Forgery, attempt = 0): Promise<boolean> {
  const bytes = await forgeCommit(state as ClientState, suite, forgery);
  return take(carrier, { state, bytes, attempt });
}

const namesIn = (group: Group) =>
  group
    .members()
    .map(({ name }) => name)
    .sort();

/** Everybody reads everybody, in one epoch. */
async function expectOneGroup(groups: readonly Group[]): Promise<void> {
  await untilSame(groups);
  const texts = groups.map((_, at) => `text of member ${at} in epoch ${groups[0]?.epoch}`);
  for (const [at, group] of groups.entries()) await group.send({ text: texts[at] as string });
  for (const group of groups) await untilHas(group, ...texts);
  expect(groups.map(({ state }) => state)).toEqual(groups.map(() => "active"));
}

const nothing = new Uint8Array(100).fill(1);

test("a member who fills each attempt that they can stops nothing, and no later attempt takes another of theirs", async () => {
  const { groups, mallory } = await groupWith("Filled", ["Ben"]);
  const [adas, bens] = groups as [Group, Group];
  for (const attempt of [0, 1]) expect(await takeOpen(mallory, nothing, attempt)).toBe(true);
  const third = await takeInTurn(mallory, nothing);
  expect(third?.taken.won).toBe(true);
  expect(await takeInTurn(mallory, nothing, [third?.takenBy(third.taken.taker, nothing) as number])).toBeUndefined();
  await bens.send({ text: "Is anybody here?" });
  await adas.rename("Filled by Ada");
  await expectOneGroup(groups);
  for (const group of groups) expect(group.name).toBe("Filled by Ada");
});

test("a device that has lost the group after void attempts of one content is shown the way back", async () => {
  const ada = await openPerson(relay, "Ada");
  const hers = await openToBecome(relay, "Mallory");
  const club = await ada.create({ name: "Lost", everyone: ["send"] });
  const tablet = await linkDevice(ada, relay);
  const there = await groupOf(tablet, "Lost");
  await club.add([hers.groups.address]);
  await untilSame([club, there, await groupOf(hers.groups, "Lost")]);
  await hers.groups.close();
  const mallory = await Mallory.from(relay, hers.store, club.id);
  for (const attempt of [0, 1]) expect(await takeOpen(mallory, nothing, attempt)).toBe(true);
  // The tablet cannot use it, and one other user alone settles nothing.
  const path = withCiphertexts((all) => all.map((one, at) => (at === all.length - 1 ? { ...one, ...broken } : one)));
  const { state } = mallory;
  const forged = await forgeCommit(state as ClientState, suite, { path });
  const content = sealEnvelope(await epochKeysOf(mls.exporterOf(state)), forged);
  expect((await takeInTurn(mallory, content))?.taken.won).toBe(true);
  await club.rename("Lost and found");
  await until(async () => there.state === "mustRejoin", "the tablet has lost the group");
  await there.rejoin();
  await until(async () => there.state === "active" && there.epoch === club.epoch, "the tablet is back");
  await expectOneGroup([club, there]);
  expect(there.name).toBe("Lost and found");
});

const broken = { ciphertext: new Uint8Array(48).fill(7) };

test("a commit that nobody can use ends nothing: another one takes its place, and removes who made it", async () => {
  const { groups, mallory } = await groupWith("Tag", ["Ben", "Cleo"]);
  const [adas] = groups;
  expect(await commit(mallory, { tag: (tag) => new Uint8Array(tag.length) })).toBe(true);
  await adas.rename("Tag of Ada");
  await expectOneGroup(groups);
  expect(adas.name).toBe("Tag of Ada");
  for (const group of groups) expect(namesIn(group)).toEqual(["Ada", "Ben", "Cleo"]);
  expect(adas.banned()).toHaveLength(1);
});

test("a member whose ciphertext is spoiled gets the secret from another one", async () => {
  const { groups, mallory } = await groupWith("Spoiled", ["Ben", "Cleo"]);
  const [adas, , cleos] = groups as [Group, Group, Group];
  const before = adas.epoch;
  const path = withCiphertexts((all) => all.map((one, at) => (at === all.length - 1 ? { ...one, ...broken } : one)));
  expect(await commit(mallory, { path })).toBe(true);
  await adas.rename("Spoiled no more");
  await until(async () => cleos.epoch === before + 2n, "Cleo has followed");
  await expectOneGroup(groups);
  for (const group of groups) expect(namesIn(group)).toEqual(["Ada", "Ben", "Cleo", "Mallory"]);
});

test("a member who could use what most cannot goes back to the others", async () => {
  const stores = { Ada: memoryStore(), Ben: memoryStore(), Cleo: memoryStore() };
  const { groups, mallory, ada, people } = await groupWith("Back", ["Ben", "Cleo"], stores);
  const [adas] = groups;
  // Ada might give the others what they need before they agree, so they are never there together.
  for (const one of people) await one.close();
  const before = adas.epoch;
  const path = withCiphertexts((all) => all.map((one) => ({ ...one, ...broken })));
  expect(await commit(mallory, { path })).toBe(true);
  await adas.rename("Ahead");
  expect(adas.epoch).toBe(before + 2n);
  await ada.close();
  const again = async (name: "Ada" | "Ben" | "Cleo") =>
    groupOf(await openPerson(relay, name, { store: stores[name] }), "Back");
  const [bens, cleos] = await Promise.all([again("Ben"), again("Cleo")]);
  await until(async () => [bens, cleos].every((group) => !namesIn(group).includes("Mallory")), "Mallory is out");
  await bens.send({ text: "Where is everybody?" });
  const back = await again("Ada");
  await untilHas(back, "Where is everybody?");
  await expectOneGroup([back, bens, cleos]);
  for (const group of [back, bens, cleos]) expect(namesIn(group)).toEqual(["Ada", "Ben", "Cleo"]);
});

test("a member alone replaces nobody's commit, whatever they sign and repeat in the names of others", async () => {
  const store = memoryStore();
  const { groups, mallory, people } = await groupWith("Minority", ["Ben", "Cleo"], { Cleo: store });
  const [adas, bens] = groups as [Group, Group, Group];
  const { state, carrier } = mallory;
  await people[1]?.close();
  await adas.rename("By Ada");
  const exporter = mls.exporterOf(state);
  const { slots, ...rest } = contextOf(state);
  const attempts = readAttempts({ device: carrier.device, relay: slots, exporter, from: 0 });
  const { value } = await attempts.next();
  if (value === undefined) throw new Error("the slot is free");
  const { content } = value;
  const view = mls.view(state);
  const claim = { commit: hashOf(content), committer: 0, isUsable: false };
  const { leaf, signature } = signClaim(view, claim, mallory.secrets.deviceSecret);
  const statements = [0, 1, 1, 2, 3].map((one) => ({ leaf: one, signature }));
  const user = adas.members().find(({ name }) => name === "Ada")?.user as string;
  const banned = encodeGroupContext({ ...rest, slots, banned: [user] });
  const roles = withMembers(view, { removed: [0], added: [] }, Date.now()) as Uint8Array;
  const extensions = new Map([
    [groupContextType, banned],
    [permissionsType, roles],
  ]);
  const removal = await mls.commit(state, { remove: [0], extensions });
  const bytes = writeReplacement(removal.commit, { commit: claim.commit, committer: 0, statements });
  expect(leaf).toBe(1);
  expect(await take(carrier, { state, bytes, attempt: 1 })).toBe(true);
  // Ben is told, and Cleo comes back to both commits.
  const message = encodeSent({ kind: "statement", statement: { ...claim, leaf, signature } });
  const keys = await epochKeysOf(exporter);
  const sealed = encodeContent({ kind: "dispute", message });
  const to = view.leaves.flatMap(({ identity }) => readIdentity(identity)?.address ?? []);
  for (const copy of await sealMessages({ to, content: sealed, keys }, carrier.device.connection))
    await carrier.device.send(copy);
  const cleo = await openPerson(relay, "Cleo", { store });
  const cleos = await groupOf(cleo, "By Ada");
  await expectOneGroup([adas, bens, cleos]);
  expect(namesIn(cleos)).toEqual(["Ada", "Ben", "Cleo", "Mallory"]);
});

test("nobody seals a path secret for a member whom the commit removes", async () => {
  const parties = await partiesOf(4, () => mls);
  const { commit: bytes } = await mls.commit(parties[1]?.state, { remove: [3] });
  const repairFor = (leaf: number) => mls.repair?.(parties[0]?.state, { commit: bytes, isAllowed: () => true, leaf });
  expect(await repairFor(3)).toBeUndefined();
  expect(await repairFor(1)).toBeUndefined();
  expect(await repairFor(9)).toBeUndefined();
  const secret = (await repairFor(2)) as Uint8Array;
  const processed = async (repair: Uint8Array) =>
    (await mls.processRepaired?.(parties[2]?.state, { commit: bytes, isAllowed: () => true, repair }))?.kind;
  expect([await processed(secret), await processed(new Uint8Array(8))]).toEqual(["valid", "unusable"]);
});

test("a group whose only administrator is removed for a commit gets another one, who is the same for all", async () => {
  const hers = await openToBecome(relay, "Mallory");
  const people = await Promise.all(["Ada", "Ben", "Cleo"].map((name) => openPerson(relay, name)));
  const club = await hers.groups.create({ name: "Led", everyone: ["send", "rename"] });
  await club.add(people.map(({ address }) => address));
  const groups = await Promise.all(people.map((one) => groupOf(one, "Led")));
  await untilSame([club, ...groups]);
  await hers.groups.close();
  const mallory = await Mallory.from(relay, hers.store, club.id);
  expect(await commit(mallory, { tag: (tag) => new Uint8Array(tag.length) })).toBe(true);
  await groups[2]?.rename("Led on");
  await expectOneGroup(groups);
  for (const group of groups) expect(namesIn(group)).toEqual(["Ada", "Ben", "Cleo"]);
  const first = groups[0]?.members()[0];
  for (const group of groups) expect(group.roles().users).toEqual({ [first?.user as string]: ["administrator"] });
  const heirs = groups.find((group) => group.members()[0]?.isMe);
  await heirs?.setRole("everyone", ["send"]);
  await expectOneGroup(groups);
});
