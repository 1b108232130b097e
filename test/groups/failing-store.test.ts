import { afterAll, beforeAll, expect, test } from "vitest";
import { runtimeWith } from "../../src/client/runtime/runtime.js";
import { type Groups, memoryStore, type Store, type StoreChange } from "../../src/groups/index.js";
import { daySeconds } from "../../src/protocol/units.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { Life } from "./life.js";
import { groupOf, openPerson, roomy, textsOf, untilHas, untilSame } from "./people.js";

// A store that fails for a while: its disk is full, or its file cannot be read. What was sent meanwhile arrives afterwards.

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

/** A store that fails whenever one of these functions throws. */
class FailingStore implements Store {
  readonly #real = memoryStore();
  beforeWrite: (changes: readonly StoreChange[]) => void = () => {};
  beforeGet: (key: string) => void = () => {};

  lock: Store["lock"] = (options) => this.#real.lock(options);
  list: Store["list"] = (range) => this.#real.list(range);
  close: Store["close"] = () => this.#real.close();
  get: Store["get"] = async (key) => {
    this.beforeGet(key);
    return this.#real.get(key);
  };
  write: Store["write"] = async (changes) => {
    this.beforeWrite(changes);
    await this.#real.write(changes);
  };
}

/** A machine whose waits take a hundredth of their time. */
function hastyMachine() {
  const { sleep } = runtimeWith();
  return { sleep: (millis: number, signal?: AbortSignal) => sleep(millis / 100, signal) };
}

/** Ada, with somebody whose store is given. */
async function pair(store: Store, name: string, runtime = {}) {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben", { store, runtime })];
  const adas = await ada.create({ name });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, name);
  await adas.send({ text: "first" });
  await untilHas(bens, "first");
  return { ada, ben, adas, bens };
}

function problemsOf(person: Groups): unknown[] {
  const problems: unknown[] = [];
  person.subscribe((event) => {
    if (event.type === "problem") problems.push(event.problem);
  });
  return problems;
}

test("a text that the store has no room for waits at the relay, also if there is room for less", async () => {
  const store = new FailingStore();
  const { ben, adas, bens } = await pair(store, "Full", hastyMachine());
  let refused = 0;
  store.beforeWrite = (changes) => {
    if (!changes.some(([key]) => key.startsWith("message/"))) return;
    refused += 1;
    throw new Error("the disk is full");
  };
  const problems = problemsOf(ben);
  await adas.send({ text: "second" });
  // More often than a message is tried that is itself to blame.
  await until(async () => refused > 20, "the store has refused the text again and again");
  expect(problems.map(String)).toContain("Error: the disk is full");
  store.beforeWrite = () => {};
  await untilHas(bens, "second");
  expect(await textsOf(bens)).toEqual(["first", "second"]);
});

test("a commit that the store could not take is followed once it can", async () => {
  const store = new FailingStore();
  const { ben, adas, bens } = await pair(store, "Before", hastyMachine());
  let refused = 0;
  store.beforeWrite = (changes) => {
    if (!changes.some(([key]) => key.startsWith("state/") || key.startsWith("past/"))) return;
    refused += 1;
    if (refused === 1) throw new Error("the disk is full");
  };
  const problems = problemsOf(ben);
  await adas.rename("After");
  await untilSame([adas, bens]);
  expect(problems.map(String)).toContain("Error: the disk is full");
  expect(refused).toBeGreaterThan(1);
});

test("an old text that cannot be given up for a while holds up no later one for long", async () => {
  const store = new FailingStore();
  const bensStore = memoryStore();
  const before = await openPerson(relay, "Ben", { store: bensStore });
  const life = new Life();
  const ada = await openPerson(relay, "Ada", { store, runtime: life.runtime(relay) });
  const adas = await ada.create({ name: "Held" });
  await adas.add([before.address]);
  await untilSame([adas, await groupOf(before, "Held")]);
  life.cut();
  await adas.send({ text: "too old" });
  await ada.close();
  await before.close();
  relay.clock.advance(8 * daySeconds);
  const ben = await openPerson(relay, "Ben", { store: bensStore });
  const bens = await groupOf(ben, "Held");
  await until(async () => ben.status === "online", "Ben is online");
  await bens.rename("Went on");
  let refused = 0;
  store.beforeWrite = (changes) => {
    if (changes.some(([key, value]) => key.startsWith("out/") && value === undefined) && ++refused <= 2)
      throw new Error("the disk is full");
  };
  const again = await openPerson(relay, "Ada", { store, runtime: hastyMachine() });
  const group = await groupOf(again, "Went on");
  await group.send({ text: "new" });
  await untilHas(bens, "new");
  expect(refused).toBeGreaterThan(2);
  expect(await textsOf(bens)).toEqual(["new"]);
});

test("texts that come while the store fails for a while are stored, and told, in their order", async () => {
  const store = new FailingStore();
  const { ben, adas, bens } = await pair(store, "Order", hastyMachine());
  const told: string[] = [];
  ben.subscribe((event) => event.type === "message" && told.push(event.message.text));
  // Every third write that has a text fails: now this message, now that one.
  let writes = 0;
  store.beforeWrite = (changes) => {
    if (!changes.some(([key]) => key.startsWith("message/"))) return;
    if (++writes % 3 !== 0) throw new Error("the disk is busy");
  };
  const texts = Array.from({ length: 30 }, (_, at) => `text ${at}`);
  for (const text of texts) await adas.send({ text });
  await untilHas(bens, ...texts);
  expect(await textsOf(bens)).toEqual(["first", ...texts]);
  expect(told).toEqual(texts);
});
