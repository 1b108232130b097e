import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Group, type Groups, memoryStore } from "../../src/groups/index.js";
import { daySeconds } from "../../src/protocol/units.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { eventsOf, groupOf, linkDevice, openDevice, openPerson, roomy, untilHas } from "./people.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

const image = (size = 3_000) => ({ bytes: new Uint8Array(randomBytes(size)), mediaType: "image/png" });

async function together(one: Groups, ...others: Groups[]): Promise<Group> {
  const group = await one.create({ name: "Club" });
  await group.add(others.map(({ address }) => address));
  for (const other of others) await groupOf(other, "Club");
  return group;
}

const untilCalled = (person: Groups, user: string, name: string) =>
  until(async () => person.person(user).name === name, `${person.name} calls them ${name}`);

test("a user's name and picture reach their groups and their other devices, and those who join later", async () => {
  const [ada, ben, cem] = [
    await openPerson(relay, "Ada"),
    await openPerson(relay, "Ben"),
    await openPerson(relay, "Cem"),
  ];
  const club = await together(ada, ben);
  const bens = await groupOf(ben, "Club");
  const phone = await linkDevice(ada, relay);
  await groupOf(phone, "Club");
  const events = eventsOf(ben);
  await club.send({ text: "before" });
  await untilHas(bens, "before");
  const picture = image();
  await ada.setProfile({ name: "Ada L.", picture });
  await untilCalled(ben, ada.user, "Ada L.");
  expect(events.filter(({ type }) => type === "profileChanged")).toMatchObject([
    { user: ada.user, name: "Ada L.", before: "Ada" },
  ]);
  const member = bens.members().find(({ user }) => user === ada.user);
  expect(member).toMatchObject({ name: "Ada L.", picture: { mediaType: "image/png", size: 3_000 } });
  expect((await bens.messages()).map(({ from }) => from.name)).toEqual(["Ada L."]);
  await until(async () => phone.name === "Ada L.", "the phone has the name");
  expect((await phone.picture(phone.user))?.bytes).toEqual(picture.bytes);
  // Nobody's relay is asked for a stranger's picture without the user.
  expect(await ben.picture(ada.user)).toBeUndefined();
  expect(await ben.picture(ada.user, { download: true })).toEqual(picture);
  expect(await ben.picture(ada.user)).toEqual(picture);
  await club.add([cem.address]);
  await groupOf(cem, "Club");
  await untilCalled(cem, ada.user, "Ada L.");
  await ada.setProfile({ picture: null });
  await until(async () => ben.person(ada.user).picture === undefined, "the picture is gone");
  expect([ada.name, ben.person(ada.user).name]).toEqual(["Ada L.", "Ada L."]);
});

test("a profile survives restarts, and waits for a group that the user has still to accept", async () => {
  const store = memoryStore();
  const first = await openDevice(relay, "Ada", { store });
  await first.setProfile({ name: "Countess" });
  await first.close();
  const ada = await openPerson(relay, "Ada", { store, autoAccept: false });
  expect(ada.name).toBe("Countess");
  const ben = await openPerson(relay, "Ben");
  const club = await ben.create({ name: "Club" });
  await club.add([ada.address]);
  const adas = await groupOf(ada, "Club");
  expect([adas.consent, ben.person(ada.user).name]).toEqual(["unknown", "Ada"]);
  await adas.accept();
  await untilCalled(ben, ada.user, "Countess");
});

test("what is no name or picture is refused before anything is sent, and so is the eleventh change of a day", async () => {
  const ada = await openPerson(relay, "Ada");
  for (const name of ["", " ", "a".repeat(201), 7 as unknown as string])
    await expect(ada.setProfile({ name })).rejects.toThrow(TypeError);
  for (const picture of [image(0), image(256 * 1024 + 1), { ...image(), mediaType: "image/svg+xml" }])
    await expect(ada.setProfile({ picture })).rejects.toThrow(TypeError);
  for (let at = 0; at < 10; at++) await ada.setProfile({ name: `Ada ${at}` });
  await expect(ada.setProfile({ name: "Ada again" })).rejects.toThrow(RangeError);
  expect(ada.name).toBe("Ada 9");
});

test("a contact has the name that the user has given them, on all devices of the user, and in their direct chat", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const phone = await linkDevice(ada, relay);
  const chat = await ada.directChat(ben.user, { addresses: [ben.address] });
  const bens = await groupOf(ben, "Ada");
  await bens.send({ text: "hello" });
  await untilHas(chat, "hello");
  await ada.setContact(ben.user, { name: "Uncle Ben" });
  expect(ada.contacts()).toMatchObject([{ user: ben.user, name: "Uncle Ben", profileName: "Ben", isNamed: true }]);
  expect([chat.name, (await chat.messages())[0]?.from.name]).toEqual(["Uncle Ben", "Uncle Ben"]);
  await untilCalled(phone, ben.user, "Uncle Ben");
  await ben.setProfile({ name: "Benjamin" });
  await until(async () => ada.person(ben.user).profileName === "Benjamin", "Ben calls himself Benjamin");
  expect(ada.person(ben.user).name).toBe("Uncle Ben");
  await ada.setContact(ben.user);
  expect([ada.contacts(), chat.name]).toEqual([[], "Benjamin"]);
  await untilCalled(phone, ben.user, "Benjamin");
  await expect(ada.setContact(ada.user, { name: "Me" })).rejects.toThrow(TypeError);
  await expect(ada.setContact(ben.user, { name: " " })).rejects.toThrow(TypeError);
});

test("somebody who takes another's name is told apart from them", async () => {
  const [ada, ben, mallory] = [
    await openPerson(relay, "Ada"),
    await openPerson(relay, "Ben"),
    await openPerson(relay, "Mallory"),
  ];
  const club = await together(ben, ada, mallory);
  const shared = async () => (await club.namesakes()).map(({ name, user }) => [name, user === ada.user]);
  expect(await shared()).toEqual([]);
  // With a Cyrillic letter.
  await mallory.setProfile({ name: "\u0410da" });
  await untilCalled(ben, mallory.user, "\u0410da");
  expect(await shared()).toHaveLength(2);
  await ben.setContact(ada.user, { name: "Ada" });
  expect(await shared()).toEqual([["\u0410da", false]]);
});

test("a group has a description and a picture, which those who join later find, and which only those may change who may rename it", async () => {
  const [ada, ben, cem] = [
    await openPerson(relay, "Ada"),
    await openPerson(relay, "Ben"),
    await openPerson(relay, "Cem"),
  ];
  const club = await together(ada, ben);
  const bens = await groupOf(ben, "Club");
  const events = eventsOf(ben);
  const picture = image();
  await club.setAppearance({ description: "We read.", picture });
  await until(async () => bens.description === "We read.", "the description has come");
  expect(events.filter(({ type }) => type === "appearanceChanged")).toMatchObject([{ by: { user: ada.user } }]);
  await club.add([cem.address]);
  const cems = await groupOf(cem, "Club");
  expect([cems.description, cems.picture]).toEqual(["We read.", club.picture]);
  expect(await cems.readPicture()).toEqual(picture);
  await club.setRole("everyone", ["send"]);
  await until(async () => !bens.may("rename"), "Ben may not rename it");
  await expect(bens.setAppearance({ description: "Ben's" })).rejects.toThrow("rename");
  await club.setAppearance({ description: "" });
  await until(async () => bens.description === "", "it has no description");
  expect(bens.picture).toEqual(club.picture);
  for (const description of ["a".repeat(1_001), 7 as unknown as string])
    await expect(club.setAppearance({ description })).rejects.toThrow(TypeError);
});

test("a group's picture stays for longer than a relay keeps it: members who may change it upload it again", async () => {
  const store = memoryStore();
  const [ada, ben] = [await openPerson(relay, "Ada"), await openDevice(relay, "Ben", { store })];
  const club = await together(ada, ben);
  const picture = image();
  await club.setAppearance({ picture });
  const before = await groupOf(ben, "Club");
  await until(async () => before.picture !== undefined, "Ben has heard of the picture");
  expect(await before.readPicture()).toEqual(picture);
  await ben.close();
  await ada.close();
  relay.clock.advance(75 * daySeconds);
  const again = await openPerson(relay, "Ben", { store });
  const events = eventsOf(again);
  const bens = await groupOf(again, "Club");
  const [epoch, shown] = [bens.epoch, bens.picture];
  await until(async () => bens.epoch > epoch, "Ben has uploaded it again");
  expect(bens.picture).toEqual(shown);
  expect(events.filter(({ type }) => type === "appearanceChanged")).toEqual([]);
  relay.clock.advance(20 * daySeconds);
  const cem = await openPerson(relay, "Cem");
  await bens.add([cem.address]);
  const cems = await groupOf(cem, "Club");
  // The first upload has ended. Ben's other commits, which come after so long a time as well, may be earlier than that with the second one.
  const read = () => cems.readPicture().catch(() => undefined);
  await until(async () => (await read()) !== undefined, "Cem can read the picture");
  expect(await read()).toEqual(picture);
});
