import { afterAll, beforeAll, expect, test } from "vitest";
import { type Group, memoryStore, type StoredEvent } from "../../src/groups/index.js";
import { daySeconds, hourSeconds } from "../../src/protocol/units.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { Life } from "./life.js";
import { eventsOf, groupOf, openPerson, roomy, textsOf, untilHas, untilPackagesReplaced, untilSame } from "./people.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({
    ...roomy,
    slotMemoryDays: 60,
    seeds: {
      ...roomy.seeds,
      SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "true",
      SEED_REGISTRATION_ALLOW_TIME_DELAY: "true",
      SEED_REGISTRATION_TIME_DELAY_SECONDS: "1",
    },
  });
});
afterAll(() => relay.stop());

const admission = { by: "waiting", seconds: 1.2 } as const;

test("a device that its relay has given up is told of, and takes part again when it is back", async () => {
  const stores = { ada: memoryStore(), ben: memoryStore() };
  let ada = await openPerson(relay, "Ada", { store: stores.ada, admission });
  let ben = await openPerson(relay, "Ben", { store: stores.ben, admission });
  const created = await ada.create({ name: "Long" });
  await created.add([ben.address]);
  await created.send({ text: "zero" });
  await untilHas(await groupOf(ben, "Long"), "zero");
  const { address } = ben;
  await until(async () => (await stores.ben.get("lifetime")) !== undefined, "Ben knows how long his address lives");
  await ben.close();
  // Ada connects now and then.
  const pass = async (seconds: number): Promise<Group> => {
    await ada.close();
    relay.clock.advance(seconds);
    ada = await openPerson(relay, "Ada", { store: stores.ada, admission });
    await until(async () => ada.status === "online", "Ada is online");
    return ada.group(created.id) as Group;
  };
  let adas = await pass(25 * hourSeconds);
  const refused = eventsOf(ada);
  const { id } = await adas.send({ text: "one" });
  const isTold = (event: StoredEvent) => event.type === "undelivered" && event.message === id;
  await until(async () => refused.some(isTold), "Ada is told that Ben does not get it");
  expect(refused.find(isTold)).toMatchObject({ address, error: "ADDRESS_NOT_FOUND" });
  await adas.rename("Longer");

  ben = await openPerson(relay, "Ben", { store: stores.ben, admission });
  let bens = await groupOf(ben, "Longer");
  await until(async () => ben.status === "online", "Ben is online");
  await adas.send({ text: "two" });
  await untilHas(bens, "two");
  expect(await textsOf(bens)).toEqual(["zero", "two"]);
  const events = ben.events();
  const untilEvent = async (type: StoredEvent["type"]) => {
    for (;;) {
      const { value } = await events.next();
      if (value.type === type) return value;
    }
  };
  const gap = await untilEvent("unreachable");
  expect(gap.untilSeconds - gap.sinceSeconds).toBeGreaterThanOrEqual(hourSeconds - 60);
  await ben.close();

  // Now the relay removes the device, and forgets commits that it needs.
  for (let times = 0; times < 5; times++) {
    adas = await pass(8 * daySeconds);
    await adas.rename(`Longest ${times}`);
  }
  ben = await openPerson(relay, "Ben", { store: stores.ben, admission });
  bens = ben.group(created.id) as Group;
  await until(async () => bens.state === "mustRejoin", "Ben must join again");
  await bens.rejoin();
  bens = await groupOf(ben, "Longest 4");
  await adas.send({ text: "three" });
  await untilHas(bens, "three");
  await bens.send({ text: "four" });
  await untilHas(adas, "four");
  expect(await textsOf(bens)).toEqual(["zero", "two", "three", "four"]);
  // His key packages are there again, too.
  const next = await ada.create({ name: "Next" });
  await untilPackagesReplaced(stores.ben);
  await next.add([ben.address]);
  await groupOf(ben, "Next");
});

test("a quiet group goes on to another epoch before its epoch is too old to commit in", async () => {
  const stores = { ada: memoryStore(), ben: memoryStore() };
  const [ada, ben] = [
    await openPerson(relay, "Ada", { store: stores.ada, admission }),
    await openPerson(relay, "Ben", { store: stores.ben, admission }),
  ];
  const created = await ada.create({ name: "Quiet" });
  await created.add([ben.address]);
  await untilSame([created, await groupOf(ben, "Quiet")]);
  const { epoch } = created;
  for (const person of [ada, ben]) await person.close();
  // More than a quarter of the days for which the relay remembers that a slot was taken.
  relay.clock.advance(16 * daySeconds);
  const again = await openPerson(relay, "Ada", { store: stores.ada, admission });
  const adas = await groupOf(again, "Quiet");
  await until(async () => adas.epoch === epoch + 1n, "Ada goes on to the next epoch");
  const bens = await groupOf(await openPerson(relay, "Ben", { store: stores.ben, admission }), "Quiet");
  await untilSame([adas, bens]);
  await bens.send({ text: "still here" });
  await untilHas(adas, "still here");
  expect(adas.members().map(({ name }) => name)).toEqual(["Ada", "Ben"]);
});

test("a text of an epoch that was long and has just ended is read", async () => {
  const stores = { ada: memoryStore(), ben: memoryStore() };
  const open = async (life = new Life()) => {
    const ada = await openPerson(relay, "Ada", { store: stores.ada, admission });
    const ben = await openPerson(relay, "Ben", { store: stores.ben, admission, runtime: life.runtime(relay) });
    await until(async () => ada.status === "online" && ben.status === "online", "both are online");
    return { ada, ben, life };
  };
  let both = await open();
  const created = await both.ada.create({ name: "Quiet" });
  await created.add([both.ben.address]);
  await groupOf(both.ben, "Quiet");
  for (let day = 0; day < 10; day++) {
    await Promise.all([both.ada.close(), both.ben.close()]);
    relay.clock.advance(20 * hourSeconds);
    both = await open();
  }
  const [adas, bens] = [both.ada, both.ben].map((person) => person.group(created.id) as Group) as [Group, Group];
  both.life.cut();
  await bens.send({ text: "late" });
  await adas.rename("Loud");
  await adas.rename("Louder");
  both.life.heal();
  await untilHas(adas, "late");
});

test("texts behind a commit are read after eight days", async () => {
  const stores = { ada: memoryStore(), ben: memoryStore() };
  const ada = await openPerson(relay, "Ada", { store: stores.ada, admission });
  let ben = await openPerson(relay, "Ben", { store: stores.ben, admission });
  const group = await ada.create({ name: "Before" });
  await group.add([ben.address]);
  await groupOf(ben, "Before");
  await ben.close();
  await group.rename("After");
  const texts = ["one", "two", "three", "four"];
  for (const text of texts) await group.send({ text });
  await until(async () => (await stores.ada.list({ prefix: "out/" })).length === 0, "all is sent");
  await ada.close();
  for (let day = 0; day < 8; day++) relay.clock.advance(daySeconds);
  ben = await openPerson(relay, "Ben", { store: stores.ben, admission });
  const bens = await groupOf(ben, "After");
  await until(async () => ben.status === "online", "Ben is online");
  await until(async () => (await stores.ben.list({ prefix: "waiting/" })).length === 0, "nothing waits");
  expect(await textsOf(bens)).toEqual(texts);
});

test("a text that comes after a hundred commits is read", async () => {
  const life = new Life();
  const ada = await openPerson(relay, "Ada", { admission });
  const ben = await openPerson(relay, "Ben", { admission, runtime: life.runtime(relay) });
  const adas = await ada.create({ name: "Busy" });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, "Busy");
  life.cut();
  await bens.send({ text: "late" });
  for (let count = 1; count <= 100; count++) await adas.rename(`Busy ${count}`);
  life.heal();
  await untilHas(adas, "late");
  await untilSame([adas, bens]);
});

test("a text that was never sent is told of if the others can have no keys for it any more", async () => {
  const stores = { ada: memoryStore(), ben: memoryStore() };
  const life = new Life();
  let ada = await openPerson(relay, "Ada", { store: stores.ada, admission });
  const before = await openPerson(relay, "Ben", { store: stores.ben, admission, runtime: life.runtime(relay) });
  const created = await ada.create({ name: "Old" });
  await created.add([before.address]);
  const joined = await groupOf(before, "Old");
  life.cut();
  const { id } = await joined.send({ text: "too late" });
  await before.close();
  await created.rename("New");
  for (let day = 0; day < 10; day++) {
    await ada.close();
    relay.clock.advance(20 * hourSeconds);
    ada = await openPerson(relay, "Ada", { store: stores.ada, admission });
    await until(async () => ada.status === "online", "Ada is online");
  }
  await (ada.group(created.id) as Group).rename("Newer");
  const ben = await openPerson(relay, "Ben", { store: stores.ben, admission });
  const told = eventsOf(ben);
  const ofText = () => told.filter((event) => event.type === "undelivered" && event.message === id);
  await until(async () => ofText().length === 1, "Ben is told");
  expect(ofText()).toMatchObject([{ error: "EXPIRED", address: ada.address }]);
  const bens = await groupOf(ben, "Newer");
  await bens.send({ text: "in time" });
  await untilHas(ada.group(created.id) as Group, "in time");
});

test("a text that is written after weeks away, before the device has heard of anything, is read", async () => {
  const stores = { ada: memoryStore(), ben: memoryStore() };
  let ada = await openPerson(relay, "Ada", { store: stores.ada, admission });
  const before = await openPerson(relay, "Ben", { store: stores.ben, admission });
  const created = await ada.create({ name: "Then" });
  await created.add([before.address]);
  const { id } = await groupOf(before, "Then");
  await before.close();
  await created.rename("Now");
  for (let day = 0; day < 10; day++) {
    await ada.close();
    relay.clock.advance(20 * hourSeconds);
    ada = await openPerson(relay, "Ada", { store: stores.ada, admission });
    await until(async () => ada.status === "online", "Ada is online");
  }
  const adas = ada.group(id) as Group;
  await adas.rename("Still");
  const ben = await openPerson(relay, "Ben", { store: stores.ben, admission });
  const bens = ben.group(id) as Group;
  expect(bens.name).toBe("Then");
  const texts = ["one", "two", "three"];
  for (const text of texts) await bens.send({ text });
  await untilHas(adas, ...texts);
  expect(await textsOf(adas)).toEqual(texts);
  expect(await textsOf(bens)).toEqual(texts);
});
