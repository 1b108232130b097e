import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Groups, memoryStore, openGroups, type Store, tsMls } from "../../src/groups/index.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { Life } from "./life.js";
import { openPerson, roomy, textsOf } from "./people.js";

// A device that ends at its nth call of the store or of the network, for every nth n; `CRASH_STEP=1` takes all.
const step = Number(process.env["CRASH_STEP"] ?? 23);
vi.setConfig({ testTimeout: 1_200_000 });

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

/** Opens the device, works with it, and ends it; false if it crashed. */
async function live(life: Life, store: Store, work: (groups: Groups) => Promise<void>): Promise<boolean> {
  let groups: Groups | undefined;
  try {
    groups = await openGroups({
      relay: relay.url,
      domain: relay.config.domain,
      store: life.store(store),
      name: "Ada",
      mls: tsMls(),
      admission: { by: "nothing" },
      runtime: life.runtime(relay),
    });
    const crashed = until(async () => life.isOver, "the device ends");
    await Promise.race([work(groups), crashed]);
    return !life.isOver;
  } catch (problem) {
    if (!life.isOver) throw problem;
    return false;
  } finally {
    life.isOver = true;
    await groups?.close().catch(() => undefined);
  }
}

/** Lives until one life ends by itself. Returns how many calls the first life made. */
async function liveAgainAndAgain(last: number, store: Store, work: (groups: Groups) => Promise<void>): Promise<number> {
  const first = new Life(last);
  if (await live(first, store, work)) return first.calls;
  expect(await live(new Life(), store, work)).toBe(true);
  return first.calls;
}

test("a device that ends at any call of the store or the network goes on where it was", async () => {
  for (let last = 1; ; last += step) {
    const people = [await openPerson(relay, "Ben"), await openPerson(relay, "Cem")] as const;
    const wanted = people.map(({ address }) => address);
    const calls = await liveAgainAndAgain(last, memoryStore(), async (ada) => {
      const group = ada.groups()[0] ?? (await ada.create({ name: "Crash" }));
      const present = group.members().map(({ address }) => address);
      await group.add(wanted.filter((address) => !present.includes(address)));
      if (!(await textsOf(group)).includes("one")) await group.send({ text: "one" });
      if (group.name !== "Crashed") await group.rename("Crashed");
      if (!(await textsOf(group)).includes("two")) await group.send({ text: "two" });
      await until(async () => {
        const groups = people.flatMap((person) => person.groups());
        return groups.length === 2 && groups.every(({ name }) => name === "Crashed");
      }, `all have the new name (${last})`);
      const all = () => Promise.all(people.map((person) => textsOf(person.groups()[0] as never)));
      await until(async () => (await all()).every((texts) => texts.length === 2), `all have both texts (${last})`);
      expect(await all()).toEqual([
        ["one", "two"],
        ["one", "two"],
      ]);
      expect(new Set([ada, ...people].map((person) => person.groups()[0]?.epoch)).size).toBe(1);
    });
    for (const person of people) await person.close();
    if (calls < last) break;
  }
});

test("a receiver that ends at any call has each text once, and in order", async () => {
  const store = memoryStore();
  const [ben, ada] = [await openPerson(relay, "Ben", { store }), await openPerson(relay, "Ada")];
  const group = await ada.create({ name: "Calls" });
  await group.add([ben.address]);
  await until(async () => ben.groups().length === 1, "Ben has joined");
  await ben.close();
  const expected: string[] = [];
  for (let last = 1; last < 200; last += step) {
    for (let round = 0; round < 3; round++) {
      await group.send({ text: `${last} before ${round}` });
      await group.rename(`Calls ${last} ${round}`);
      await group.send({ text: `${last} after ${round}` });
      expected.push(`${last} before ${round}`, `${last} after ${round}`);
    }
    await liveAgainAndAgain(last, store, async (again) => {
      const [own] = again.groups();
      await until(async () => (await textsOf(own as never)).length >= expected.length, `all texts are there (${last})`);
      await until(async () => own?.name === group.name, `the name is the newest (${last})`);
      expect(await textsOf(own as never)).toEqual(expected);
    });
  }
});

test("a store that refuses what several texts have in common gets each of them, once and in order", async () => {
  const store = memoryStore();
  const [ben, ada] = [await openPerson(relay, "Ben", { store }), await openPerson(relay, "Ada")];
  const group = await ada.create({ name: "Refused" });
  await group.add([ben.address]);
  await until(async () => ben.groups().length === 1, "Ben has joined");
  await ben.close();
  const texts = Array.from({ length: 50 }, (_, at) => `text ${at}`);
  for (const text of texts) await group.send({ text });
  let refused = 0;
  const write: Store["write"] = async (changes) => {
    const messages = changes.filter(([key]) => key.startsWith("message/"));
    if (messages.length > 1 && refused < 3) throw new Error(`the disk is full (${++refused})`);
    await store.write(changes);
  };
  const refusing: Store = {
    lock: (options) => store.lock(options),
    get: (key) => store.get(key),
    list: (range) => store.list(range),
    write,
    close: () => store.close(),
  };
  const again = await openPerson(relay, "Ben", { store: refusing });
  const [own] = again.groups();
  await until(async () => (await textsOf(own as never)).length >= texts.length, "all texts are there");
  expect(await textsOf(own as never)).toEqual(texts);
  expect(refused).toBeGreaterThan(0);
});

test("a text of an epoch whose state the store does not give at first is read later", async () => {
  const real = memoryStore();
  let failures = 0;
  const store: Store = {
    lock: (options) => real.lock(options),
    get: (key) => (key.startsWith("past/") && failures-- > 0 ? Promise.reject(new Error("no read")) : real.get(key)),
    list: (range) => real.list(range),
    write: (changes) => real.write(changes),
    close: () => real.close(),
  };
  const life = new Life();
  const ada = await openPerson(relay, "Ada", { runtime: life.runtime(relay) });
  const ben = await openPerson(relay, "Ben", { store });
  const adas = await ada.create({ name: "Before" });
  await adas.add([ben.address]);
  await until(async () => ben.groups().length === 1, "Ben is in");
  const [bens] = ben.groups() as [typeof adas];
  life.cut();
  await adas.send({ text: "late" });
  await bens.rename("After");
  failures = 3;
  life.heal();
  await until(async () => (await textsOf(bens)).includes("late"), "Ben has the text");
  expect(failures).toBeLessThan(1);
});
