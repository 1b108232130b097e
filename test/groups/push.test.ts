import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Group,
  type Groups,
  type Message,
  memoryStore,
  type Outgoing,
  type Store,
  tsMls,
} from "../../src/groups/index.js";
import { type OpenedPush, openPush } from "../../src/groups/push/index.js";
import { daySeconds, hourSeconds } from "../../src/protocol/units.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { eventsOf, groupOf, linkDevice, openPerson, roomy, textsOf, untilHas, untilSame } from "./people.js";

/** As small as few messages fill. */
const pageBytes = 16_384;

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({
    ...roomy,
    pollPageBytes: pageBytes,
    seeds: { ...roomy.seeds, SEED_STORAGE_ANNOUNCEMENT_RETENTION_HOURS: "720" },
  });
});
afterAll(() => relay?.stop());

/** As a service worker does, of whatever the relay has for the device of this store. */
function open(store: Store, options: { budgetMillis?: number } = {}): Promise<OpenedPush> {
  const runtime = { nowMillis: () => relay.clock.nowMillis() };
  return openPush({ store: { ...reading(store) }, mls: tsMls(), runtime, ...options });
}

/** The same store, as another program has it open. */
function reading(store: Store): Store {
  return {
    lock: async () => {
      throw new Error("a push takes no lock");
    },
    get: (key) => store.get(key),
    list: (range) => store.list(range),
    write: (changes) => store.write(changes),
    close: async () => {},
  };
}

const textsIn = ({ messages }: OpenedPush) => messages.map(({ message }) => message.text);

async function all(store: Store): Promise<Map<string, string>> {
  const records = await store.list({ prefix: "" });
  return new Map(records.map(([key, value]) => [key, Buffer.from(value).toString("hex")]));
}

/** Sends something, and waits until the relay has it. */
async function sent(sender: Groups, group: Group, content: Outgoing): Promise<Message> {
  const events = eventsOf(sender);
  const message = await group.send(content);
  await until(async () => events.some((event) => event.type === "sent" && event.message === message.id), "it is sent");
  return message;
}

/** Ada, whose device the test may turn off, in a group with Ben. */
async function adaAndBen(name: string) {
  const store = memoryStore();
  const ada = await openPerson(relay, "Ada", { store, autoAccept: false });
  const ben = await openPerson(relay, "Ben");
  const adas = await ada.create({ name });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, name);
  await untilSame([adas, bens]);
  const reopen = () => openPerson(relay, "Ada", { store, autoAccept: false });
  return { store, ada, ben, adas, bens, reopen };
}

test("what waits is opened for a notification as often as pushes come, and nothing of it is used up", async () => {
  const { store, ada, ben, adas, bens, reopen } = await adaAndBen("Friends");
  await adas.setLocal({ muted: true });
  await ada.close();
  expect(await open(store)).toEqual({ messages: [], unopened: [], isWhole: true });
  const mentions = [{ user: ada.user, start: 0, length: 3 }];
  await sent(ben, bens, { text: "Ada, are you there?", mentions });
  await sent(ben, bens, { text: "It is about tomorrow" });
  const before = await all(store);
  const first = await open(store);
  expect(first).toMatchObject({
    messages: [
      { group: { id: adas.id, name: "Friends", local: { muted: true } }, isMention: true },
      { message: { from: { user: ben.user, name: "Ben" }, text: "It is about tomorrow" }, isMention: false },
    ],
    unopened: [],
    isWhole: true,
  });
  await sent(ben, bens, { text: "Hello?" });
  expect(textsIn(await open(store))).toEqual(["Ada, are you there?", "It is about tomorrow", "Hello?"]);
  expect(await all(store)).toEqual(before);
  expect(await open(store, { budgetMillis: 0 })).toEqual({ messages: [], unopened: [], isWhole: false });

  const again = await reopen();
  const group = again.group(adas.id) as Group;
  await untilHas(group, "Hello?");
  expect(await textsOf(group)).toEqual(["Ada, are you there?", "It is about tomorrow", "Hello?"]);
  await until(async () => textsIn(await open(store)).length === 0, "nothing waits any more");
  // The keys have opened each message for the first time.
  await group.send({ text: "Here I am" });
  await untilHas(bens, "Here I am");
  expect(await textsOf(bens)).toEqual([...(await textsOf(group))]);
});

test("what is taken back, edited, past its time or read elsewhere is shown as it is by then", async () => {
  const { store, ada, ben, adas, bens } = await adaAndBen("Changes");
  const tablet = await linkDevice(ada, relay);
  const onTablet = await groupOf(tablet, "Changes");
  await untilSame([adas, bens, onTablet]);
  await ada.close();
  const { id: wrong } = await sent(ben, bens, { text: "Meet at fiev" });
  const { id: secret } = await sent(ben, bens, { text: "A mistake" });
  expect(textsIn(await open(store))).toEqual(["Meet at fiev", "A mistake"]);
  await bens.edit(wrong, "Meet at five");
  await bens.edit(secret, "");
  await until(async () => textsIn(await open(store)).join() === "Meet at five", "the edits have come");
  await untilHas(onTablet, "Meet at five");
  await onTablet.setLocal({ muted: true });
  await until(async () => (await open(store)).messages[0]?.group.local["muted"] === true, "it was muted on the tablet");
  await onTablet.setRead({ id: wrong });
  await until(async () => textsIn(await open(store)).length === 0, "it was read on the tablet");
});

test("a disappearing message is not opened after its time", async () => {
  const { store, ada, ben, adas, bens } = await adaAndBen("Secrets");
  await adas.setDisappearing(hourSeconds);
  await untilSame([adas, bens]);
  await ada.close();
  await sent(ben, bens, { text: "for an hour" });
  const { messages } = await open(store);
  expect(messages).toMatchObject([{ message: { text: "for an hour", disappearsAtMillis: expect.any(Number) } }]);
  relay.clock.advance(hourSeconds + 1);
  expect(textsIn(await open(store))).toEqual([]);
});

test("strangers get nobody's attention, with what they invite to and with what nobody can open", async () => {
  const { store, ada, ben, bens } = await adaAndBen("Known");
  const mallory = await openPerson(relay, "Mallory");
  // Ada is asked about the first group, and has not heard of the second.
  const [lure, later] = [await mallory.create({ name: "Your bank" }), await mallory.create({ name: "Known" })];
  await lure.add([ada.address]);
  await until(async () => ada.groups().some(({ consent }) => consent === "unknown"), "Ada is asked");
  await ada.close();
  await later.add([ada.address]);
  await sent(mallory, lure, { text: "Call this number" });
  await sent(mallory, later, { text: "It is me, Ben" });
  for (const ciphertext of [randomBytes(600), Buffer.concat([Buffer.of(1), randomBytes(600)])])
    await mallory.device.send({ to: ada.address, ciphertext });
  expect(await open(store)).toEqual({ messages: [], unopened: [], isWhole: true });
  await sent(ben, bens, { text: "It is me indeed" });
  expect(textsIn(await open(store))).toEqual(["It is me indeed"]);
});

test("junk before a text hides it from no push, however many pages of the queue it fills", async () => {
  const { store, ada, ben, adas, bens } = await adaAndBen("Behind junk");
  await ada.close();
  const stranger = await openPerson(relay, "Stranger");
  for (let second = 0; second < 5; second++) {
    relay.clock.advance(1);
    for (let count = 0; count < 10; count++) {
      const ciphertext = Buffer.concat([Buffer.of(1), randomBytes(pageBytes / 16)]);
      await stranger.device.send({ to: ada.address, ciphertext });
    }
  }
  relay.clock.advance(1);
  await sent(ben, bens, { text: "behind it" });
  const found = await open(store);
  expect([textsIn(found), found.isWhole, found.messages[0]?.group.id]).toEqual([["behind it"], true, adas.id]);
});

test("a group that has changed meanwhile is named, and what its members write is opened by the device alone", async () => {
  const { store, ada, ben, adas, bens } = await adaAndBen("Moving on");
  const cem = await openPerson(relay, "Cem");
  await bens.add([cem.address]).catch(() => undefined);
  await adas.add([cem.address]);
  await untilSame([adas, bens, await groupOf(cem, "Moving on")]);
  await ada.close();
  await bens.rename("Moved on");
  await untilSame([bens, await groupOf(cem, "Moved on")]);
  // Nobody has written yet.
  expect(await open(store)).toEqual({ messages: [], unopened: [], isWhole: true });
  await sent(ben, bens, { text: "news" });
  expect(await open(store)).toMatchObject({ messages: [], unopened: [{ id: adas.id, name: "Moving on" }] });
});

test("a device that is off for days begins one session for all pushes, and knows of it when it is back", async () => {
  const { store, ada, ben, adas, bens, reopen } = await adaAndBen("Away");
  await until(async () => (await store.get("lifetime")) !== undefined, "Ada knows how long her address lives");
  await ada.close();
  relay.clock.advance(2 * daySeconds);
  await until(async () => ben.status === "online", "Ben is online");
  await sent(ben, bens, { text: "day two" });
  for (let times = 0; times < 12; times++) expect(textsIn(await open(store))).toEqual(["day two"]);
  relay.clock.advance(29 * daySeconds);
  const again = await reopen();
  await untilHas(again.group(adas.id) as Group, "day two");
  const events = again.events();
  for (;;) {
    const { value } = await events.next();
    expect(value.type).not.toBe("unreachable");
    if (value.type === "message") break;
  }
});

test("a store without a device has nothing to open", async () => {
  expect(await open(memoryStore())).toEqual({ messages: [], unopened: [], isWhole: true });
});
