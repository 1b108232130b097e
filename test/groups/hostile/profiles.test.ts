import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { encodeSvcMessage, uploadBlob } from "../../../src/client/index.js";
import { decodeRecord, encodeRecord } from "../../../src/groups/encoding/records.js";
import { type Group, type Groups, memoryStore, tsMls } from "../../../src/groups/index.js";
import { encodeGroupContext, groupContextType } from "../../../src/groups/mls/group-context.js";
import { replacementOf } from "../../../src/groups/mls/leaf-replacement.js";
import { encodeIdentity, memberOf } from "../../../src/groups/mls/members.js";
import type { Leaf } from "../../../src/groups/mls/mls.js";
import type { Account } from "../../../src/groups/store/records.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import { eventsOf, groupOf, mlsWith, openPerson, roomy, untilHas, untilSame } from "../people.js";
import { contextOf, take } from "./attempts.js";
import { openToBecome } from "./mallory.js";

// Mallory tells of herself what her library would not tell. Ben has the library as it is.

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

/** Mallory in a group of Ben's, and what has her send a profile in place of a text. */
async function meet() {
  let forged: Uint8Array | undefined;
  let now = Date.now() - 60_000;
  const mls = mlsWith("encrypt", (real) => (state, content) => real.encrypt(state, forged ?? content));
  const store = memoryStore();
  const [ben, mallory] = [await openPerson(relay, "Ben", { store }), await openPerson(relay, "Mallory", { mls })];
  const bens = await ben.create({ name: "Club" });
  await bens.add([mallory.address]);
  const mallorys = await groupOf(mallory, "Club");
  const claim = async (said: object) => {
    const common = { message_id: crypto.randomUUID(), sent_at_millis: now++ };
    forged = encodeSvcMessage({ ...common, type: "persona_update", name: "Mallory", ...said } as never);
    await mallorys.send({ text: "a profile goes in its place" });
    forged = undefined;
  };
  const after = async (text: string) => {
    await mallorys.send({ text });
    await untilHas(bens, text);
  };
  return { ben, bens, mallory, store, claim, after, profile: () => ben.person(mallory.user) };
}

const plaintext_hash = "0".repeat(64);
const at = (url: string) => ({ url, key: "1".repeat(64), plaintext_hash });

test("a profile that is too long or no profile changes nothing, and its picture is read only at its sender's relay", async () => {
  const { ben, mallory, claim, after, profile } = await meet();
  const file = { ...at(`https://evil.example/v1/blobs/${"2".repeat(64)}`), file_size: 10 };
  const file_id = `${mallory.device.deviceId}:${crypto.randomUUID()}`;
  const picture = { ...file, file_id };
  const type = { media_type: "image/png" };
  const refused = [
    { name: "a".repeat(1_000_000) },
    { name: 7 },
    { name: "A", set_at_millis: -1 },
    { name: "B", picture: { ...picture, filler: "a".repeat(1_000_000) }, ...type },
    { name: "C", picture: { ...picture, file_size: -1 }, ...type },
    { name: "D", picture: "a picture", ...type },
    { name: "" },
  ];
  for (const said of refused) await claim(said);
  await after("after what is refused");
  expect(profile()).toMatchObject({ name: "Mallory" });
  const withoutPicture = [
    { picture: { ...picture, file_size: 256 * 1024 + 1 }, ...type },
    { picture: { ...picture, file_size: 0 }, ...type },
    { picture, media_type: "image/svg+xml" },
    { picture: { ...picture, url: "javascript:alert(1)" }, ...type },
    { picture: { ...picture, url: `https://${"a".repeat(600)}/v1/blobs/${"2".repeat(64)}` }, ...type },
  ];
  for (const [count, said] of withoutPicture.entries()) await claim({ name: `Name ${count}`, ...said });
  await after("after what is no picture");
  expect([profile().name, profile().picture]).toEqual(["Name 4", undefined]);
  await claim({ name: "Seen\u202egnihton\n", picture, ...type });
  await after("after a host of hers");
  expect(profile()).toMatchObject({ name: "Seen\ufffdgnihton", picture: { size: 10 } });
  // The blob is sought at the relay, which has none.
  await expect(ben.picture(mallory.user, { download: true })).rejects.toThrow("exist");
});

test("a picture whose size or hash lies is not shown", async () => {
  const { ben, mallory, claim, after, store } = await meet();
  const { reference } = await uploadBlob(mallory.device, new Uint8Array(randomBytes(2_000)));
  for (const lie of [{ file_size: 1_000 }, { file_size: 200_000 }, { plaintext_hash }]) {
    await claim({ picture: { ...reference, ...lie }, media_type: "image/png" });
    await after(JSON.stringify(lie));
    await expect(ben.picture(mallory.user, { download: true })).rejects.toThrow("blob");
  }
  expect(await store.list({ prefix: "picture" })).toEqual([]);
});

test("many changes are told 30 times, and take no more room than one", async () => {
  const { ben, mallory, claim, after, profile, store } = await meet();
  const events = eventsOf(ben);
  // The last ones claim times to come.
  for (let count = 0; count < 60; count++)
    await claim({ name: `Name ${count}`, set_at_millis: Date.now() + (count > 45 ? 10 ** 12 : 0) });
  await after("after many");
  const changes = events.flatMap((event) => (event.type === "profileChanged" ? [event.name] : []));
  expect(changes).toHaveLength(30);
  expect(profile().name).toBe(changes.at(-1));
  const kept = await store.list({ prefix: "profile/" });
  expect([kept.length, (kept[0]?.[1].length ?? 0) < 1_000, mallory.user]).toEqual([1, true, kept[0]?.[0].slice(8)]);
});

test("users who do not exist use up no room for the profiles of others, nor push them out", async () => {
  const { ben, bens, mallory, claim, after, store } = await meet();
  await claim({ name: "Mallory before" });
  await after("after one");
  await ben.close();
  // As if a member had added them to other groups, and removed them.
  const junk = Array.from({ length: 10_000 }, (_, at) => "f".repeat(58) + String(at).padStart(6, "0"));
  const known = (at: number) => encodeRecord({ name: "Nobody", at: 1, day: 0, changes: 1, group: String(at % 3) });
  await store.write(junk.map((user, at) => [`profile/${user}`, known(at)]));
  const again = await openPerson(relay, "Ben", { store });
  const cem = await openPerson(relay, "Cem");
  await cem.setProfile({ name: "Cem the Great" });
  await (again.group(bens.id) as Group).add([cem.address]);
  await (await groupOf(cem, "Club")).send({ text: "here I am" });
  await untilHas(again.group(bens.id) as Group, "here I am");
  const name = ({ user }: Groups) => again.person(user).name;
  expect([name(cem), name(mallory)]).toEqual(["Cem the Great", "Mallory before"]);
  expect(await store.list({ prefix: "profile/" })).toHaveLength(10_000);
});

test("no member takes a description or picture of a group that is too long, or of one who may not rename it", async () => {
  const store = memoryStore();
  const [ada, ben] = [await openPerson(relay, "Ada", { store }), await openPerson(relay, "Ben")];
  const adas = await ada.create({ name: "Club", everyone: ["send", "setDisappearing"] });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, "Club");
  await bens.setDisappearing(60);
  await until(async () => adas.epoch === bens.epoch, "both are in one epoch");
  const mls = tsMls();
  const state = await mls.load((await store.get(`state/${adas.id}`)) as Uint8Array);
  const written = { ...contextOf(state), description: "a".repeat(1_001) };
  const { commit } = await mls.commit(state, {
    extensions: new Map([[groupContextType, encodeGroupContext(written)]]),
  });
  expect(await take(ada, { state, bytes: commit, attempt: 0 })).toBe(true);
  await bens.setDisappearing(120);
  await until(async () => adas.epoch === bens.epoch, "both have gone on");
  expect([adas.description, bens.description, bens.disappearSeconds]).toEqual(["", "", 120]);
  await expect(bens.setAppearance({ description: "Ben's" })).rejects.toThrow("rename");
});

test("all see it if a member comes back in their own place under another name", async () => {
  const store = memoryStore();
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const { groups, store: hers } = await openToBecome(relay, "Mallory");
  const cem = await openPerson(relay, "Cem", { store });
  const adas = await ada.create({ name: "Guises", everyone: ["send"] });
  await adas.add([ben.address, groups.address, cem.address]);
  const bens = await groupOf(ben, "Guises");
  await untilSame([adas, bens, await groupOf(cem, "Guises")]);
  const events = eventsOf(ben);
  const mls = tsMls();
  // Cem helps her.
  const state = await mls.load((await store.get(`state/${adas.id}`)) as Uint8Array);
  const account = decodeRecord<Account>((await hers.get("account")) as Uint8Array);
  const [leaf] = mls.view(state).leaves.filter((one) => memberOf(one, mls.view(state)).name === "Mallory") as [Leaf];
  const about = { name: "Ada", address: groups.address };
  const identity = encodeIdentity(about, { ...account, signatureKey: leaf.signatureKey });
  const replaces = replacementOf(mls.view(state), leaf);
  const { keyPackage } = await mls.newKeyPackage({ identity, signer: account.signer, replaces });
  const { commit } = await mls.commit(state, { remove: [leaf.index], add: [keyPackage] });
  expect(await take(cem, { state, bytes: commit, attempt: 0 })).toBe(true);
  await adas.rename("Guises seen");
  await untilSame([adas, bens]);
  const changes = events.flatMap((event) => (event.type === "changed" ? [event] : []));
  const named = (those: { name: string; user: string }[]) => those.map(({ name, user }) => [name, user]);
  const seen = changes.map(({ joined, left }) => [named(joined), named(left)]);
  expect(seen).toContainEqual([[["Ada", groups.user]], [["Mallory", groups.user]]]);
});
