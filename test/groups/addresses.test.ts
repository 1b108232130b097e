import { afterAll, beforeAll, expect, test } from "vitest";
import { type Group, type Groups, memoryStore, type Store, type StoredEvent } from "../../src/groups/index.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../support/peers.js";
import { until } from "../support/until.js";
import { eventsOf, groupOf, openPerson, roomy, textsOf, untilHas, untilPackagesReplaced, untilSame } from "./people.js";

const daySeconds = 86_400;
const away: typeof roomy = {
  ...roomy,
  seeds: { ...roomy.seeds, SEED_STORAGE_ANNOUNCEMENT_RETENTION_HOURS: "720" },
};

let fixture: PeerFixture;
let relay: PeerRelay;
let other: PeerRelay;
beforeAll(async () => {
  fixture = await createPeerFixture();
  relay = await fixture.relay(away);
  other = await fixture.relay(away, { clock: relay.clock });
});
afterAll(() => fixture?.stop());

const addressIn = (group: Group, name: string) => group.members().find((one) => one.name === name)?.address;

test("a device has another address while others are away for a week, and no text is lost in either direction", async () => {
  const stores = { ben: memoryStore(), cem: memoryStore() };
  const [ada, ben, cem] = [
    await openPerson(relay, "Ada"),
    await openPerson(relay, "Ben", { store: stores.ben }),
    await openPerson(other, "Cem", { store: stores.cem }),
  ];
  const founded = await ada.create({ name: "Week" });
  await founded.add([ben.address, cem.address]);
  for (const person of [ben, cem]) await groupOf(person, "Week");
  await Promise.all([ben.close(), cem.close()]);
  const old = ada.address;
  const expected: string[] = [];
  for (let day = 0; day < 6; day++) {
    await founded.send({ text: `${day} before` });
    await founded.rename(`Week ${day}`);
    await founded.send({ text: `${day} after` });
    expected.push(`${day} before`, `${day} after`);
    if (day === 2) await ada.rotateAddress();
    relay.clock.advance(daySeconds);
  }
  expect(ada.address).not.toBe(old);
  await until(async () => addressIn(founded, "Ada") === ada.address, "Ada's leaf has the new address");
  const back: Groups[] = [];
  const refused: StoredEvent[][] = [];
  const comeBack = async (at: PeerRelay, name: string, store: Store) => {
    const person = await openPerson(at, name, { store });
    back.push(person);
    refused.push(eventsOf(person));
    // Before it knows of anything.
    await (person.groups()[0] as Group).send({ text: `${name} is back` });
    await untilHas(founded, `${name} is back`);
  };
  // The old address is read as long as it lives. Once it has ended, its relay refuses what is sent there.
  await comeBack(other, "Cem", stores.cem);
  await ada.device.endAddress(old);
  await comeBack(relay, "Ben", stores.ben);
  const groups = back.map((person) => person.groups()[0] as Group);
  await untilSame([founded, ...groups]);
  for (const group of groups) {
    await untilHas(group, "5 after");
    const texts = await textsOf(group);
    expect(texts.filter((text) => expected.includes(text))).toEqual(expected);
    expect(addressIn(group, "Ada")).toBe(ada.address);
  }
  expect(refused.flat().filter(({ type }) => type === "undelivered")).toEqual([]);
});

test("an address that has ended is replaced, and others add the device by the new one", async () => {
  const store = memoryStore();
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(other, "Ben", { store })];
  const first = await ada.create({ name: "First" });
  await first.add([ben.address]);
  await groupOf(ben, "First");
  const old = ben.address;
  await ben.device.register({ admission: { by: "nothing" } });
  await ben.device.endAddress(old);
  await ben.close();
  const again = await openPerson(other, "Ben", { store });
  const isTold = async () => again.address !== old && addressIn(first, "Ben") === again.address;
  await until(isTold, "Ada has the new address");
  expect(again.address).not.toBe(old);
  await first.send({ text: "to the new one" });
  await untilHas(again.groups()[0] as Group, "to the new one");
  const second = await ada.create({ name: "Second" });
  await untilPackagesReplaced(store);
  await second.add([again.address]);
  expect((await groupOf(again, "Second")).members().map(({ address }) => address)).toContain(again.address);
});
