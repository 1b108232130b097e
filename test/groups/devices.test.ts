import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runtimeWith } from "../../src/client/runtime/runtime.js";
import { type Group, type Message, memoryStore } from "../../src/groups/index.js";
import { daySeconds } from "../../src/protocol/units.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { eventsOf, groupOf, linkDevice, linkTo, openDevice, openPerson, roomy, textsOf, untilHas } from "./people.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

test("a new device of a user comes into all groups, with what was written before, under the user's key", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const group = await ada.create({ name: "Both" });
  await ada.create({ name: "Notes" });
  await group.add([ben.address]);
  await group.send({ text: "before" });
  const codes: string[] = [];
  const compare = (code: string) => codes.push(code) > 0;
  let linked: Promise<void> | undefined;
  const show = (qr: string) => {
    linked = ada.linkDevice(qr, { compare });
  };
  const tablet = await openPerson(relay, "ignored", { link: { show, compare } });
  await linked;
  expect(codes).toEqual([expect.stringMatching(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/), codes[0]]);
  expect([tablet.name, tablet.user]).toEqual(["Ada", ada.user]);
  const there = await groupOf(tablet, "Both");
  await groupOf(tablet, "Notes");
  await untilHas(there, "before");
  await there.send({ text: "from the tablet" });
  await untilHas(group, "from the tablet");
  expect(await textsOf(there)).toEqual(["before", "from the tablet"]);
  const bens = await groupOf(ben, "Both");
  await untilHas(bens, "from the tablet");
  const devices = bens.members().filter(({ user }) => user === ada.user);
  expect(devices.map(({ isSigned, name }) => [isSigned, name])).toEqual([
    [true, "Ada"],
    [true, "Ada"],
  ]);
});

test("a device is linked only if the user finds the codes the same on both", async () => {
  const ada = await openPerson(relay, "Ada");
  await ada.create({ name: "Private" });
  const store = memoryStore();
  for (const [there, here] of [
    [false, true],
    [true, false],
    [false, false],
  ]) {
    let linked: Promise<unknown> | undefined;
    const show = (qr: string) => {
      linked = ada.linkDevice(qr, { compare: () => here === true }).catch((problem: unknown) => problem);
    };
    const link = { show, compare: () => there === true };
    await expect(openDevice(relay, "Mallory", { store, link })).rejects.toMatchObject({ reason: "different" });
    expect(await linked).toMatchObject({ name: "LinkingError", reason: "different" });
  }
  // The same device, which the relay knows by now.
  const tablet = await openPerson(relay, "Mallory", { store, link: linkTo(ada) });
  await groupOf(tablet, "Private");
  expect([tablet.name, tablet.user]).toEqual(["Ada", ada.user]);
  await expect(ada.linkDevice("nonsense", { compare: () => true })).rejects.toThrow("no new device has this code");
  await expect(ada.linkDevice("{}", {} as never)).rejects.toThrow("compare must be a function");
});

test("a reaction that comes before the message that it is about is there once the new device has the history", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const group = await ada.create({ name: "Early" });
  await group.add([ben.address]);
  const { id } = await group.send({ text: "before" });
  const bens = await groupOf(ben, "Early");
  await untilHas(bens, "before");
  const store = memoryStore();
  const { fetch } = runtimeWith();
  const runtime = {
    fetch: async (url: string, init: RequestInit) => {
      if (url.includes("/v1/blobs/")) throw new TypeError("no route to the relay");
      return fetch(url, init);
    },
  };
  const link = linkTo(ada);
  const tablet = await openDevice(relay, "ignored", { store, runtime, link });
  await groupOf(tablet, "Early");
  await until(async () => bens.members().length === 3, "Ben knows the new device");
  await until(async () => (await store.list({ prefix: "history/" })).length > 0, "the history is offered");
  await bens.react(id, "👍");
  await until(async () => (await store.list({ prefix: "effect/" })).length > 0, "the reaction waits");
  await tablet.close();
  const there = await groupOf(await openPerson(relay, "ignored", { store }), "Early");
  await untilHas(there, "before");
  expect((await there.messages()).map(({ reactions }) => reactions)).toEqual([{ [ben.user]: ["👍"] }]);
  expect(await store.list({ prefix: "effect/" })).toEqual([]);
});

test("a device that can open no stream is linked, receives, and is online", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const group = await ada.create({ name: "Polled" });
  await group.add([ben.address]);
  await group.send({ text: "before" });
  const { sleep } = runtimeWith();
  const tablet = await openPerson(relay, "ignored", {
    link: linkTo(ada),
    runtime: {
      openSocket: () => Promise.reject(new Error("a proxy refuses WebSockets")),
      sleep: (millis, signal) => sleep(millis / 100, signal),
    },
  });
  const there = await groupOf(tablet, "Polled");
  await untilHas(there, "before");
  await group.send({ text: "after" });
  await untilHas(there, "after");
  expect(tablet.status).toBe("online");
});

test("a device that was off until the file with the history had ended goes on without it", async () => {
  const ada = await openPerson(relay, "Ada");
  const group = await ada.create({ name: "Ended" });
  await group.send({ text: "before" });
  const store = memoryStore();
  let isCut = true;
  const { fetch } = runtimeWith();
  const runtime = {
    fetch: async (url: string, init: RequestInit) => {
      if (isCut && url.includes("/v1/blobs/")) throw new TypeError("no route to the relay");
      return fetch(url, init);
    },
  };
  const link = linkTo(ada);
  const offered = async () => (await store.list({ prefix: "history/" })).length;
  const tablet = await openDevice(relay, "ignored", { store, runtime, link });
  await until(async () => (await offered()) > 0, "the file is offered");
  await groupOf(tablet, "Ended");
  await tablet.close();
  relay.clock.advance(8 * daySeconds);
  isCut = false;
  const again = await openPerson(relay, "ignored", { store, runtime });
  const events = eventsOf(again);
  await until(async () => (await offered()) === 0, "the file is given up");
  expect(events).toContainEqual(expect.objectContaining({ type: "history", messages: 0 }));
  const there = await groupOf(again, "Ended");
  await until(async () => again.status === "online", "the device is online");
  await group.send({ text: "after" });
  await untilHas(there, "after");
  expect(await textsOf(there)).toEqual(["after"]);
});

test("what a user sets for a group is on all their devices, and the latest counts", async () => {
  const ada = await openPerson(relay, "Ada");
  const group = await ada.create({ name: "Own" });
  interface Own {
    muted: boolean;
    draft: string;
    pinned: number;
  }
  await group.setLocal<Own>({ muted: true, draft: "Hel" });
  expect(await group.local<Own>()).toEqual({ muted: true, draft: "Hel" });
  const tablet = await linkDevice(ada, relay);
  const there = await groupOf(tablet, "Own");
  const phone = await linkDevice(tablet, relay);
  const onPhone = await groupOf(phone, "Own");
  const untilLocal = (one: Group, local: object) =>
    until(async () => isDeepStrictEqual(await one.local(), local), `it is ${JSON.stringify(local)}`);
  for (const one of [there, onPhone]) await untilLocal(one, { muted: true, draft: "Hel" });
  // By way of the tablet, to which both are linked.
  await onPhone.setLocal<Own>({ muted: undefined, pinned: 1 });
  for (const one of [group, there]) await untilLocal(one, { draft: "Hel", pinned: 1 });
  await group.setLocal<Own>({ draft: "Hello" });
  for (const one of [there, onPhone]) await untilLocal(one, { draft: "Hello", pinned: 1 });
  expect(await group.messages()).toEqual([]);
  for (const wrong of [{ big: "x".repeat(20_001) }, { "": 1 }, { call: () => undefined }, { $read: "1" }, null])
    await expect(group.setLocal(wrong as never)).rejects.toThrow(TypeError);
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`entry ${at}`, at]));
  await expect(group.setLocal(many)).rejects.toThrow(RangeError);
});

test("how far a user has read is the same on all their devices, and what was set shortly before the program ended is told", async () => {
  const store = memoryStore();
  const first = await openDevice(relay, "Ada", { store });
  const ben = await openPerson(relay, "Ben");
  const founded = await first.create({ name: "Read" });
  await founded.add([ben.address]);
  const bens = await groupOf(ben, "Read");
  const tablet = await linkDevice(first, relay);
  const there = await groupOf(tablet, "Read");
  await until(async () => bens.members().length === 3, "Ben knows both devices");
  for (const text of ["one", "two", "three"]) await bens.send({ text });
  for (const one of [founded, there]) await untilHas(one, "three");
  expect([await founded.unread(), await there.unread()]).toEqual([3, 3]);
  const [, two] = await founded.messages();
  await founded.setRead(two as Message);
  expect(await founded.unread()).toBe(1);
  await until(async () => (await there.unread()) === 1, "the tablet knows it");
  expect(await there.local()).toEqual({});
  const [one] = await there.messages();
  // Nobody has read less than before.
  await there.setRead(one as Message);
  await founded.setLocal({ draft: "to be continued" });
  await first.close();
  const last = await bens.send({ text: "four" });
  await untilHas(there, "four");
  const again = await openPerson(relay, "Ada", { store });
  const group = await groupOf(again, "Read");
  await untilHas(group, "four");
  await until(
    async () => (await there.local<{ draft: string }>()).draft === "to be continued",
    "the tablet has the draft",
  );
  expect([await group.unread(), await there.unread()]).toEqual([2, 2]);
  const [four] = (await there.messages()).filter(({ id }) => id === last.id);
  await there.setRead(four as Message);
  await until(async () => (await group.unread()) === 0, "the other device knows that all is read");
});
