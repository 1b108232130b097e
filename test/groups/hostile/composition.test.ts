import { randomBytes } from "node:crypto";
import { sha256 } from "@noble/hashes/sha2.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  claimKeyPackages,
  encodeSvcMessage,
  epochKeysOf,
  newSecretKey,
  readSvcMessage,
  type SvcMessage,
  sealEnvelope,
  signCiphertext,
} from "../../../src/client/index.js";
import { commitSlotKey } from "../../../src/client/slots/slot-names.js";
import { decodeRecord } from "../../../src/groups/encoding/records.js";
import { type Group, type Groups, type Mls, memoryStore, tsMls } from "../../../src/groups/index.js";
import { groupContextType, readGroupContext } from "../../../src/groups/mls/group-context.js";
import { encodeIdentity } from "../../../src/groups/mls/members.js";
import { permissionsType } from "../../../src/groups/mls/permissions.js";
import { successorText } from "../../../src/groups/mls/user-keys.js";
import { concatBytes, encodeBase64, encodeHex, utf8 } from "../../../src/protocol/encodings.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../../support/peers.js";
import { until } from "../../support/until.js";
import { groupOf, mlsWith, openPerson, roomy, untilHas, untilSame } from "../people.js";

// Mallory may do all but remove others, and puts commits into the slots that reach further by combining what she may do. Ada and Ben have the library as it is.

let fixture: PeerFixture;
let relay: PeerRelay;
let people: { ada: Groups; ben: Groups; mallory: Groups };
let groups: [Group, Group, Group];
const mls = tsMls();
const store = memoryStore();

beforeAll(async () => {
  fixture = await createPeerFixture();
  relay = await fixture.relay(roomy);
});
afterAll(() => fixture?.stop());

type Change = Parameters<Mls["commit"]>[1];
interface Account {
  userSecret: Uint8Array;
  deviceSecret: Uint8Array;
  signer: Uint8Array;
}

const idOf = (name: string) => groups[0].members().find((one) => one.name === name)?.id as number;
const state = async () => mls.load((await store.get(`state/${groups[0].id}`)) as Uint8Array);
const extension = async (type: number) => JSON.parse(new TextDecoder().decode(mls.view(await state()).extension(type)));
const written = (type: number, value: object) => ({ extensions: new Map([[type, utf8(JSON.stringify(value))]]) });

async function claimed({ address }: Groups): Promise<Uint8Array> {
  const [one] = await claimKeyPackages(people.mallory.device, [address]);
  if (one === undefined || !("keyPackage" in one)) throw new Error("there is no key package");
  return one.keyPackage;
}

/** Mallory's leaf with another address, signed as it should be. */
async function movedTo(address: string): Promise<Change> {
  const account = decodeRecord<Account>((await store.get("account")) as Uint8Array);
  const signatureKey = await mls.publicKeyOf(account.signer);
  return { identity: encodeIdentity({ name: "Mallory", address }, { ...account, signatureKey }) };
}

/** Mallory's leaf with a successor of her key that is somebody else's. */
async function succeededBy({ user: key }: Groups): Promise<Change> {
  const account = decodeRecord<Account>((await store.get("account")) as Uint8Array);
  const signatureKey = await mls.publicKeyOf(account.signer);
  const { user, address } = people.mallory;
  const signature = encodeHex(signCiphertext(account.userSecret, successorText([user, key])));
  const about = { name: "Mallory", address, user, successors: [{ key, signature }] };
  return { identity: encodeIdentity(about, { ...account, signatureKey }) };
}

/** Somebody new, whose user has signed that they receive at this address. */
async function stranger(address: string): Promise<Change> {
  const signer = await mls.newSigner();
  const [userSecret, deviceSecret] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const secrets = { userSecret, deviceSecret, signatureKey: await mls.publicKeyOf(signer) };
  const { keyPackage } = await mls.newKeyPackage({
    identity: encodeIdentity({ name: "Dan", address }, secrets),
    signer,
  });
  return { add: [keyPackage] };
}

/** Devices that do not exist, of the same user or of one each; `isSigned` by their users. */
async function madeUp(count: number, { isOne = false, isSigned = true } = {}): Promise<Change> {
  const add = Array.from({ length: count }, async () => {
    const signer = await mls.newSigner();
    const signatureKey = isSigned ? await mls.publicKeyOf(signer) : new Uint8Array(32);
    const userSecret = isOne ? new Uint8Array(32).fill(3) : newSecretKey();
    const secrets = { userSecret, deviceSecret: newSecretKey(), signatureKey };
    const identity = encodeIdentity({ name: "Bot", address: `${crypto.randomUUID()}@victim.example` }, secrets);
    return (await mls.newKeyPackage({ identity, signer })).keyPackage;
  });
  return { add: await Promise.all(add) };
}

/** Invitations as they stand in the context. */
const invitationsBy = (by: string, count: number) =>
  Array.from({ length: count }, () => ({
    id: encodeHex(randomBytes(8)),
    key: encodeBase64(randomBytes(32)),
    by,
    expires_at: 4_000_000_000,
    uses_left: 1,
    needs_approval: false,
  }));

/** Changes the list of invitations, in which Ada has one. */
async function withInvitations(change: (all: ReturnType<typeof invitationsBy>) => object[]): Promise<Change> {
  const context = await extension(groupContextType);
  return written(groupContextType, { ...context, invitations: change(context.invitations) });
}

/** The next roles as Mallory may give them, but for their form. */
async function rolesWith(other: { device_permissions?: object; [member: string]: unknown }): Promise<Change> {
  const old = await extension(permissionsType);
  const device_permissions = { ...old.device_permissions, ...other.device_permissions };
  const next = { ...old, version: old.version + 1, last_updated_by: people.mallory.device.deviceId };
  return written(permissionsType, { ...next, ...other, device_permissions });
}

/** What Mallory commits. */
const forbidden: [string, () => Promise<Change>][] = [
  [
    "removes the administrator and adds her again",
    async () => ({ remove: [idOf("Ada")], add: [await claimed(people.ada)] }),
  ],
  ["removes somebody and adds them again", async () => ({ remove: [idOf("Ben")], add: [await claimed(people.ben)] })],
  ["takes the address of another member", () => movedTo(people.ada.address)],
  ["takes the address of another member in capitals", () => movedTo(people.ada.address.toUpperCase())],
  ["takes the address of another member without hyphens", () => movedTo(people.ada.address.replaceAll("-", ""))],
  [
    "takes the address of another member with a dot at its end",
    () => movedTo(people.ada.address.replace(/(:[0-9]+)?$/, ".$1")),
  ],
  ["adds somebody with the address of another member", () => stranger(people.ben.address)],
  ["makes the administrator's key the successor of hers", () => succeededBy(people.ada)],
  [
    "names the group too long",
    async () => written(groupContextType, { ...(await extension(groupContextType)), name: "x".repeat(4_001) }),
  ],
  [
    "puts something unknown into the context",
    async () => written(groupContextType, { ...(await extension(groupContextType)), more: "x".repeat(10_000) }),
  ],
  [
    "has messages disappear",
    async () => written(groupContextType, { ...(await extension(groupContextType)), disappear_seconds: 3_600 }),
  ],
  [
    "bans a member who stays",
    async () => written(groupContextType, { ...(await extension(groupContextType)), banned: [people.ben.user] }),
  ],
  [
    "takes the role of the administrator",
    async () => {
      const { device_permissions: roles } = await extension(permissionsType);
      const [hers, own] = [people.ada, people.mallory].map(({ device }) => device.deviceId) as [string, string];
      return rolesWith({ device_permissions: { [own]: roles[hers] } });
    },
  ],
  ["puts something unknown into the roles", () => rolesWith({ more: "x".repeat(10_000) })],
  [
    "gives a role to a device that is not in the group",
    () => rolesWith({ device_permissions: { ["0".repeat(64)]: "0000000000000001" } }),
  ],
  ["gives a role to what is no device", () => rolesWith({ device_permissions: { nobody: "0000000000000001" } })],
  [
    "makes more invitations than a user has",
    () => withInvitations((all) => [...all, ...invitationsBy(people.mallory.user, 11)]),
  ],
  [
    "makes an invitation in another user's name",
    () => withInvitations((all) => [...all, ...invitationsBy(people.ben.user, 1)]),
  ],
  [
    "makes an invitation that seems to be an earlier one of another user",
    () => withInvitations((all) => all.map((one) => ({ ...one, key: encodeBase64(randomBytes(32)) }))),
  ],
  ["gives an invitation more uses", () => withInvitations((all) => all.map((one) => ({ ...one, uses_left: 1_000 })))],
  ["lists an invitation several times", () => withInvitations((all) => Array(50).fill(all[0]))],
  ["adds more devices by one commit than a commit adds", () => madeUp(257)],
  ["adds more devices of one user than a user has", () => madeUp(33, { isOne: true })],
  ["adds more devices that no user has signed than a user has", () => madeUp(33, { isSigned: false })],
  ["changes the roles at no time", () => rolesWith({ last_updated_at: "now" })],
  ["writes a version that is no number", () => rolesWith({ version: "2" })],
];

test("what a member may not do, none of their commits does by a combination of what they may", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  people = { ada, ben, mallory: await openPerson(relay, "Mallory", { store, mls }) };
  const founded = await ada.create({ name: "Club", everyone: ["send", "invite", "rename", "manageRoles"] });
  await founded.add([people.mallory.address, ben.address]);
  groups = [founded, await groupOf(ben, "Club"), await groupOf(people.mallory, "Club")];
  const { id } = await founded.invite({ appUrl: "https://app.example/join" });
  await untilSame(groups);
  for (const [what, change] of forbidden) {
    const before = founded.epoch;
    const present = await state();
    const { commit } = await mls.commit(present, await change());
    const exporter = mls.exporterOf(present);
    const content = sealEnvelope(await epochKeysOf(exporter), commit);
    const { slots } = readGroupContext(mls.view(present).extension(groupContextType)) ?? {};
    if (slots === undefined) throw new Error("there is no context");
    const { slot, sign } = await commitSlotKey(slots, { exporter, attempt: 0 });
    const body = { content: encodeBase64(content), slot_key: encodeHex(slots.slotKey), ...sign(content) };
    expect([what, await people.mallory.device.call("takeSlot", { path: { slot }, body })]).toMatchObject([
      what,
      { won: true },
    ]);
    await founded.rename(`After somebody ${what}`);
    await untilSame(groups);
    for (const group of groups) {
      expect([what, group.epoch]).toEqual([what, before + 1n]);
      expect(group.members().map(({ name, address }) => [name, address])).toEqual([
        ["Ada", ada.address],
        ["Mallory", people.mallory.address],
        ["Ben", ben.address],
      ]);
      expect(group.roles()).toEqual(founded.roles());
      expect([what, group.invitations()]).toMatchObject([what, [{ id, by: ada.user, usesLeft: 1 }]]);
    }
  }
  await groups[2].send({ text: "one group" });
  for (const group of groups) await untilHas(group, "one group");
});

test("a message with the id of another member's takes neither its place nor what is meant for it", async () => {
  let forged: Partial<SvcMessage> | undefined;
  const forging = mlsWith("encrypt", (real) => (present, content) => {
    const said = readSvcMessage(content);
    const isForged = forged !== undefined && said.type === "text";
    return real.encrypt(present, isForged ? encodeSvcMessage({ ...said, ...forged } as SvcMessage) : content);
  });
  const adasStore = memoryStore();
  const ada = await openPerson(relay, "Ada", { store: adasStore });
  const [ben, mallory] = [await openPerson(relay, "Ben"), await openPerson(relay, "Mallory", { mls: forging })];
  const adas = await ada.create({ name: "Ids" });
  await adas.add([ben.address, mallory.address]);
  const [bens, mallorys] = [await groupOf(ben, "Ids"), await groupOf(mallory, "Ids")];
  // The id that Ada's message will have, as if Mallory's came first on its way.
  const { deviceSecret } = decodeRecord<Account>((await adasStore.get("account")) as Uint8Array);
  const named = concatBytes(deviceSecret, utf8(`mls-relay message\n${adas.id}\nplan`));
  forged = { message_id: encodeHex(sha256(named).subarray(0, 16)) };
  const find = async (group: Group, { user }: Groups) =>
    (await group.messages()).find(({ from, replyTo }) => from.user === user && replyTo === undefined);
  const idFrom = async (person: Groups) => (await find(bens, person))?.id as string;
  await mallorys.send({ text: "first" });
  await untilHas(bens, "first");
  await bens.react(await idFrom(mallory), "👎");
  await adas.send({ text: "the plan", key: "plan" });
  await untilHas(bens, "first", "the plan");
  await bens.react(await idFrom(ada), "👍");
  await bens.receipt([await idFrom(ada)], "read");
  await bens.send({ text: "yes", replyTo: await idFrom(ada) });
  for (const person of [ada, mallory]) {
    forged = { type: "edit", target: await idFrom(person), text: "" };
    await mallorys.send({ text: "an edit goes in its place" });
  }
  for (const group of [adas, bens]) {
    await untilHas(group, "yes");
    const isDone = async () => {
      const [hers, mine] = [await find(group, mallory), await find(group, ada)];
      return hers?.text === "" && mine?.reactions[ben.user]?.[0] === "👍" && mine.receipts[ben.user] === "read";
    };
    await until(isDone, "each effect has reached its message");
    expect(await find(group, mallory)).toMatchObject({ reactions: { [ben.user]: ["👎"] } });
    expect((await find(group, mallory))?.receipts).not.toHaveProperty(ben.user, "read");
    expect(await find(group, ada)).toMatchObject({ text: "the plan", id: await idFrom(ada) });
    expect((await group.messages()).find(({ text }) => text === "yes")?.replyTo).toBe(await idFrom(ada));
  }
});

test("nothing that a member puts into a message keeps others from reading the group", async () => {
  let forged: object | undefined;
  const forging = mlsWith("encrypt", (real) => (present, content) => {
    const said = JSON.parse(new TextDecoder().decode(content));
    const isForged = forged !== undefined && said.type === "text";
    const text = JSON.stringify({ ...said, ...forged }).replace('"nested"', nested);
    return real.encrypt(present, isForged ? utf8(text) : content);
  });
  const nested = "[".repeat(8_000) + "]".repeat(8_000);
  const store = memoryStore();
  const [ada, mallory] = [
    await openPerson(relay, "Ada", { store }),
    await openPerson(relay, "Mallory", { mls: forging }),
  ];
  const adas = await ada.create({ name: "Odd" });
  await adas.add([mallory.address]);
  const mallorys = await groupOf(mallory, "Odd");
  const file = {
    file_id: `${mallory.device.deviceId}:00000000-0000-4000-8000-000000000000`,
    file_size: 1,
    plaintext_hash: "0".repeat(64),
  };
  const attached = { type: "attachment", name: "a", media_type: "a/b" };
  const own = { type: "custom", content_type: "org.example/odd", content_version: 1 };
  const odd = { $bytes: 5, $$bytes: { $bytes: "AAAA" } };
  const sent = [
    { ...attached, file: { ...file, more: "nested" } },
    { ...own, content: { more: "nested" } },
    { ...attached, file: { ...file, more: "x".repeat(100_000) } },
    { ...attached, file: { ...file, ...odd } },
    { ...own, content: odd },
    { type: "text", text: "x", mentions: Array(101).fill({ user: "0".repeat(64), start: 0, length: 1 }) },
    { type: "reaction", target: "x", emoji: "x".repeat(101) },
    { type: "edit", target: "x", text: "", sent_at_millis: 1e300 },
  ];
  for (const one of sent) {
    forged = one;
    await mallorys.send({ text: "something odd goes in its place" });
  }
  forged = undefined;
  await mallorys.send({ text: "the last one" });
  await untilHas(adas, "the last one");
  const read = (await adas.messages()).filter(({ isMine }) => !isMine);
  expect(read.map(({ file, content }) => file?.reference ?? content?.body)).toEqual([
    { ...file, ...odd },
    odd,
    undefined,
  ]);
  await ada.close();
  const again = await openPerson(relay, "Ada", { store });
  expect((await again.group(adas.id)?.messages())?.length).toBe(3);
});
