import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kindOfEnvelope, type Runtime, uploadKeyPackages } from "../../src/client/index.js";
import { runtimeWith } from "../../src/client/runtime/runtime.js";
import { type Group, memoryStore, type StoredEvent, UnreachableError } from "../../src/groups/index.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { until } from "../support/until.js";
import { eventsOf, groupOf, mlsWith, openPerson, roomy, textsOf, untilHas, untilSame } from "./people.js";

let fixture: PeerFixture;
let relay: PeerRelay;
let other: PeerRelay;

beforeAll(async () => {
  fixture = await createPeerFixture();
  relay = await fixture.relay(roomy);
  other = await fixture.relay(roomy);
});
afterAll(() => fixture?.stop());

describe("a group over two relays", () => {
  test("is founded, gets members by their addresses, and all of them read each other", async () => {
    const ada = await openPerson(relay, "Ada");
    const [ben, cem] = [await openPerson(relay, "Ben"), await openPerson(other, "Cem")];
    const founded = await ada.create({ name: "Friends" });
    await founded.add([ben.address, cem.address]);
    expect(founded.members().map(({ name }) => name)).toEqual(["Ada", "Ben", "Cem"]);
    expect(founded.members().every(({ isSigned }) => isSigned)).toBe(true);
    const groups = [founded, await groupOf(ben, "Friends"), await groupOf(cem, "Friends")] as const;
    await groups[0].send({ text: "Hello" });
    await groups[1].send({ text: "Hello Ada" });
    await groups[2].send({ text: "Hello from afar" });
    for (const group of groups) await untilHas(group, "Hello", "Hello Ada", "Hello from afar");
    const message = (await groups[2].messages()).find(({ text }) => text === "Hello");
    expect(message).toMatchObject({ text: "Hello", isMine: false, from: { name: "Ada", user: ada.user } });
  });

  test("is renamed by three members at once, and all of them agree", async () => {
    const people = [
      await openPerson(relay, "Ada"),
      await openPerson(relay, "Ben"),
      await openPerson(other, "Cem"),
    ] as const;
    const founded = await people[0].create({ name: "Walk" });
    await founded.add([people[1].address, people[2].address]);
    const groups = [founded, await groupOf(people[1], "Walk"), await groupOf(people[2], "Walk")];
    for (let round = 0; round < 3; round++)
      await Promise.all(groups.map((group, at) => group.rename(`Walk ${round} by ${at}`)));
    await untilSame(groups);
    expect(founded.epoch).toBe(10n);
    await groups[1]?.send({ text: "still one group" });
    for (const group of groups) await untilHas(group, "still one group");
  });

  test("loses a member who is removed, and one who leaves", async () => {
    const [ada, ben, cem] = [
      await openPerson(relay, "Ada"),
      await openPerson(relay, "Ben"),
      await openPerson(other, "Cem"),
    ];
    const events = eventsOf(cem);
    const founded = await ada.create({ name: "Three" });
    await founded.add([ben.address, cem.address]);
    const [bens, cems] = [await groupOf(ben, "Three"), await groupOf(cem, "Three")];
    await founded.remove(
      founded
        .members()
        .filter(({ name }) => name === "Cem")
        .map(({ id }) => id),
    );
    await until(async () => cems.state === "removed", "Cem was removed");
    expect(events.at(-1)).toMatchObject({ type: "removed", by: { name: "Ada" } });
    await founded.send({ text: "without Cem" });
    await untilHas(bens, "without Cem");
    await expect(cems.send({ text: "still here?" })).rejects.toThrow("removed");
    await bens.leave();
    await until(async () => founded.members().length === 1, "Ada is alone");
    expect(bens.state).toBe("left");
    expect(await textsOf(cems)).toEqual([]);
  });

  test("adds whoever can be added, and says who cannot", async () => {
    const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
    const founded = await ada.create({ name: "Some" });
    const nobody = `${crypto.randomUUID()}@${relay.domain}`;
    const added = founded.add([ben.address, nobody]);
    await expect(added).rejects.toThrow(UnreachableError);
    await expect(added).rejects.toMatchObject({ refused: [{ address: nobody }] });
    expect(founded.members().map(({ name }) => name)).toEqual(["Ada", "Ben"]);
  });
});

describe("a member who was away", () => {
  test("reads every text of many epochs, in order, also if a committer died before it told anybody", async () => {
    const store = memoryStore();
    let isDead = false;
    const dying: Partial<Runtime> = {
      // Nothing that this device wants to send reaches its relay any more.
      fetch: async (url, init) => {
        if (isDead && url.includes("/messages")) throw new TypeError("no route");
        return fetch(url, init);
      },
    };
    const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben", { store })];
    const cem = await openPerson(other, "Cem", { runtime: dying });
    const founded = await ada.create({ name: "Away" });
    await founded.add([ben.address, cem.address]);
    await groupOf(ben, "Away");
    const cems = await groupOf(cem, "Away");
    await ben.close();
    isDead = true;
    await cems.rename("silent");
    await cem.close();
    const expected: string[] = [];
    for (let round = 0; round < 12; round++) {
      await founded.send({ text: `t${round}` });
      await founded.rename(`Away ${round}`);
      await founded.send({ text: `u${round}` });
      expected.push(`t${round}`, `u${round}`);
    }
    const back = await openPerson(relay, "Ben", { store });
    const group = await groupOf(back, "Away 11");
    await untilHas(group, "u11");
    expect(await textsOf(group)).toEqual(expected);
  });
});

test("a member who is removed and added again while it is away has every text of both times", async () => {
  const store = memoryStore();
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(other, "Ben", { store })];
  const founded = await ada.create({ name: "Twice" });
  await founded.add([ben.address]);
  await groupOf(ben, "Twice");
  await ben.close();
  const expected: string[] = [];
  for (let round = 0; round < 2; round++) {
    for (const part of ["a", "b"]) {
      await founded.send({ text: `${round} ${part}` });
      await founded.rename(`Twice ${round} ${part}`);
      expected.push(`${round} ${part}`);
    }
    await founded.remove(founded.members().flatMap(({ isMe, id }) => (isMe ? [] : [id])));
    await founded.send({ text: "without Ben" });
    await founded.add([ben.address]);
  }
  await founded.send({ text: "end" });
  const back = await openPerson(other, "Ben", { store });
  const group = back.group(founded.id) as Group;
  await untilHas(group, "end");
  expect(await textsOf(group)).toEqual([...expected, "end"]);
  await group.send({ text: "here" });
  await untilHas(founded, "here");
});

test("a Welcome that arrives again brings back nobody who has left", async () => {
  const { fetch } = runtimeWith();
  const sent: { recipient_address: string; mls_ciphertext: string }[] = [];
  const ada = await openPerson(relay, "Ada", {
    runtime: {
      fetch: (url, init) => {
        if (url.endsWith("/v1/messages/batch")) sent.push(...JSON.parse(String(init.body)).messages);
        return fetch(url, init);
      },
    },
  });
  let isFull = false;
  let lastResort = "";
  const ben = await openPerson(relay, "Ben", {
    runtime: {
      fetch: (url, init) => {
        if (isFull && url.includes("/keypackage")) throw new TypeError("no route to the relay");
        if (url.endsWith("/keypackage/upload")) lastResort = JSON.parse(String(init.body)).last_resort_key_package;
        return fetch(url, init);
      },
    },
  });
  // Then only the package of last resort is left, which is not used up.
  await uploadKeyPackages(ben.device, [], { replace: true, lastResort: Buffer.from(lastResort, "base64") });
  isFull = true;
  const group = await ada.create({ name: "Once" });
  await group.add([ben.address]);
  const bens = await groupOf(ben, "Once");
  const welcome = sent.find(({ recipient_address }) => recipient_address === ben.address);
  const ciphertext = Buffer.from(welcome?.mls_ciphertext ?? "", "base64");
  expect(kindOfEnvelope(ciphertext)).toBe("welcome");
  await bens.leave();
  const events = eventsOf(ben);
  await ada.device.send({ to: ben.address, ciphertext });
  const next = await ada.create({ name: "Next" });
  await next.add([ben.address]);
  await groupOf(ben, "Next");
  expect(bens.state).toBe("left");
  expect(events).not.toContainEqual(expect.objectContaining({ type: "joinedGroup", group: bens.id }));
});

test("nobody takes a member over into another group of the same id", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const real = await ada.create({ name: "Real" });
  await real.add([ben.address]);
  const bens = await groupOf(ben, "Real");
  const groupId = Uint8Array.from(Buffer.from(real.id, "hex"));
  const mls = mlsWith("found", (library) => (asked) => library.found({ ...asked, groupId }));
  const eve = await openPerson(relay, "Eve", { mls });
  const fake = await eve.create({ name: "Fake" });
  for (const name of ["Fake 1", "Fake 2", "Fake 3"]) await fake.rename(name);
  const lure = async () => {
    await fake.remove(fake.members().flatMap(({ isMe, id }) => (isMe ? [] : [id])));
    await fake.add([ben.address]);
    const events = eventsOf(eve);
    const { id } = await fake.send({ text: "trap" });
    const isSent = async () => events.some((event) => event.type === "sent" && event.message === id);
    await until(isSent, "Ben's relay has all that Eve has sent");
  };
  await lure();
  await real.send({ text: "one" });
  await untilHas(bens, "one");
  expect([bens.name, bens.state]).toEqual(["Real", "active"]);
  await real.remove(real.members().flatMap(({ isMe, id }) => (isMe ? [] : [id])));
  await until(async () => bens.state === "removed", "Ben was removed");
  await lure();
  await real.add([ben.address]);
  await until(async () => bens.state === "active", "Ben was added again");
  await bens.send({ text: "two" });
  await untilHas(real, "two");
  expect(await textsOf(bens)).toEqual(["one", "two"]);
});

test("events wait for the application, and come once", async () => {
  const store = memoryStore();
  const ada = await openPerson(relay, "Ada", { store });
  const group = await ada.create({ name: "Alone" });
  await group.send({ text: "first" });
  const take = async (events: AsyncIterableIterator<StoredEvent>, count: number) => {
    const taken: StoredEvent[] = [];
    for await (const event of events) if (taken.push(event) === count) break;
    return taken;
  };
  expect((await take(ada.events(), 3)).map(({ type }) => type)).toEqual(["joinedGroup", "message", "sent"]);
  await group.rename("Alone again");
  await ada.close();
  const again = await openPerson(relay, "Ada", { store });
  // The application had not asked for the event behind the last one that it took.
  const events = await take(again.events(), 2);
  expect(events).toMatchObject([{ type: "sent" }, { type: "changed", name: "Alone again" }]);
  expect(await textsOf(again.groups()[0] as Group)).toEqual(["first"]);
});

test("a device in many groups asks for their commits in few requests when it starts, and none of them fails", async () => {
  const store = memoryStore();
  const first = await openPerson(relay, "Ada", { store });
  const ben = await openPerson(other, "Ben");
  const count = 20;
  for (let i = 0; i < count; i++) await first.create({ name: `Group ${i}` });
  await first
    .groups()
    .find(({ name }) => name === "Group 0")
    ?.add([ben.address]);
  const abroad = await groupOf(ben, "Group 0");
  await first.close();
  await abroad.rename("Renamed");
  const asked: { path: string; status: number }[] = [];
  const ada = await openPerson(relay, "Ada", {
    store,
    runtime: {
      async fetch(url, init) {
        const response = await globalThis.fetch(url, init);
        const { pathname } = new URL(url);
        if (pathname.startsWith("/v1/slots")) asked.push({ path: pathname, status: response.status });
        return response;
      },
    },
  });
  await groupOf(ada, "Renamed");
  expect(ada.groups()).toHaveLength(count);
  expect(asked.filter(({ path, status }) => path !== "/v1/slots/read" || status !== 200)).toEqual([]);
  expect(asked.length).toBeLessThan(count);
});
