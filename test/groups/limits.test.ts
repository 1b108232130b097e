import { afterAll, beforeAll, expect, test } from "vitest";
import { isAnswer } from "../../src/client/connection/failures.js";
import { claimKeyPackages } from "../../src/client/keys/key-package-claims.js";
import { runtimeWith } from "../../src/client/runtime/runtime.js";
import { type Group, type Groups, memoryStore } from "../../src/groups/index.js";
import { daySeconds, hourSeconds } from "../../src/protocol/units.js";
import { newClient } from "../client/harness.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { until } from "../support/until.js";
import { Life } from "./life.js";
import { eventsOf, groupOf, linkDevice, openPerson, roomy, textsOf, untilHas } from "./people.js";

let fixture: PeerFixture;
let relay: PeerRelay;
let other: PeerRelay;

beforeAll(async () => {
  fixture = await createPeerFixture();
  relay = await fixture.relay({ ...roomy, newTierPeerClaimsPerAddressHour: 1 });
  other = await fixture.relay(roomy, { clock: relay.clock });
});
afterAll(() => fixture?.stop());

/** A machine whose waits of more than a minute end when the test wakes it. */
function sleepyMachine() {
  const { sleep } = runtimeWith();
  const woken = new AbortController();
  const untilWoken = (millis: number, signal?: AbortSignal) =>
    sleep(millis, AbortSignal.any([woken.signal, ...(signal ? [signal] : [])])).catch(() => signal?.throwIfAborted());
  return {
    sleep: (millis: number, signal?: AbortSignal) => (millis > 60_000 ? untilWoken : sleep)(millis, signal),
    wake: () => woken.abort(),
  };
}

/** Whether a limit has refused something to a device since now. */
function refusalsOf(person: Groups): () => Promise<boolean> {
  let isRefused = false;
  person.subscribe((event) => {
    if (event.type === "problem") isRefused ||= isAnswer(event.problem, "RATE_LIMIT_EXCEEDED");
  });
  return async () => isRefused;
}

/** The next addresses that a limit keeps out. On a busy machine the other relay may not be reached at first. */
async function nextEvents(person: Groups, count: number) {
  const found = [];
  for await (const event of person.events()) {
    if (event.type === "notAdded" && event.error === "RATE_LIMIT_EXCEEDED") found.push(event);
    if (found.length === count) break;
  }
  return found;
}

test("an address whose key packages are limited is added when the limit ends, after a restart too; the others are added at once", async () => {
  const store = memoryStore();
  const [ada, ben] = [await openPerson(relay, "Ada", { store }), await openPerson(relay, "Ben")];
  const cem = await openPerson(other, "Cem");
  const first = await ada.create({ name: "First" });
  await first.add([cem.address]);
  const second = await ada.create({ name: "Second" });
  const adding = second.add([cem.address, ben.address]);
  const names = () => second.members().map(({ name }) => name);
  await until(async () => names().includes("Ben"), "Ben is a member");
  const [told] = await nextEvents(ada, 1);
  expect(told).toMatchObject({ group: second.id, address: cem.address, error: "RATE_LIMIT_EXCEEDED" });
  expect(told?.retryAtMillis).toBeGreaterThan(relay.clock.nowMillis());
  expect(names()).toEqual(["Ada", "Ben"]);
  const { changes } = await ada.deviceStatus();
  expect(changes).toEqual([{ group: second.id, kind: "add", retryAtMillis: told?.retryAtMillis }]);
  await second.rename("Still");
  await ada.close();
  await expect(adding).rejects.toThrow("closed");

  relay.clock.advance(hourSeconds);
  const again = await openPerson(relay, "Ada", { store });
  const cems = await groupOf(cem, "Still");
  await again.group(second.id)?.send({ text: "Hello Cem" });
  await untilHas(cems, "Hello Cem");
});

test("a call that waits for a limit ends once the limit has ended and everybody is a member who can be", async () => {
  const small = await fixture.relay({ ...roomy, newTierClaimsPerHour: 2 });
  const machine = sleepyMachine();
  const ada = await openPerson(small, "Ada", { runtime: { sleep: machine.sleep } });
  const events = eventsOf(ada);
  const others: Groups[] = [];
  for (const name of ["Ben", "Cem", "Dora"]) others.push(await openPerson(small, name));
  const nobody = `${crypto.randomUUID()}@${small.domain}`;
  const group = await ada.create({ name: "Five" });
  const adding = group.add([nobody, ...others.map(({ address }) => address)]);
  await until(async () => group.members().length === 2, "one of them is a member");
  const told = () => events.flatMap((event) => (event.type === "notAdded" ? [event] : []));
  expect(told()).toMatchObject([
    { address: nobody, error: "ADDRESS_NOT_FOUND" },
    { address: others[1]?.address, error: "RATE_LIMIT_EXCEEDED" },
    { address: others[2]?.address, error: "RATE_LIMIT_EXCEEDED" },
  ]);
  expect(told()[0]).not.toHaveProperty("retryAtMillis");
  small.clock.advance(hourSeconds);
  machine.wake();
  await expect(adding).rejects.toMatchObject({ refused: [{ address: nobody, error: "ADDRESS_NOT_FOUND" }] });
  expect(group.members().length).toBe(4);
});

test("a limit that has not ended for all when it was to end is told of again, with its next end", async () => {
  const small = await fixture.relay({ ...roomy, newTierClaimsPerHour: 1 });
  const store = memoryStore();
  const ada = await openPerson(small, "Ada", { store });
  const others = [await openPerson(small, "Ben"), await openPerson(small, "Cem"), await openPerson(small, "Dora")];
  const group = await ada.create({ name: "One an hour" });
  group.add(others.map(({ address }) => address)).catch(() => undefined);
  const endOf = (told: Awaited<ReturnType<typeof nextEvents>>) => told.at(-1)?.retryAtMillis ?? 0;
  const first = await nextEvents(ada, 2);
  await ada.close();
  small.clock.advance(hourSeconds);
  const again = await openPerson(small, "Ada", { store });
  const events = eventsOf(again);
  const told = () => events.flatMap((event) => (event.type === "notAdded" ? [event] : []));
  await until(async () => told().length > 0, "it is told again");
  expect(told()).toMatchObject([{ address: others[2]?.address, error: "RATE_LIMIT_EXCEEDED" }]);
  expect(endOf(told())).toBeGreaterThan(endOf(first));
});

test("key packages that the relay does not take now are sent again, and not made again", async () => {
  const uploads = {
    keyPackageUploadsPerHour: 1,
    newTierFetchesPerTargetHour: 1_000,
    claimedPackagesPerTargetHour: 1_000,
  };
  const strict = await fixture.relay({ ...roomy, ...uploads });
  const store = memoryStore();
  const open = async () => {
    const ben = await openPerson(strict, "Ben", { store });
    return { ben, isRefused: refusalsOf(ben) };
  };
  const first = await open();
  const claimer = await newClient(strict);
  // Until fewer are left than the device wants.
  for (let left = 31; left > 0; left--) await claimKeyPackages(claimer, [first.ben.address]);
  await until(first.isRefused, "the relay takes no more of them");
  await first.ben.close();
  const packages = async () => (await store.list({ prefix: "package/" })).map(([key]) => key);
  const made = await packages();
  for (let times = 0; times < 2; times++) {
    const again = await open();
    await until(again.isRefused, "they were sent again");
    await again.ben.close();
    expect(await packages()).toEqual(made);
  }
  strict.clock.advance(hourSeconds);
  await open();
  await until(async () => (await store.get("unsent")) === undefined, "the relay has them");
  expect(await packages()).toEqual(made);
  const found = await Promise.all(Array.from({ length: 25 }, () => claimKeyPackages(claimer, [first.ben.address])));
  expect(found.flat().filter((one) => !("keyPackage" in one) || one.isLastResort)).toEqual([]);
});

test("the history of a user goes to their new device when the limit of files has ended", async () => {
  const strict = await fixture.relay({ ...roomy, newTierBlobsPerHour: 1 });
  const machine = sleepyMachine();
  const ada = await openPerson(strict, "Ada", { runtime: { sleep: machine.sleep } });
  const isRefused = refusalsOf(ada);
  const group = await ada.create({ name: "Old" });
  await group.send({ text: "before" });
  await group.attach(new Uint8Array(100), { name: "zeros", mediaType: "application/octet-stream" });
  const tablet = await linkDevice(ada, strict);
  const there = await groupOf(tablet, "Old");
  await until(isRefused, "the relay takes no more files");
  await group.send({ text: "after" });
  await untilHas(there, "after");
  expect(await textsOf(there)).toEqual(["after"]);
  strict.clock.advance(hourSeconds);
  machine.wake();
  await untilHas(there, "before");
});

test("key packages with another address that the relay does not take now are sent again, and not made again", async () => {
  const strict = await fixture.relay({ ...roomy, keyPackageUploadsPerHour: 1 });
  const store = memoryStore();
  const open = async () => {
    const ben = await openPerson(strict, "Ben", { store });
    return { ben, isRefused: refusalsOf(ben) };
  };
  const packages = async () => (await store.list({ prefix: "package/" })).map(([key]) => key);
  const first = await open();
  await first.ben.rotateAddress();
  await until(first.isRefused, "the relay takes no more of them");
  await first.ben.close();
  const made = await packages();
  for (let times = 0; times < 2; times++) {
    const again = await open();
    await until(again.isRefused, "they were sent again");
    await again.ben.close();
    expect(await packages()).toEqual(made);
  }
  strict.clock.advance(hourSeconds);
  const last = await open();
  await until(async () => (await store.get("unsent")) === undefined, "the relay has them");
  expect(await packages()).toEqual(made);
  const ada = await openPerson(strict, "Ada");
  const group = await ada.create({ name: "Moved" });
  await group.add([last.ben.address]);
  await groupOf(last.ben, "Moved");
});

/** A machine whose relay answers batches with what the test says, and which tells how long it waits. */
function wiredMachine() {
  const { fetch, sleep } = runtimeWith();
  const waits: number[] = [];
  let refusals: object[] = [];
  return {
    waits,
    refuse: (...next: object[]) => {
      refusals = next;
    },
    refusals: () => refusals,
    sleep: (millis: number, signal?: AbortSignal) => {
      waits.push(millis);
      return sleep(millis < 5_000 ? Math.min(millis, 10) : millis, signal);
    },
    fetch: async (url: string, init: RequestInit) => {
      const refusal = url.endsWith("/v1/messages/batch") ? refusals.shift() : undefined;
      if (refusal === undefined) return fetch(url, init);
      const { messages } = JSON.parse(String(init.body)) as { messages: { message_id: string }[] };
      const statuses = messages.map(({ message_id }) => ({ message_id, status: "rejected", ...refusal }));
      const counts = { accepted_count: 0, rejected_count: messages.length };
      return Response.json({ ...counts, message_statuses: statuses }, { status: 202 });
    },
  };
}

test("a device waits for a recipient with a limit in peace, also after it has given up another one", async () => {
  const machine = wiredMachine();
  const { sleep, fetch } = machine;
  const ada = await openPerson(relay, "Ada", { runtime: { sleep, fetch } });
  const others = [await openPerson(relay, "Ben"), await openPerson(relay, "Cem")] as const;
  const groups = [await ada.create({ name: "Bens" }), await ada.create({ name: "Cems" })] as const;
  for (const [at, group] of groups.entries()) {
    await group.add([others[at as 0].address]);
    await groupOf(others[at as 0], group.name);
  }
  const events = eventsOf(ada);
  machine.refuse({ error: "QUEUE_FULL" }, { error: "FEDERATION_FAILED" });
  await groups[0].send({ text: "to Ben" });
  await until(async () => events.some(({ type }) => type === "undelivered"), "Ben is given up");
  const deliveryIn = async (group: Group) => (await group.messages()).at(-1)?.delivery;
  expect(await deliveryIn(groups[0])).toEqual({
    state: "undelivered",
    undelivered: [{ address: others[0].address, error: "FEDERATION_FAILED" }],
  });
  machine.refuse({ error: "RATE_LIMIT_EXCEEDED", retry_after: 40 });
  const before = machine.waits.length;
  await groups[1].send({ text: "to Cem" });
  const isWaiting = () => machine.waits.slice(before).some((millis) => millis > 30_000 && millis <= 40_000);
  await until(async () => isWaiting(), "the device waits as long as the relay has said");
  const isTold = async () => (await deliveryIn(groups[1]))?.error === "RATE_LIMIT_EXCEEDED";
  await until(isTold, "the message says why it waits");
  expect(await deliveryIn(groups[1])).toMatchObject({ state: "waiting", undelivered: [] });
  expect((await deliveryIn(groups[1]))?.retryAtMillis).toBeGreaterThan(relay.clock.nowMillis());
  expect(machine.waits.slice(before)).not.toContain(0);
});

test("a member to whom nothing can be sent for a while holds up nobody else, and gets everything in order afterwards", async () => {
  const machine = wiredMachine();
  const { sleep } = runtimeWith();
  // Waits of minutes end when they are ended.
  const endless = (millis: number, signal?: AbortSignal) =>
    millis > 30_000 ? sleep(2 ** 31, signal) : machine.sleep(millis, signal);
  const ada = await openPerson(relay, "Ada", { runtime: { sleep: endless, fetch: machine.fetch } });
  const [ben, cem] = [await openPerson(relay, "Ben"), await openPerson(relay, "Cem")];
  const [bens, cems] = [await ada.create({ name: "Ben alone" }), await ada.create({ name: "Cem alone" })];
  await bens.add([ben.address]);
  await cems.add([cem.address]);
  const [atBen, atCem] = [await groupOf(ben, "Ben alone"), await groupOf(cem, "Cem alone")];
  machine.refuse({ error: "RATE_LIMIT_EXCEEDED", retry_after: 3_600 });
  await bens.send({ text: "first" });
  await until(async () => machine.refusals().length === 0, "the relay has refused it");
  for (const text of ["one", "two", "three"]) {
    await bens.send({ text: `${text} to Ben` });
    await cems.send({ text });
    await untilHas(atCem, text);
  }
  expect(await textsOf(atBen)).toEqual([]);
  relay.clock.advance(hourSeconds);
  await cems.send({ text: "four" });
  await untilHas(atBen, "three to Ben");
  expect(await textsOf(atBen)).toEqual(["first", "one to Ben", "two to Ben", "three to Ben"]);
  expect(await textsOf(atCem)).toEqual(["one", "two", "three", "four"]);
});

test("a text that a proxy finds too large by itself is given up, and holds up nothing", async () => {
  const { fetch, sleep } = runtimeWith();
  let refused = 0;
  const throughProxy = async (url: string, init: RequestInit) => {
    if (String(init.body ?? "").length < 20_000) return fetch(url, init);
    refused += 1;
    return new Response("<h1>413 Request Entity Too Large</h1>", {
      status: 413,
      headers: { "content-type": "text/html" },
    });
  };
  const store = memoryStore();
  const ben = await openPerson(relay, "Ben");
  const life = new Life();
  const before = await openPerson(relay, "Ada", { store, runtime: life.runtime(relay) });
  const group = await before.create({ name: "Behind a proxy" });
  await group.add([ben.address]);
  const bens = await groupOf(ben, "Behind a proxy");
  const cem = await openPerson(relay, "Cem");
  const other = await before.create({ name: "Also" });
  await other.add([cem.address]);
  const cems = await groupOf(cem, "Also");
  life.cut();
  const texts = Array.from({ length: 60 }, (_, at) => `text ${at}`);
  for (const text of texts) await group.send({ text });
  await group.send({ text: "long ".repeat(10_000) });
  await other.send({ text: "behind it" });
  await group.send({ text: "also behind it" });
  await before.close();
  const hasty = (millis: number, signal?: AbortSignal) => sleep(Math.min(millis, 100), signal);
  const ada = await openPerson(relay, "Ada", { store, runtime: { fetch: throughProxy, sleep: hasty } });
  const events = eventsOf(ada);
  await untilHas(cems, "behind it");
  await untilHas(bens, "also behind it");
  expect(await textsOf(bens)).toEqual([...texts, "also behind it"]);
  const undelivered = () => events.flatMap((event) => (event.type === "undelivered" ? [event] : []));
  await until(async () => undelivered().length > 0, "Ada is told");
  expect(undelivered()).toMatchObject([{ group: group.id, address: ben.address, error: "MESSAGE_TOO_LARGE" }]);
  expect(refused).toBeGreaterThan(1);
});

test("a short text does not overtake a long one for which a queue had no room", async () => {
  const queue = { ...roomy, seeds: { ...roomy.seeds, SEED_STORAGE_MESSAGE_QUEUE_BYTES_LIMIT: "1048576" } };
  const small = await fixture.relay(queue, { clock: relay.clock });
  const [store, away] = [memoryStore(), memoryStore()];
  const ben = await openPerson(small, "Ben", { store: away });
  const life = new Life();
  const before = await openPerson(small, "Ada", { store, runtime: life.runtime(small) });
  const group = await before.create({ name: "Long and short" });
  await group.add([ben.address]);
  await groupOf(ben, "Long and short");
  await ben.close();
  life.cut();
  const texts = ["first ".repeat(60_000), "second ".repeat(60_000), "third ".repeat(60_000), "short"];
  for (const text of texts) await group.send({ text });
  await before.close();
  const { sleep } = runtimeWith();
  let waits = 0;
  const hasty = (millis: number, signal?: AbortSignal) => {
    waits += 1;
    return sleep(Math.min(millis, 100), signal);
  };
  const ada = await openPerson(small, "Ada", { store, runtime: { sleep: hasty } });
  const events = eventsOf(ada);
  const isFull = () => waits > 0 && events.some(({ type }) => type === "sent");
  await until(async () => isFull(), "the queue takes no more");
  const again = await openPerson(small, "Ben", { store: away });
  const bens = await groupOf(again, "Long and short");
  await untilHas(bens, "short");
  expect(await textsOf(bens)).toEqual(texts);
});

test("a device that is offline with an old text waits in peace", async () => {
  const store = memoryStore();
  const ben = await openPerson(relay, "Ben");
  const first = new Life();
  const ada = await openPerson(relay, "Ada", { store, runtime: first.runtime(relay) });
  const group = await ada.create({ name: "Old" });
  await group.add([ben.address]);
  await groupOf(ben, "Old");
  first.cut();
  await group.send({ text: "before a journey" });
  await ada.close();
  relay.clock.advance(8 * daySeconds);
  const machine = wiredMachine();
  const second = new Life();
  second.cut();
  await openPerson(relay, "Ada", { store, runtime: { ...second.runtime(relay), sleep: machine.sleep } });
  await until(async () => machine.waits.includes(60_000), "the device waits");
  expect(machine.waits).not.toContain(0);
});

test("texts that the relay's limit keeps waiting are told with a time, and receipts take nothing of it", async () => {
  // As an operator leaves it.
  const seeds = { SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "10000" };
  const usual = await fixture.relay({ seeds }, { clock: relay.clock });
  const machine = sleepyMachine();
  const admission = undefined;
  const store = memoryStore();
  const ada = await openPerson(usual, "Ada", { store, admission, runtime: { sleep: machine.sleep } });
  const ben = await openPerson(usual, "Ben", { admission });
  const events = eventsOf(ada);
  const created = await ada.create({ name: "Usual" });
  await created.add([ben.address]);
  const bens = await groupOf(ben, "Usual");
  const texts = Array.from({ length: 15 }, (_, at) => `text ${at}`);
  const sent: string[] = [];
  for (const text of texts) sent.push((await created.send({ text })).id);
  const told = () => events.flatMap((event) => (event.type === "delayed" ? [event] : []));
  const done = () => events.flatMap((event) => (event.type === "sent" ? [event.message] : []));
  await until(async () => done().length + told().length >= texts.length, "each text is sent, or told of");
  expect(told().length).toBeGreaterThan(0);
  expect([...done(), ...told().map(({ message }) => message)].sort()).toEqual([...sent].sort());
  const now = usual.clock.nowMillis();
  for (const { group, error, addresses, retryAtMillis } of told()) {
    expect([group, error, addresses]).toEqual([created.id, "RATE_LIMIT_EXCEEDED", [ben.address]]);
    expect(retryAtMillis).toBeGreaterThan(now);
    expect(retryAtMillis).toBeLessThanOrEqual(now + 1_000 * hourSeconds);
  }
  // What is written meanwhile is told of, too.
  const { id: late } = await created.send({ text: "late" });
  await until(async () => told().some(({ message }) => message === late), "the late text is told of");
  const { unsent } = await ada.deviceStatus();
  expect(unsent.map(({ message }) => message)).toEqual(told().map(({ message }) => message));
  const { retryAtMillis } = told().at(-1) as { retryAtMillis: number };
  const why = { group: created.id, recipients: 1, undelivered: [], error: "RATE_LIMIT_EXCEEDED", retryAtMillis };
  expect(unsent.at(-1)).toMatchObject({ ...why, sinceMillis: expect.any(Number) });

  // Ben reads each text as it comes, and can still write.
  await untilHas(bens, ...texts.slice(0, done().length));
  for (const { id } of await bens.messages()) {
    await bens.receipt([id], "delivered");
    await bens.receipt([id], "read");
    await bens.receipt([id], "read");
  }
  const readByBen = async () => (await created.messages()).filter(({ receipts }) => receipts[ben.user] === "read");
  await until(async () => (await readByBen()).length === done().length, "Ada knows what Ben has read");
  expect(ben.device.seenLimits().get("messages")).toBeUndefined();
  const answers = eventsOf(ben);
  await bens.send({ text: "answer" });
  await until(async () => answers.some(({ type }) => type === "sent"), "Ben's answer is sent");

  usual.clock.advance(hourSeconds);
  machine.wake();
  await untilHas(bens, ...texts, "late");
  const inOrder = (await textsOf(bens)).filter((text) => text !== "answer");
  expect(inOrder).toEqual([...texts, "late"]);
});

test("receipts for somebody who is away go with the next text", async () => {
  const store = memoryStore();
  const [ada, ben] = [await openPerson(relay, "Ada", { store }), await openPerson(relay, "Ben")];
  const adas = await ada.create({ name: "Away" });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, "Away");
  const { id } = await adas.send({ text: "Hello" });
  await untilHas(bens, "Hello");
  await ada.close();
  await bens.receipt([id], "read");
  await bens.send({ text: "Hello Ada" });
  const again = await openPerson(relay, "Ada", { store });
  const group = await groupOf(again, "Away");
  await untilHas(group, "Hello Ada");
  expect((await group.messages())[0]?.receipts).toEqual({ [ben.user]: "read" });
});
