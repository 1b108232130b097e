import { afterAll, beforeAll, expect, test } from "vitest";
import { sealMessages } from "../../../src/client/index.js";
import { decodeRecord, encodeRecord } from "../../../src/groups/encoding/records.js";
import { type Group, memoryStore, tsMls } from "../../../src/groups/index.js";
import { doorKeysOf } from "../../../src/groups/membership/door-keys.js";
import { encodeRequest } from "../../../src/groups/membership/request-encoding.js";
import { groupContextType, readGroupContext } from "../../../src/groups/mls/group-context.js";
import { replacementOf } from "../../../src/groups/mls/leaf-replacement.js";
import { encodeIdentity } from "../../../src/groups/mls/members.js";
import type { Leaf } from "../../../src/groups/mls/mls.js";
import { isAllowed } from "../../../src/groups/mls/permissions.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import { eventsOf, groupOf, linkDevice, mlsWith, openPerson, roomy, textsOf, untilHas, untilSame } from "../people.js";
import { deafening, Mallory, openToBecome, sayLeaving } from "./mallory.js";

const appUrl = "https://app.example/join";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

const namesIn = (group: Group) =>
  group
    .members()
    .map(({ name }) => name)
    .sort();
const idsOf = (group: Group, name: string) => group.members().flatMap((one) => (one.name === name ? [one.id] : []));

test("a user who was removed comes back by no link, neither their own nor another one, until a member approves", async () => {
  const [ada, mallory] = [await openPerson(relay, "Ada"), await openPerson(relay, "Mallory")];
  const events = eventsOf(ada);
  const adas = await ada.create({ name: "Club" });
  await adas.add([mallory.address]);
  const hers = await groupOf(mallory, "Club");
  const own = await hers.invite({ appUrl, uses: 5 });
  const other = await adas.invite({ appUrl, uses: 5 });
  await untilSame([adas, hers]);
  expect(adas.invitations().map(({ id, by, usesLeft }) => [id, by, usesLeft])).toEqual([
    [own.id, mallory.user, 5],
    [other.id, ada.user, 5],
  ]);
  await adas.remove(idsOf(adas, "Mallory"));
  expect(adas.invitations().map(({ id }) => id)).toEqual([other.id]);
  expect(adas.banned()).toEqual([mallory.user]);
  await until(async () => hers.state === "removed", "Mallory has seen it");
  await mallory.join(own.link);
  await mallory.join(other.link);
  const asked = () => events.filter(({ type }) => type === "joinRequest");
  await until(async () => asked().length === 1, "Ada is asked");
  expect(asked()).toMatchObject([{ user: mallory.user, wasRemoved: true }]);
  expect(namesIn(adas)).toEqual(["Ada"]);
  const [request] = await adas.requests();
  expect(request).toMatchObject({ name: "Mallory", wasRemoved: true });
  await adas.approve(request?.request ?? "");
  await until(async () => hers.state === "active", "Mallory is back");
  expect([adas.banned(), namesIn(hers)]).toEqual([[], ["Ada", "Mallory"]]);
  // A member may also let links admit the user again.
  await adas.remove(idsOf(adas, "Mallory"));
  await until(async () => hers.state === "removed", "Mallory was removed again");
  await adas.unban(mallory.user);
  await mallory.join(other.link);
  await until(async () => hers.state === "active", "the link lets Mallory in");
  expect(await adas.requests()).toEqual([]);
});

test("nobody comes in by what members and former members know: neither the public key of an invitation, nor an old door", async () => {
  const ada = await openPerson(relay, "Ada");
  const { groups, store } = await openToBecome(relay, "Mallory");
  const adas = await ada.create({ name: "Door" });
  const { link } = await adas.invite({ appUrl, uses: 3 });
  await adas.add([groups.address]);
  const hers = await groupOf(groups, "Door");
  await untilSame([adas, hers]);
  await groups.close();
  const { door } = decodeRecord<{ door: Uint8Array }>((await store.get(`group/${adas.id}`)) as Uint8Array);
  const mallory = await Mallory.from(relay, store, adas.id);
  const { mls, carrier } = mallory;
  await adas.remove(idsOf(adas, "Mallory"));
  const { extension, groupId, leaves } = mls.view(mallory.state);
  const [invitation] = readGroupContext(extension(groupContextType))?.invitations ?? [];
  const account = decodeRecord<{ signer: Uint8Array; userSecret: Uint8Array; deviceSecret: Uint8Array }>(
    (await store.get("account")) as Uint8Array,
  );
  const signatureKey = await mls.publicKeyOf(account.signer);
  const identity = encodeIdentity({ name: "Mallory", address: carrier.address }, { ...account, signatureKey });
  const replaces = new Uint8Array([...groupId, ...(leaves.at(-1)?.encryptionKey ?? [])]);
  const { keyPackage } = await mls.newKeyPackage({ identity, signer: account.signer, replaces });
  const ask = async (secret: Uint8Array, content: Uint8Array) => {
    const keys = await doorKeysOf(secret);
    const [copy] = await sealMessages({ to: [ada.address], content, keys }, carrier.device.connection);
    await carrier.device.send({ to: ada.address, ciphertext: copy?.ciphertext as Uint8Array });
  };
  await ask(door, encodeRequest({ keyPackage }));
  await ask(invitation?.key as Uint8Array, encodeRequest({ keyPackage }));
  await ask(invitation?.key as Uint8Array, encodeRequest({ keyPackage, signature: "0".repeat(128) }));
  // Anyone else with the link does come in, and nothing else has happened by then.
  const cem = await openPerson(relay, "Cem");
  await cem.join(link);
  const cems = await groupOf(cem, "Door");
  expect([namesIn(cems), namesIn(adas)]).toEqual([
    ["Ada", "Cem"],
    ["Ada", "Cem"],
  ]);
  expect(await adas.requests()).toEqual([]);
});

test("a removed member who says in a past epoch that they leave does not remove the member who has their leaf now", async () => {
  const adasStore = memoryStore();
  const ada = await openPerson(relay, "Ada", { store: adasStore });
  const { groups, store } = await openToBecome(relay, "Mallory");
  const ben = await openPerson(relay, "Ben");
  const adas = await ada.create({ name: "Late" });
  await adas.add([groups.address]);
  await untilSame([adas, await groupOf(groups, "Late")]);
  await groups.close();
  const mallory = await Mallory.from(relay, store, adas.id);
  const left = idsOf(adas, "Mallory");
  await adas.remove(left);
  await adas.add([ben.address]);
  expect(idsOf(adas, "Ben")).toEqual(left);
  await sayLeaving(mallory, ada, adasStore);
  await adas.rename("Later");
  expect(namesIn(adas)).toEqual(["Ada", "Ben"]);
});

test("nothing is shown of what a removed member writes afterwards, in whatever epoch", async () => {
  const { mls, deafen } = deafening();
  const ada = await openPerson(relay, "Ada");
  const [ben, mallory] = [await openPerson(relay, "Ben"), await openPerson(relay, "Mallory", { mls })];
  const adas = await ada.create({ name: "Quiet" });
  await adas.add([ben.address, mallory.address]);
  const [bens, hers] = [await groupOf(ben, "Quiet"), await groupOf(mallory, "Quiet")];
  await untilSame([adas, bens, hers]);
  const first = await hers.send({ text: "before" });
  for (const group of [adas, bens]) await untilHas(group, "before");
  deafen();
  await adas.remove(idsOf(adas, "Mallory"));
  await untilSame([adas, bens]);
  relay.clock.advance(300);
  await hers.send({ text: "still here" });
  await hers.react(first.id, "👎");
  await hers.edit(first.id, "rewritten");
  await until(async () => (await mallory.deviceStatus()).unsent.length === 0, "all is sent");
  // What comes later on the same way.
  const eve = await openPerson(relay, "Eve");
  await adas.add([eve.address]);
  await (await groupOf(eve, "Quiet")).send({ text: "a fence" });
  for (const group of [adas, bens]) {
    await untilHas(group, "a fence");
    expect(await textsOf(group)).not.toContain("still here");
    expect((await group.messages()).find(({ id }) => id === first.id)).toMatchObject({ text: "before", reactions: {} });
  }
});

test("a leaf makes way only for a key package that its device has made for that, in that group", async () => {
  const adasStore = memoryStore();
  const ada = await openPerson(relay, "Ada", { store: adasStore, mls: tsMls() });
  const { groups, store } = await openToBecome(relay, "Mallory");
  const adas = await ada.create({ name: "Place", everyone: ["send"] });
  await adas.add([groups.address]);
  await untilSame([adas, await groupOf(groups, "Place")]);
  const mallory = await Mallory.from(relay, store, adas.id);
  const { mls } = mallory;
  const before = await mls.load((await adasStore.get(`state/${adas.id}`)) as Uint8Array);
  const account = decodeRecord<{
    signer: Uint8Array;
    address: string;
    userSecret: Uint8Array;
    deviceSecret: Uint8Array;
  }>((await adasStore.get("account")) as Uint8Array);
  const signatureKey = await mls.publicKeyOf(account.signer);
  const identity = encodeIdentity({ name: "Ada", address: ada.address }, { ...account, signatureKey });
  const view = mls.view(mallory.state);
  const [adasLeaf, own] = view.leaves as [Leaf, Leaf];
  const kindWith = async (replaces?: Uint8Array) => {
    const { keyPackage } = await mls.newKeyPackage({ identity, signer: account.signer, replaces });
    const { commit } = await mls.commit(mallory.state, { remove: [0], add: [keyPackage] });
    return (await mls.process(before, commit, (signed) => isAllowed(mls.view(before), signed))).kind;
  };
  expect(await kindWith()).toBe("void");
  for (const other of [replacementOf(view, own), replacementOf({ groupId: new Uint8Array(16) }, adasLeaf)])
    expect(await kindWith(other)).toBe("void");
  expect(await kindWith(replacementOf(view, adasLeaf))).toBe("valid");
});

test("a person with a link gets none of the commits of before, whatever epoch they say that they know", async () => {
  const followed: number[] = [];
  const mls = mlsWith("follow", () => async (outline, commits) => {
    followed.push(commits.length);
    return { outline, committer: undefined };
  });
  const ada = await openPerson(relay, "Ada");
  const adas = await ada.create({ name: "Past" });
  for (const name of ["Past of Ada", "Past of others"]) await adas.rename(name);
  const { link } = await adas.invite({ appUrl });
  const store = memoryStore();
  await store.write([
    [`group/${adas.id}`, encodeRecord({ state: "left", name: "Past", epochs: [], outlineEpoch: 1, log: [] })],
    [`outline/${adas.id}`, new Uint8Array(10)],
  ]);
  const mallory = await openPerson(relay, "Mallory", { mls, store });
  const events = eventsOf(mallory);
  await mallory.join(link);
  await until(async () => events.some(({ type }) => type === "welcomeRefused"), "Mallory has got the Welcome");
  expect(namesIn(adas)).toEqual(["Ada", "Mallory"]);
  expect(followed).toEqual([0]);
});

/** A library whose groups have these invitations from the start. */
function foundingWith(invitations: readonly { by: string; endsAt: number }[]) {
  const listed = invitations.map(({ by, endsAt }, at) => ({
    id: String(at).padStart(16, "0"),
    key: Buffer.alloc(32, at).toString("base64"),
    by,
    expires_at: endsAt,
    uses_left: 1,
    needs_approval: false,
  }));
  return mlsWith("found", (library) => (asked) => {
    const context = JSON.parse(new TextDecoder().decode(asked.extensions.get(groupContextType)));
    const content = new TextEncoder().encode(JSON.stringify({ ...context, invitations: listed }));
    return library.found({ ...asked, extensions: new Map([...asked.extensions, [groupContextType, content]]) });
  });
}

test("invitations that have ended make way for new ones, of which a user has ten", async () => {
  const mls = foundingWith(Array(50).fill({ by: "0".repeat(64), endsAt: 1 }));
  const ada = await openPerson(relay, "Ada", { mls });
  const group = await ada.create({ name: "Full" });
  expect(group.invitations()).toEqual([]);
  const { id } = await group.invite({ appUrl, expiresInSeconds: 60 });
  expect(group.invitations()).toMatchObject([{ id, by: ada.user, usesLeft: 1, needsApproval: false }]);
  await group.revoke(id);
  expect(group.invitations()).toEqual([]);
  for (let made = 0; made < 10; made += 1) await group.invite({ appUrl });
  await expect(group.invite({ appUrl })).rejects.toThrow("a user has at most 10 invitations");
  expect(group.invitations()).toHaveLength(10);
});

test("users who have made more of a group's 50 invitations make way for those who have made fewer", async () => {
  const others = Array.from({ length: 5 }, (_, at) => String(at).repeat(64));
  const mls = foundingWith(
    others.flatMap((by, at) => Array.from({ length: 10 }, (_, nth) => ({ by, endsAt: 4e9 - 100 * at - nth }))),
  );
  const [ada, ben] = [await openPerson(relay, "Ada", { mls }), await openPerson(relay, "Ben")];
  const adas = await ada.create({ name: "Crowded" });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, "Crowded");
  await untilSame([adas, bens]);
  expect(bens.invitations()).toHaveLength(50);
  const countsBy = (group: Group) =>
    [...others, ada.user, ben.user].map((user) => group.invitations().filter(({ by }) => by === user).length);
  for (let made = 0; made < 9; made += 1) await bens.invite({ appUrl });
  await untilSame([adas, bens]);
  expect(countsBy(adas)).toEqual([9, 8, 8, 8, 8, 0, 9]);
  // Of each, those that end first have made way.
  expect(adas.invitations().some(({ id }) => Number(id) % 10 === 9)).toBe(false);
  await expect(bens.invite({ appUrl })).rejects.toThrow("a group has at most 50 invitations");
  await adas.invite({ appUrl });
  await untilSame([adas, bens]);
  expect(countsBy(bens)).toEqual([9, 8, 8, 8, 8, 1, 8]);
});

test("removing a user removes all their devices", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben", { store: memoryStore() })];
  const adas = await ada.create({ name: "Devices" });
  await adas.add([ben.address]);
  await groupOf(ben, "Devices");
  const tablet = await linkDevice(ben, relay);
  const there = await groupOf(tablet, "Devices");
  await until(async () => adas.members().length === 3, "both devices are in");
  const [first = -1] = idsOf(adas, "Ben");
  await adas.remove([first]);
  expect(namesIn(adas)).toEqual(["Ada"]);
  for (const group of [there, ben.group(adas.id) as Group])
    await until(async () => group.state === "removed", "each device has seen it");
  await expect(adas.remove([adas.members()[0]?.id as number])).rejects.toThrow("use `leave`");
});
