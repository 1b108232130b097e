import { type ClientState, encodeMlsMessage, getCiphersuiteFromName, getCiphersuiteImpl } from "ts-mls";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Group,
  type Groups,
  type Mls,
  NotPermittedError,
  type Permission,
  tsMls,
} from "../../src/groups/index.js";
import { makeCommit } from "../../src/groups/mls/ts-mls-commits.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { until } from "../support/until.js";
import { eventsOf, groupOf, linkDevice, mlsWith, openPerson, roomy, textsOf, untilHas, untilSame } from "./people.js";

let fixture: PeerFixture;
let relay: PeerRelay;
let other: PeerRelay;
beforeAll(async () => {
  fixture = await createPeerFixture();
  relay = await fixture.relay(roomy);
  other = await fixture.relay(roomy);
});
afterAll(() => fixture?.stop());

const appUrl = "https://app.example/join";
const userOf = (group: Group, name: string) => group.members().find((one) => one.name === name)?.user as string;
const idOf = (group: Group, name: string) => group.members().find((one) => one.name === name)?.id as number;

async function threeIn(name: string, mallory: { mls?: Mls } = {}, everyone?: readonly Permission[]) {
  const people = [
    await openPerson(relay, "Ada"),
    await openPerson(other, "Ben"),
    await openPerson(relay, "Mallory", mallory),
  ] as const;
  const founded = await people[0].create({ name, ...(everyone && { everyone }) });
  await founded.add([people[1].address, people[2].address]);
  const groups = [founded, await groupOf(people[1], name), await groupOf(people[2], name)] as const;
  await untilSame(groups);
  return { people, groups };
}

test("the founder is administrator, and gives and takes roles; all see the same", async () => {
  const { people, groups } = await threeIn("Roles");
  const [ada, ben] = people;
  const [adas, bens] = groups;
  const usual = ["send", "invite", "rename"];
  expect(bens.roles()).toEqual({ everyone: usual, users: { [ada.user]: ["administrator"] } });
  await expect(bens.setRole(ben.user, ["administrator"])).rejects.toThrow(NotPermittedError);
  const events = eventsOf(ben);
  await adas.setRole("everyone", ["send"]);
  await adas.setRole(ben.user, ["send", "rename", "manageRoles"]);
  await untilSame(groups);
  const seen = events.filter(({ type }) => type === "rolesChanged");
  expect(seen.at(-1)).toMatchObject({ roles: adas.roles(), by: { name: "Ada" } });
  expect(groups.map((group) => group.may("rename"))).toEqual([true, true, false]);
  await bens.rename("Roles 2");
  // Nobody gives what they do not have, or changes an administrator's role.
  await expect(bens.setRole(people[2].user, ["remove"])).rejects.toThrow(NotPermittedError);
  await expect(bens.setRole(ada.user)).rejects.toThrow(NotPermittedError);
  await bens.setRole(people[2].user, ["send", "rename"]);
  await untilSame(groups);
  await groups[2].rename("Roles 3");
  await untilSame(groups);
  await expect(groups[2].invite({ appUrl })).rejects.toThrow(NotPermittedError);
  await expect(groups[2].add([ada.address])).rejects.toThrow(NotPermittedError);
  await expect(groups[2].remove([idOf(groups[2], "Ada")])).rejects.toThrow(NotPermittedError);
  await expect(adas.leave()).rejects.toThrow(NotPermittedError);
  await adas.setRole(ben.user, ["administrator"]);
  await untilSame(groups);
  await adas.leave();
  await until(async () => bens.members().length === 2, "Ben has removed Ada");
});

test("a member who may not write is not heard, and an invitation works by those who may invite", async () => {
  const { people, groups } = await threeIn("Quiet", {}, []);
  const [adas, bens] = groups;
  await expect(bens.send({ text: "me, too" })).rejects.toThrow(NotPermittedError);
  const { link } = await adas.invite({ appUrl });
  const dan = await openPerson(other, "Dan");
  await dan.join(link);
  const dans = await groupOf(dan, "Quiet");
  await adas.send({ text: "welcome" });
  for (const one of [bens, dans]) await untilHas(one, "welcome");
  await adas.setRole(people[1].user, ["send"]);
  await untilSame([adas, bens]);
  await bens.send({ text: "thanks" });
  await untilHas(dans, "thanks");
});

type Change = Parameters<Mls["commit"]>[1];
/** What a modified client commits: a change, or a list of extensions that lacks one. */
type Forged = Change | { without: string | number };

/** An MLS library whose first commit, once it is armed, does something else than it was asked to do. */
function modified(change: (mls: Mls, asked: Change) => Forged) {
  const arm = { isArmed: false };
  const own = mlsWith("commit", (mls) => (state, asked) => {
    const [now, next] = [arm.isArmed, arm.isArmed ? change(mls, asked) : asked];
    if (now) arm.isArmed = false;
    return "without" in next ? commitWithout(state as ClientState, next.without) : mls.commit(state, next);
  });
  return { own, arm };
}

async function commitWithout(state: ClientState, type: string | number) {
  const extensions = state.groupContext.extensions.filter(({ extensionType }) => extensionType !== type);
  const proposals = [{ proposalType: "group_context_extensions" as const, groupContextExtensions: { extensions } }];
  const suite = await getCiphersuiteImpl(getCiphersuiteFromName(state.groupContext.cipherSuite));
  const made = await makeCommit(state, { proposals }, suite);
  return { state: made.state, commit: encodeMlsMessage(made.commit) };
}

test("a role ends with the last device of its user, and does not come back with the user", async () => {
  const { people, groups } = await threeIn("Gone", {}, ["send", "invite"]);
  const [ada, ben] = people;
  const [adas, , mallorys] = groups;
  await adas.setRole(ben.user, ["administrator"]);
  const both = { [ada.user]: ["administrator"], [ben.user]: ["administrator"] };
  const phone = await linkDevice(ben, other);
  const phones = await groupOf(phone, "Gone");
  await untilSame([...groups, phones]);
  await phone.unlinkDevice(ben.device.deviceId);
  await until(async () => adas.members().length === 3, "Ben's first device is out");
  await untilSame([adas, mallorys, phones]);
  expect(phones.may("administrator")).toBe(true);
  expect(adas.roles().users).toEqual(both);
  await adas.remove(adas.members().flatMap(({ user, id }) => (user === ben.user ? [id] : [])));
  await untilSame([adas, mallorys]);
  await until(async () => phones.state === "removed", "Ben knows that he is out");
  // The device that was unlinked has an earlier key of his.
  await expect(mallorys.add([ben.address])).rejects.toMatchObject({ refused: [{ error: "WRONG_USER" }] });
  await mallorys.add([phone.address]);
  await until(async () => phones.state === "active", "Ben is back");
  const present = [adas, mallorys, phones];
  await untilSame(present);
  for (const group of present)
    expect(group.roles()).toEqual({ everyone: ["send", "invite"], users: { [ada.user]: ["administrator"] } });
  await expect(phones.setRole("everyone", ["rename"])).rejects.toThrow(NotPermittedError);
});

test("in a group without roles everybody may do everything, until somebody gives the first one", async () => {
  const mls = mlsWith("found", (real) => (asked: Parameters<Mls["found"]>[0]) => {
    const extensions = new Map([...asked.extensions].filter(([type]) => type !== 0xf000));
    return real.found({ ...asked, extensions });
  });
  const [ada, ben] = [await openPerson(relay, "Ada", { mls }), await openPerson(other, "Ben")];
  const adas = await ada.create({ name: "Old" });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, "Old");
  expect([adas, bens].map((group) => group.may("administrator"))).toEqual([true, true]);
  await bens.rename("Older");
  await untilSame([adas, bens]);
  await bens.setRole("everyone", ["send"]);
  await untilSame([adas, bens]);
  expect(adas.roles()).toEqual({ everyone: ["send"], users: { [ben.user]: ["administrator"] } });
  await expect(adas.rename("Mine")).rejects.toThrow(NotPermittedError);
});

/** An identity that nobody has signed. */
function claimed(change: object): Uint8Array {
  const keys = { user: "0".repeat(64), device: "0".repeat(64), device_key: "0".repeat(64) };
  const signatures = { user_signature: "0".repeat(128), device_signature: "0".repeat(128) };
  const identity = { version: 1, name: "Mallory", address: "a@b.example", ...keys, ...signatures, ...change };
  return new TextEncoder().encode(JSON.stringify(identity));
}

test("a member whom a modified client adds under another user's name has no role of that user", async () => {
  const { own, arm } = modified((_, asked) => ({ ...asked, add: [pretender] }));
  const { people, groups } = await threeIn("Pretended", { mls: own }, ["send", "invite"]);
  const [ada, ben] = people;
  const [adas, bens, mallorys] = groups;
  const mls = tsMls();
  const identity = claimed({ user: ada.user, device: ben.device.deviceId, name: "Ada" });
  const { keyPackage: pretender } = await mls.newKeyPackage({ identity, signer: await mls.newSigner() });
  const dan = await openPerson(relay, "Dan");
  arm.isArmed = true;
  await mallorys.add([dan.address]);
  await untilSame(groups);
  const shown = bens.members().find(({ isSigned }) => !isSigned);
  expect(shown).toMatchObject({ isSigned: false, user: "", device: "", address: "" });
  const administrator = { [ada.user]: ["administrator"] };
  for (const group of groups) expect(group.roles().users).toEqual(administrator);
  // What is given to Ada is not given to devices that claim to be hers.
  await adas.setRole(ada.user, ["administrator", "send"]);
  await untilSame(groups);
  expect(bens.roles().users).toEqual({ [ada.user]: ["send", "administrator"] });
  expect(bens.may("administrator")).toBe(false);
  await expect(adas.leave()).rejects.toThrow(NotPermittedError);
});

test("the last administrator leaves a group where everyone may remove, and it goes on without one", async () => {
  const { groups } = await threeIn("Left alone", {}, ["send", "invite", "remove", "rename"]);
  const [adas, ...others] = groups;
  await adas.leave();
  for (const group of others)
    await until(async () => group.members().length === 2, "Ada is out for Ben and for Mallory");
  const [bens, mallorys] = others;
  await bens.rename("Ours");
  await untilSame(others);
  await mallorys.send({ text: "we stay" });
  await untilHas(bens, "we stay");
  expect(bens.roles().users).toEqual({});
  await expect(bens.setRole("everyone", ["send"])).rejects.toThrow(NotPermittedError);
});

/** What the client was asked to commit, with messages that disappear. */
function disappearing({ extensions = new Map() }: Change): Change {
  const context = JSON.parse(new TextDecoder().decode(extensions.get(0xf042)));
  const next = new TextEncoder().encode(JSON.stringify({ ...context, disappear_seconds: 10 }));
  return { extensions: new Map([...extensions, [0xf042, next]]) };
}

const forbidden: [string, (groups: Groups, group: Group) => Forged | typeof disappearing][] = [
  ["lets messages disappear", () => disappearing],
  ["removes a member", (_, group) => ({ remove: [idOf(group, "Ada")] })],
  ["removes somebody without their role", (_, group) => ({ remove: [idOf(group, "Ben")] })],
  ["makes itself administrator", () => ({ extensions: new Map([[0xf000, new TextEncoder().encode("{}")]]) })],
  ["calls itself another user", (_, group) => ({ identity: claimed({ user: userOf(group, "Ada") }) })],
  ["takes another name", () => ({ identity: claimed({ name: "Ada" }) })],
  ["takes its user's signature away", () => ({ identity: claimed({}) })],
  ["has another credential", () => ({ identity: new Uint8Array() })],
  ["changes an unknown extension", () => ({ extensions: new Map([[0xf042, new TextEncoder().encode("{}")]]) })],
  ["requires nothing of members", () => ({ extensions: new Map([[3, new Uint8Array(3)]]) })],
  ["leaves out the roles", () => ({ without: 0xf000 })],
  ["leaves out the name and the slots", () => ({ without: 0xf042 })],
  ["leaves out what is required of members", () => ({ without: "required_capabilities" })],
];

test.each(forbidden)("a modified client that %s is refused by all, and forks nobody", async (what, change) => {
  let next: Forged | typeof disappearing = {};
  const { own, arm } = modified((_, asked) => (typeof next === "function" ? next(asked) : next));
  const { people, groups } = await threeIn(what, { mls: own }, ["send"]);
  const [adas, bens, mallorys] = groups;
  await adas.setRole(people[1].user, ["send"]);
  await adas.setRole(people[2].user, ["send", "rename", "remove"]);
  await untilSame(groups);
  const before = adas.epoch;
  next = change(people[2], mallorys);
  arm.isArmed = true;
  // It may rename, and commits something else. It holds that it has won.
  await mallorys.rename("Mallory's");
  await adas.rename("Ours");
  await untilSame([adas, bens]);
  expect(adas.epoch).toBe(before + 1n);
  expect(bens.members().map(({ name }) => name)).toEqual(["Ada", "Ben", "Mallory"]);
  expect(bens.roles()).toEqual(adas.roles());
  expect([adas, bens].map(({ disappearSeconds }) => disappearSeconds)).toEqual([undefined, undefined]);
  await bens.send({ text: "one group" });
  await untilHas(adas, "one group");
  expect(await textsOf(adas)).toEqual(["one group"]);
  // The others take it out.
  await adas.remove([idOf(adas, "Mallory")]);
  await untilSame([adas, bens]);
});
