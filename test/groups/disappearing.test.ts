import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeRecord } from "../../src/groups/encoding/records.js";
import { type Group, memoryStore, NotPermittedError, type Store } from "../../src/groups/index.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { until } from "../support/until.js";
import {
  eventsOf,
  groupOf,
  linkDevice,
  openDevice,
  openPerson,
  roomy,
  textsOf,
  untilHas,
  untilSame,
} from "./people.js";

let fixture: PeerFixture;
let relay: PeerRelay;
let other: PeerRelay;
beforeAll(async () => {
  fixture = await createPeerFixture();
  relay = await fixture.relay(roomy);
  other = await fixture.relay(roomy);
});
afterAll(() => fixture?.stop());

const hour = 3_600;
const advance = (seconds: number) => {
  for (const one of [relay, other]) one.clock.advance(seconds);
};

async function adaAndBen(name: string, store: Store = memoryStore()) {
  const [ada, ben] = [await openPerson(relay, "Ada", { store }), await openPerson(other, "Ben")];
  const adas = await ada.create({ name });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, name);
  await untilSame([adas, bens]);
  return { ada, ben, adas, bens };
}

/** What the store has of some text, under which keys. */
async function keysWith(store: Store, text: string): Promise<string[]> {
  const all = await store.list({ prefix: "" });
  return all.flatMap(([key, value]) => (Buffer.from(value).includes(text) ? [key] : []));
}

test("messages disappear from all devices and their files, and those of before stay", async () => {
  const store = memoryStore();
  const { ada, adas, bens } = await adaAndBen("Secrets", store);
  await adas.send({ text: "before" });
  await untilHas(bens, "before");
  const events = eventsOf(ada);
  await expect(bens.setDisappearing(hour)).rejects.toThrow(NotPermittedError);
  for (const wrong of [0, 9, 1.5, 367 * 86_400, Number.NaN, "10"])
    await expect(adas.setDisappearing(wrong as number)).rejects.toThrow(TypeError);
  await adas.setDisappearing(hour);
  await untilSame([adas, bens]);
  expect([adas, bens].map(({ disappearSeconds }) => disappearSeconds)).toEqual([hour, hour]);
  expect(events.filter(({ type }) => type === "disappearingChanged")).toMatchObject([
    { seconds: hour, by: { name: "Ada" } },
  ]);
  const sent = await adas.send({ text: "for an hour" });
  expect(sent.disappearsAtMillis).toBe(sent.receivedAtMillis + 1000 * hour);
  const file = await adas.attach(new TextEncoder().encode("a note"), { name: "note.txt", mediaType: "text/plain" });
  expect((file.file?.endsAtMillis ?? 0) - relay.clock.nowMillis()).toBeLessThanOrEqual(1000 * hour);
  await untilHas(bens, "for an hour");
  // A member who sets another time takes no message from others that has come before.
  await adas.setDisappearing(10);
  await adas.send({ text: "for ten seconds" });
  await untilHas(bens, "for an hour", "for ten seconds");
  await adas.setDisappearing();
  await adas.send({ text: "afterwards" });
  await untilHas(bens, "afterwards");
  advance(60);
  for (const group of [adas, bens]) expect(await textsOf(group)).not.toContain("for ten seconds");
  for (const group of [adas, bens]) expect(await textsOf(group)).toContain("for an hour");
  advance(hour);
  for (const group of [adas, bens]) expect(await textsOf(group)).toEqual(["before", "afterwards"]);
  await until(async () => (await keysWith(store, "for an hour")).length === 0, "nothing of it is stored");
  expect(await keysWith(store, "for ten seconds")).toEqual([]);
  expect(await keysWith(store, "note.txt")).toEqual([]);
  expect(events.flatMap((event) => (event.type === "disappeared" ? event.messages : []))).toContain(sent.id);
  expect(await bens.unread()).toBe(2);
});

test("a device that was away neither shows nor stores what has disappeared meanwhile, nor brings it to a new device", async () => {
  const store = memoryStore();
  const { ada, ben, adas, bens } = await adaAndBen("Away");
  const cems = await openDevice(other, "Cem", { store });
  await adas.add([cems.address]);
  await groupOf(cems, "Away");
  await adas.setDisappearing(hour);
  await adas.send({ text: "read at once" });
  await untilHas(bens, "read at once");
  await untilHas(await groupOf(cems, "Away"), "read at once");
  await cems.close();
  await bens.send({ text: "never seen by Cem" });
  await untilHas(adas, "never seen by Cem");
  advance(2 * hour);
  const again = await openPerson(other, "Cem", { store });
  const seen: string[] = [];
  again.subscribe((event) => {
    if (event.type === "message") seen.push(event.message.text);
  });
  const group = again.groups()[0] as Group;
  expect(await textsOf(group)).toEqual([]);
  expect(await keysWith(store, "read at once")).toEqual([]);
  await adas.setDisappearing();
  await adas.send({ text: "here to stay" });
  await untilHas(group, "here to stay");
  expect(seen).toEqual(["here to stay"]);
  expect(await keysWith(store, "never seen by Cem")).toEqual([]);
  await adas.setDisappearing(hour);
  await adas.send({ text: "on the new device, too" });
  await untilHas(bens, "on the new device, too");
  const phone = await linkDevice(ben, other);
  const there = await groupOf(phone, "Away");
  await untilHas(there, "here to stay", "on the new device, too");
  expect(await textsOf(there)).not.toContain("read at once");
  advance(2 * hour);
  expect(await textsOf(there)).toEqual(["here to stay"]);
  expect(ada.groups()).toHaveLength(1);
});

test("a group that was left is forgotten with all that is stored of it, and a crash in between is no harm", async () => {
  const store = memoryStore();
  const { ada, ben, adas, bens } = await adaAndBen("Old friends");
  const own = await openDevice(relay, "Cem", { store, keepFiles: 1_000_000 });
  await adas.add([own.address]);
  const cems = await groupOf(own, "Old friends");
  await expect(cems.forget()).rejects.toThrow("leave");
  const { id } = cems;
  await cems.send({ text: "farewell" });
  await cems.attach(new Uint8Array(300_000), { name: "large", mediaType: "text/plain" });
  await adas.setDisappearing(hour);
  await untilSame([adas, cems]);
  await cems.send({ text: "for now" });
  await cems.setLocal({ muted: true });
  await cems.react((await cems.messages())[0]?.id as string, "👍");
  await untilHas(bens, "for now");
  const beside = await own.create({ name: "Beside" });
  await beside.send({ text: "is still here" });
  await cems.leave();
  await cems.forget();
  expect(own.groups().map(({ name }) => name)).toEqual(["Beside"]);
  expect(own.group(id)).toBeUndefined();
  await expect(cems.send({ text: "again" })).rejects.toThrow("not in the group");
  await expect(cems.setLocal({ muted: false })).rejects.toThrow("forgotten");
  expect(await cems.messages()).toEqual([]);
  // The others learn of it, although what was to be sent had no group any more.
  await until(async () => adas.members().length === 2, "the others know");
  const left = (await store.list({ prefix: "" })).filter(
    ([key, value]) => key.includes(id) || Buffer.from(value).includes(id),
  );
  expect(left.map(([key, value]) => [key.split("/")[0], decodeRecord<{ type?: string }>(value).type])).toEqual([
    ["event", "forgotten"],
  ]);
  for (const text of ["farewell", "for now", "Old friends"]) expect(await keysWith(store, text)).toEqual([]);
  await own.close();
  // The program ended after the first page.
  await store.write([
    [`forgetting/${id}`, new TextEncoder().encode("{}")],
    [`message/${id}/000000000001`, new TextEncoder().encode('{"text":"left over"}')],
  ]);
  const again = await openPerson(relay, "Cem", { store });
  expect(await keysWith(store, "left over")).toEqual([]);
  expect(await textsOf(again.groups()[0] as Group)).toEqual(["is still here"]);
  await bens.invite({ appUrl: "https://app.example/join" }).then(({ link }) => again.join(link));
  await untilHas((await groupOf(again, "Old friends")) as Group);
  expect([ada, ben].map((one) => one.groups().length)).toEqual([1, 1]);
});
