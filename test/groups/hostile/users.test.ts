import { afterAll, beforeAll, expect, test } from "vitest";
import { type Group, type Groups, memoryStore } from "../../../src/groups/index.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import { groupOf, linkDevice, openPerson, roomy, untilHas } from "../people.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

const devicesOf = (group: Group, { user }: Groups) => group.members().filter((one) => one.user === user).length;

test("a linked device comes into groups that are founded or entered later, and goes from all when it is unlinked", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben", { store: memoryStore() })];
  const first = await ben.create({ name: "Before" });
  const tablet = await linkDevice(ben, relay);
  await groupOf(tablet, "Before");
  const club = await ada.create({ name: "Club" });
  await club.add([ben.address]);
  const there = await groupOf(tablet, "Club");
  const own = await tablet.create({ name: "By the tablet" });
  const bens = await groupOf(ben, "By the tablet");
  await there.send({ text: "from the tablet" });
  await untilHas(club, "from the tablet");
  expect(devicesOf(club, ben)).toBe(2);
  const lost = tablet.device.deviceId;
  await ben.unlinkDevice(lost);
  for (const group of [there, own, tablet.group(first.id) as Group])
    await until(async () => group.state === "removed", "the tablet is out of each group");
  await until(async () => devicesOf(club, ben) === 1, "Ada has seen it");
  expect(bens.state).toBe("active");
  // It comes into no later group, and Ben is not on the list of those whom no link lets in.
  const later = await ben.create({ name: "Later" });
  await later.add([ada.address]);
  await later.send({ text: "on one device" });
  await untilHas(await groupOf(ada, "Later"), "on one device");
  expect([devicesOf(later, ben), club.banned()]).toEqual([1, []]);
  await expect(ben.unlinkDevice(lost)).rejects.toThrow("no such device");
  await expect(ben.unlinkDevice(ben.device.deviceId)).rejects.toThrow(TypeError);
});

test("a device is unlinked from those that were linked by others, too", async () => {
  const ben = await openPerson(relay, "Ben");
  const tablet = await linkDevice(ben, relay);
  const laptop = await linkDevice(tablet, relay);
  const lost = await linkDevice(laptop, relay);
  const first = await ben.create({ name: "All" });
  await groupOf(lost, "All");
  const laptops = await groupOf(laptop, "All");
  await until(async () => devicesOf(laptops, ben) === 4, "all are in");
  await ben.unlinkDevice(lost.device.deviceId);
  await until(async () => devicesOf(laptops, ben) === 3, "the lost device is out");
  // What comes to the laptop after it was told.
  await first.setLocal({ pinned: true });
  await until(async () => (await laptops.local())["pinned"] === true, "the laptop has been told");
  const later = await laptop.create({ name: "Later" });
  await groupOf(tablet, "Later");
  await groupOf(ben, "Later");
  expect(devicesOf(later, ben)).toBe(3);
});

test("a user leaves with all devices", async () => {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const club = await ada.create({ name: "Leaving" });
  await club.add([ben.address]);
  const bens = await groupOf(ben, "Leaving");
  const tablet = await linkDevice(ben, relay);
  const there = await groupOf(tablet, "Leaving");
  await until(async () => devicesOf(club, ben) === 2, "both devices are in");
  await bens.leave();
  await until(async () => there.state === "left", "the tablet has left, too");
  await until(async () => club.members().length === 1, "both are removed");
  expect(club.banned()).toEqual([]);
});
