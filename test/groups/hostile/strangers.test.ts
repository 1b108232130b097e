import { afterAll, beforeAll, expect, test } from "vitest";
import type { Group, Groups, Message } from "../../../src/groups/index.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import { eventsOf, groupOf, linkTo, mlsWith, openPerson, roomy, textsOf, untilHas, untilSame } from "../people.js";

// Ben's application asks him before he takes part in groups of strangers.
const asking = { autoAccept: false };
const appUrl = "https://app.example/join";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

/** Waits until a request is there. */
async function requestOf(person: Groups, name: string): Promise<Group> {
  const find = () => person.groups().find((group) => group.name === name && group.consent === "unknown");
  await until(async () => find() !== undefined, `${person.name} is asked about ${name}`);
  return find() as Group;
}

/** Sends a text, and waits until the relay of each member has it: what was sent to them before has come, too. */
async function untilSent(sender: Groups, group: Group, text: string): Promise<void> {
  const events = eventsOf(sender);
  const { id } = await group.send({ text });
  await until(async () => events.some((event) => event.type === "sent" && event.message === id), `${text} is sent`);
}

/** Two people who know each other. */
async function friends(): Promise<{ ada: Groups; ben: Groups; adas: Group; bens: Group; calls: string[] }> {
  const calls: string[] = [];
  const noting: typeof fetch = async (url, init) => {
    calls.push(String(url));
    return fetch(url, init);
  };
  const ada = await openPerson(relay, "Ada");
  const ben = await openPerson(relay, "Ben", { ...asking, runtime: { fetch: noting } });
  const adas = await ada.create({ name: "Friends" });
  await adas.add([ben.address]);
  const bens = await requestOf(ben, "Friends");
  await bens.accept();
  await untilSame([adas, bens]);
  await untilSent(ben, bens, "hi");
  return { ada, ben, adas, bens, calls };
}

test("a group of strangers is a request: until it is accepted, the device sends nothing, and follows nothing", async () => {
  const { ben, bens: known, adas, calls } = await friends();
  const events = eventsOf(ben);
  const [mallory, cem] = [await openPerson(relay, "Mallory"), await openPerson(relay, "Cem")];
  const hers = await mallory.create({ name: "Lure" });
  await hers.add([cem.address]);
  calls.splice(0);
  await hers.add([ben.address]);
  const bens = await requestOf(ben, "Lure");
  expect((await ben.deviceStatus()).invited).toEqual([{ group: bens.id, name: "Lure" }]);
  const { id } = await hers.send({ text: "look at this" });
  await hers.attach(new Uint8Array(10), { name: "a.png", mediaType: "image/png", text: "a picture" });
  await untilHas(bens, "look at this", "a picture");
  const picture = (await bens.messages()).find(({ file }) => file !== undefined) as Message;
  expect(() => bens.download(picture)).toThrow("accept it first");
  expect(events.find(({ type }) => type === "invited")).toMatchObject({
    group: bens.id,
    name: "Lure",
    members: 3,
    by: { user: mallory.user, name: "Mallory", isSigned: true },
  });
  expect(events.some(({ type }) => type === "joinedGroup")).toBe(false);
  await bens.receipt([id], "read");
  await bens.typing();
  await expect(bens.send({ text: "who are you?" })).rejects.toThrow("accept it first");
  await expect(bens.add([cem.address])).rejects.toThrow("accept it first");
  await hers.rename("Lured");
  // What comes later shows that all this was handled.
  await untilSent(mallory, hers, "more");
  await adas.send({ text: "hello" });
  await untilHas(known, "hello");
  expect(bens.name).toBe("Lure");
  expect(calls.filter((url) => /messages|claims|blobs/.test(url))).toEqual([]);
  expect((await hers.messages())[0]?.receipts).toEqual({});
  await bens.accept();
  await until(async () => bens.name === "Lured", "Ben follows");
  await untilHas(bens, "look at this", "more");
  await bens.send({ text: "who are you?" });
  await untilHas(hers, "who are you?");
  expect((await new Response(bens.download(picture)).arrayBuffer()).byteLength).toBe(10);
  expect(events.filter(({ type }) => type === "joinedGroup")).toHaveLength(1);
});

test("who has added a device is whose signature it is: neither the founder, nor the first, nor the last member", async () => {
  const { ada, ben, bens } = await friends();
  const [mallory, cem] = [await openPerson(relay, "Mallory"), await openPerson(relay, "Cem")];
  await bens.add([cem.address]);
  const adas = await ada.create({ name: "Hers" });
  await adas.add([mallory.address]);
  await adas.add([cem.address]);
  const hers = await groupOf(mallory, "Hers");
  await untilSame([adas, hers]);
  await hers.add([ben.address]);
  expect((await requestOf(ben, "Hers")).invitedBy).toMatchObject({ user: mallory.user });
  // Ada, whom Ben knows, needs no consent.
  const again = await ada.create({ name: "Ours" });
  await again.add([ben.address]);
  expect((await groupOf(ben, "Ours")).consent).toBe("allowed");
});

test("neither a group that was declined nor the member who added the user comes again, until the user wants it", async () => {
  const { ben, bens: known, adas } = await friends();
  const mallory = await openPerson(relay, "Mallory");
  const hers = await mallory.create({ name: "No" });
  await hers.add([ben.address]);
  const declined = await requestOf(ben, "No");
  await declined.decline();
  expect([declined.state, declined.consent]).toEqual(["left", "denied"]);
  await until(async () => hers.members().length === 1, "Ben is out");
  await hers.add([ben.address]);
  await untilSent(mallory, hers, "again");
  const other = await mallory.create({ name: "No again" });
  await other.add([ben.address]);
  await untilSent(mallory, other, "again");
  await adas.send({ text: "hello" });
  await untilHas(known, "hello");
  expect(declined.state).toBe("left");
  expect(new Set(ben.groups().map(({ name }) => name))).toEqual(new Set(["Friends", "No"]));
  await declined.accept();
  const third = await mallory.create({ name: "Perhaps" });
  await third.add([ben.address]);
  expect((await requestOf(ben, "Perhaps")).invitedBy).toMatchObject({ user: mallory.user });
});

test("a user who has left a group is asked again, also by people they know, and comes back at once by a link", async () => {
  const { ben, adas, bens } = await friends();
  const [friend] = adas.members().filter(({ isMe }) => !isMe);
  // Ada stays known to Ben.
  await ben.setVerified(adas.members().find(({ isMe }) => isMe)?.user ?? "");
  await bens.leave();
  await until(async () => adas.members().length === 1, "Ben is out");
  await adas.add([friend?.address ?? ""]);
  await until(async () => bens.state === "active", "Ben is asked");
  expect(bens.consent).toBe("unknown");
  await bens.leave();
  await until(async () => adas.members().length === 1, "Ben is out again");
  const { link } = await adas.invite({ appUrl });
  await ben.join(link);
  await until(async () => bens.state === "active", "Ben is back");
  expect(bens.consent).toBe("allowed");
});

test("somebody of a group of both adds the user to a bounded number of groups, and is no contact until the user wants it", async () => {
  const { ben, adas } = await friends();
  const mallory = await openPerson(relay, "Mallory");
  await adas.add([mallory.address]);
  const shared = await groupOf(mallory, "Friends");
  await until(async () => shared.members().length === 3, "Mallory sees Ben");
  await mallory.directChat(ben.user);
  const direct = await requestOf(ben, "Mallory");
  expect(ben.isContact(mallory.user)).toBe(false);
  for (let created = 0; created < 33; created += 1)
    await (await mallory.create({ name: `Lure ${created}` })).add([ben.address]);
  await requestOf(ben, "Lure 32");
  const isIn = ({ consent, invitedBy }: Group) => consent === "allowed" && invitedBy?.user === mallory.user;
  expect(ben.groups().filter(isIn)).toHaveLength(32);
  expect((await ben.directChat(mallory.user)).id).toBe(direct.id);
  expect(ben.isContact(mallory.user)).toBe(true);
  const other = await mallory.create({ name: "Of a contact" });
  await other.add([ben.address]);
  expect((await groupOf(ben, "Of a contact")).consent).toBe("allowed");
});

test("a request stores a bounded number of messages", async () => {
  const { ben, bens: known, adas } = await friends();
  const mallory = await openPerson(relay, "Mallory");
  const hers = await mallory.create({ name: "Flood" });
  await hers.add([ben.address]);
  const bens = await requestOf(ben, "Flood");
  for (let sent = 0; sent < 100; sent += 1) await hers.send({ text: `${sent}` });
  await untilSent(mallory, hers, "one too many");
  await adas.send({ text: "hello" });
  await untilHas(known, "hello");
  expect(await textsOf(bens)).toEqual(Array.from({ length: 100 }, (_, at) => `${at}`));
});

test("at most 50 requests wait, and those that came first stay", async () => {
  const { ben, bens: known, adas } = await friends();
  const mallory = await openPerson(relay, "Mallory");
  const names = Array.from({ length: 51 }, (_, at) => `Lure ${at}`);
  let last: Group | undefined;
  for (const name of names) {
    last = await mallory.create({ name });
    await last.add([ben.address]);
  }
  await untilSent(mallory, last as Group, "hello?");
  await adas.send({ text: "hello" });
  await untilHas(known, "hello");
  const asked = () => ben.groups().filter(({ consent }) => consent === "unknown");
  expect(asked().map(({ name }) => name)).toEqual(expect.arrayContaining(names.slice(0, 50)));
  expect(asked()).toHaveLength(50);
  await asked()[0]?.decline();
  const eve = await openPerson(relay, "Eve");
  await (await eve.create({ name: "Room" })).add([ben.address]);
  await requestOf(ben, "Room");
});

test("a file is read at the relay of its sender's address, whatever host the message names", async () => {
  const { ada, ben, calls } = await friends();
  const mls = mlsWith("encrypt", (mls) => (state, given) => {
    const content = new TextDecoder().decode(given).replace(/http:[^"]*(?=\/v1\/blobs\/)/, "https://evil.example");
    return mls.encrypt(state, new TextEncoder().encode(content));
  });
  const mallory = await openPerson(relay, "Mallory", { mls });
  const group = await ada.create({ name: "Files" });
  await group.add([mallory.address, ben.address]);
  const [hers, bens] = [await groupOf(mallory, "Files"), await groupOf(ben, "Files")];
  await untilSame([group, hers, bens]);
  await hers.attach(new Uint8Array(10), { name: "a.png", mediaType: "image/png", text: "a picture" });
  await untilHas(bens, "a picture");
  const [message] = (await bens.messages()).filter(({ file }) => file !== undefined) as [Message];
  expect(message.file?.reference).toMatchObject({ url: expect.stringMatching(/^https:\/\/evil\.example\//) });
  calls.splice(0);
  expect((await new Response(bens.download(message)).arrayBuffer()).byteLength).toBe(10);
  expect(calls.filter((url) => url.includes("blobs"))).toEqual([expect.stringMatching(`^${relay.url}/v1/blobs/`)]);
  expect(calls.filter((url) => url.includes("evil"))).toEqual([]);
});

test("a program that accepts all groups is not pulled into one again that it has left", async () => {
  const [ada, bot] = [await openPerson(relay, "Ada"), await openPerson(relay, "Bot")];
  const group = await ada.create({ name: "Bots" });
  await group.add([bot.address]);
  const bots = await groupOf(bot, "Bots");
  expect([bots.consent, bots.invitedBy?.user]).toEqual(["allowed", ada.user]);
  await bots.leave();
  await until(async () => group.members().length === 1, "the bot is out");
  await group.add([bot.address]);
  expect((await requestOf(bot, "Bots")).invitedBy).toMatchObject({ user: ada.user });
  await expect(bots.send({ text: "here?" })).rejects.toThrow("accept it first");
});

test("an answer counts for all devices of the user that strangers have added", async () => {
  const ben = await openPerson(relay, "Ben", asking);
  const link = linkTo(ben);
  const other = await openPerson(relay, "Ben", { ...asking, link });
  const first = await ben.create({ name: "First" });
  await until(async () => first.members().length === 2, "both are in");
  const [mallory, eve] = [await openPerson(relay, "Mallory"), await openPerson(relay, "Eve")];
  const add = async (stranger: Groups, name: string) => {
    const group = await stranger.create({ name });
    await group.add([ben.address, other.address]);
    return [await requestOf(ben, name), await requestOf(other, name)] as const;
  };
  const [yes, yesToo] = await add(mallory, "Yes");
  await yes.accept();
  await until(async () => yesToo.consent === "allowed", "the other device takes part");
  await yesToo.send({ text: "we are here" });
  await untilHas(yes, "we are here");
  const [no, noToo] = await add(eve, "No");
  await noToo.decline();
  await until(async () => no.state === "left" && no.consent === "denied", "the first device is out, too");
  const again = await eve.create({ name: "Again" });
  await again.add([ben.address]);
  await untilSent(eve, again, "hello?");
  await (await groupOf(other, "First")).send({ text: "end" });
  await untilHas(first, "end");
  expect(ben.groups().map(({ name }) => name)).not.toContain("Again");
});

test("a request takes no other device of the user along; accepted, it comes to all of them without a question", async () => {
  const ben = await openPerson(relay, "Ben", asking);
  const link = linkTo(ben);
  const other = await openPerson(relay, "Ben", { ...asking, link });
  const first = await ben.create({ name: "First" });
  await groupOf(other, "First");
  await until(async () => first.members().length === 2, "both are in");
  const mallory = await openPerson(relay, "Mallory");
  const hers = await mallory.create({ name: "Both" });
  await hers.add([ben.address]);
  const bens = await requestOf(ben, "Both");
  expect(hers.members()).toHaveLength(2);
  await bens.accept();
  expect((await groupOf(other, "Both")).consent).toBe("allowed");
});
