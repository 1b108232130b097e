import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Runtime, runtimeWith } from "../../src/client/runtime/runtime.js";
import { type Group, hasDevice, type Message, memoryStore, openGroups, tsMls } from "../../src/groups/index.js";
import { heldSleep, holdSockets } from "../client/harness.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { groupOf, linkDevice, mlsWith, openPerson, roomy, untilHas, untilSame } from "./people.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay(roomy);
});
afterAll(() => relay?.stop());

async function messageOf(group: Group, text: string): Promise<Message> {
  await untilHas(group, text);
  return (await group.messages()).find((one) => one.text === text) as Message;
}

async function untilMessage(group: Group, id: string, holds: (message: Message) => boolean): Promise<Message> {
  const find = async () => (await group.messages()).find((one) => one.id === id && holds(one));
  await until(async () => (await find()) !== undefined, `message ${id} is so`);
  return (await find()) as Message;
}

async function pair(name: string) {
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben")];
  const adas = await ada.create({ name });
  await adas.add([ben.address]);
  return { ada, ben, adas, bens: await groupOf(ben, name) };
}

test("a message is answered, reacted to, edited and taken back, by whom that is up to", async () => {
  const { ada, ben, adas, bens } = await pair("Talk");
  const { id } = await adas.send({ text: "Helo" });
  await messageOf(bens, "Helo");
  await bens.react(id, "👍");
  await untilMessage(adas, id, ({ reactions }) => reactions[ben.user]?.[0] === "👍");
  await bens.react(id, "");
  await untilMessage(adas, id, ({ reactions }) => Object.keys(reactions).length === 0);
  await adas.edit(id, "Hello");
  await untilMessage(bens, id, ({ text, editedAtMillis }) => text === "Hello" && editedAtMillis !== undefined);
  // Nobody edits what somebody else has written.
  await expect(bens.edit(id, "Goodbye")).rejects.toThrow(TypeError);
  const { id: answer } = await bens.send({ text: "Hi", replyTo: id });
  expect(await messageOf(adas, "Hi")).toMatchObject({ id: answer, replyTo: id });
  expect((await messageOf(bens, "Hello")).from.user).toBe(ada.user);
  expect((await messageOf(adas, "Hello")).id).toBe(id);
  await bens.receipt([id], "read");
  await untilMessage(adas, id, ({ receipts }) => receipts[ben.user] === "read");
  await bens.receipt([id], "delivered");
  await adas.edit(id, "");
  expect(await untilMessage(bens, id, ({ text }) => text === "")).toMatchObject({ receipts: { [ben.user]: "read" } });
});

test("a user has up to six reactions to a message, and those that look alike are one", async () => {
  const { ada, ben, adas, bens } = await pair("Reactions");
  const { id } = await adas.send({ text: "Good news" });
  await messageOf(bens, "Good news");
  const six = ["👍", "❤️", "😂", "🎉", "1️⃣", "👩‍❤️‍👨"];
  // As other keyboards have them.
  await bens.react(id, ["👍\ufe0f", "❤", "😂", "🎉\ufe0f", "1\u20e3", "👩‍❤‍👨"]);
  await untilMessage(adas, id, ({ reactions }) => reactions[ben.user]?.join() === six.join());
  await bens.react(id, ["👍", "👍\ufe0f", "☝🏽", ""]);
  await untilMessage(adas, id, ({ reactions }) => reactions[ben.user]?.join() === "👍,☝🏽");
  for (const wrong of [[...six, "🙈"], [1], "x".repeat(101), [..."👍".repeat(3), {}]])
    await expect(bens.react(id, wrong as string[])).rejects.toThrow(TypeError);
  await adas.react(id, "👍");
  await untilMessage(bens, id, ({ reactions }) => reactions[ada.user]?.length === 1);
  await bens.react(id, []);
  const { reactions } = await untilMessage(adas, id, ({ reactions: all }) => all[ben.user] === undefined);
  expect(reactions).toEqual({ [ada.user]: ["👍"] });
});

test("an application sends content of its own, which others keep as it is, and names members in texts", async () => {
  const { ada, ben, adas, bens } = await pair("Polls");
  const body = { question: "When?", answers: ["today", "tomorrow"], open: true };
  const sent = await adas.send({
    type: "org.example/poll",
    version: 2,
    body,
    text: "When? today, tomorrow",
    key: "poll",
  });
  const content = { type: "org.example/poll", version: 2, body };
  expect(await messageOf(bens, "When? today, tomorrow")).toMatchObject({ id: sent.id, content });
  expect(await adas.send({ type: "org.example/poll", body: {}, key: "poll" })).toMatchObject({ id: sent.id, content });
  const answer = await bens.send({ type: "org.example/vote", body: { answer: 1 }, replyTo: sent.id });
  await untilMessage(adas, answer.id, (message) => message.text === "" && message.content?.version === 1);
  expect(await adas.unread()).toBe(1);
  let deep: object = {};
  for (let depth = 0; depth < 20; depth++) deep = { deep };
  const wrong = [
    ...[{ body: deep }, { body: { a: "x".repeat(100_000) } }, { body: [] }, { body: "text" }, { body: undefined }],
    ...[{ version: 0 }, { version: 1.5 }, { version: "1" }, { text: 1 }, { type: "Poll" }, { type: "" }, { type: 1 }],
  ];
  for (const one of wrong)
    await expect(adas.send({ type: "org.example/poll", body: {}, ...one } as never)).rejects.toThrow(TypeError);
  await adas.edit(sent.id, "");
  expect(await untilMessage(bens, sent.id, ({ text }) => text === "")).not.toHaveProperty("content");

  const text = "@Ben, ask @Ada";
  const mentions = [
    { user: ben.user, start: 0, length: 4 },
    { user: ada.user, start: 10, length: 4 },
  ];
  const { id } = await adas.send({ text, mentions });
  expect((await messageOf(bens, text)).mentions).toEqual(mentions);
  await adas.edit(id, "@Ben!", { mentions: mentions.slice(0, 1) });
  expect(await untilMessage(bens, id, (one) => one.text === "@Ben!")).toMatchObject({ mentions: mentions.slice(0, 1) });
  await adas.edit(id, "Nobody");
  expect(await untilMessage(bens, id, (one) => one.text === "Nobody")).not.toHaveProperty("mentions");
  const refused = [
    { start: 11 },
    { length: 0 },
    { start: -1 },
    { length: 1.5 },
    { user: "0".repeat(64) },
    { user: "Ben" },
  ];
  for (const one of [...refused.map((change) => [{ ...mentions[1], ...change }]), mentions.toReversed(), [null], "all"])
    await expect(adas.send({ text, mentions: one as never })).rejects.toThrow(TypeError);
});

test("what is unread is counted until it is read on any device of the user, and the chat in which something has happened last is the first", async () => {
  const { ada, ben, adas, bens } = await pair("Older");
  const tablet = await linkDevice(ben, relay);
  const tablets = await groupOf(tablet, "Older");
  const newer = await ben.create({ name: "Newer" });
  const order = () => ben.groups().map(({ name }) => name);
  expect(order()).toEqual(["Newer", "Older"]);
  for (const text of ["one", "two", "three"]) await adas.send({ text });
  for (const group of [bens, tablets]) await untilHas(group, "three");
  expect(order()).toEqual(["Older", "Newer"]);
  expect(await Promise.all([adas, bens, tablets, newer].map((group) => group.unread()))).toEqual([0, 3, 3, 0]);
  expect(await bens.unread(2)).toBe(2);
  const [first, second] = (await bens.messages()) as [Message, Message];
  await bens.setRead(first);
  expect([await bens.unread(), await tablets.unread()]).toEqual([2, 3]);
  await bens.receipt([second.id], "read");
  await until(async () => (await tablets.unread()) === 1, "the tablet knows what was read");
  expect(await bens.unread()).toBe(1);
  // What is behind it stays read.
  await bens.setRead(first);
  expect(await bens.unread()).toBe(1);
  const { id } = await bens.send({ text: "an answer" });
  expect(await bens.unread()).toBe(0);
  const copy = await untilMessage(tablets, id, () => true);
  expect(copy).toMatchObject({ isMine: true });
  expect(copy).not.toHaveProperty("delivery");
  await untilMessage(bens, id, ({ delivery }) => delivery?.state === "sent");
  await expect(adas.setRead({ id: "nothing" })).rejects.toThrow(TypeError);
  expect(ada.groups()).toHaveLength(1);
});

test("a device in a store is found, and opened by the store alone", async () => {
  const store = memoryStore();
  const { mls, domain } = { mls: tsMls(), domain: relay.config.domain };
  expect(await hasDevice(store)).toBe(false);
  await expect(openGroups({ store, mls, name: "Ada" })).rejects.toThrow("relay must be");
  const first = await openPerson(relay, "Ada", { store });
  expect(await hasDevice(store)).toBe(true);
  await first.close();
  expect(await hasDevice(store)).toBe(true);
  const again = await openGroups({ store, mls, domain });
  onTestFinished(() => again.close());
  expect([again.name, again.address]).toEqual(["Ada", first.address]);
});

test("a device that waits for the next attempt receives at once after reconnectNow", async () => {
  const sockets = holdSockets();
  const { sleep } = runtimeWith();
  const held = heldSleep();
  let [isAway, waits] = [false, 0];
  const runtime: Partial<Runtime> = {
    openSocket: sockets.openSocket,
    sleep(millis, signal) {
      if (!isAway) return sleep(millis, signal);
      waits++;
      return held(millis, signal);
    },
  };
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben", { runtime })];
  const adas = await ada.create({ name: "Away" });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, "Away");
  await adas.send({ text: "before" });
  await untilHas(bens, "before");
  isAway = true;
  sockets.break();
  await until(async () => waits > 0, "it waits for its next attempt");
  await adas.send({ text: "meanwhile" });
  ben.reconnectNow();
  await untilHas(bens, "meanwhile");
  isAway = false;
});

test("a file is sent with a text, and downloaded as it was", async () => {
  const { adas, bens } = await pair("Files");
  const file = crypto.getRandomValues(new Uint8Array(50_000));
  await adas.attach(file, { name: "noise.bin", mediaType: "application/octet-stream", text: "Listen" });
  const message = await messageOf(bens, "Listen");
  expect(message.file).toMatchObject({ name: "noise.bin", mediaType: "application/octet-stream" });
  const got = new Uint8Array(await new Response(bens.download(message)).arrayBuffer());
  expect(got).toEqual(file);
  await expect(adas.react("", "👍")).rejects.toThrow("target is empty");
});

test("a file is downloaded by the application's own fetch", async () => {
  const asked: string[] = [];
  const { fetch } = runtimeWith();
  const noting = (url: string, init: RequestInit) => {
    asked.push(new URL(url).pathname);
    return fetch(url, init);
  };
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben", { runtime: { fetch: noting } })];
  const adas = await ada.create({ name: "Own fetch" });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, "Own fetch");
  await adas.attach(new Uint8Array(100), { name: "a", mediaType: "text/plain", text: "File" });
  await new Response(bens.download(await messageOf(bens, "File"))).arrayBuffer();
  expect(asked.some((path) => path.startsWith("/v1/blobs/"))).toBe(true);
});

test("close ends uploads and downloads that are under way", async () => {
  let held = 0;
  const { fetch } = runtimeWith();
  /** A request for a blob waits until it is ended. */
  const holding: Runtime["fetch"] = (url, init) =>
    new URL(url).pathname.startsWith("/v1/blobs/")
      ? new Promise((_, reject) => {
          held++;
          init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
        })
      : fetch(url, init);
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben", { runtime: { fetch: holding } })];
  const adas = await ada.create({ name: "Close" });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, "Close");
  await adas.attach(new Uint8Array(100), { name: "a", mediaType: "text/plain", text: "File" });
  const message = await messageOf(bens, "File");
  const sending = bens.attach(new Uint8Array(100), { name: "b", mediaType: "text/plain" });
  const reading = new Response(bens.download(message)).arrayBuffer();
  const settled = Promise.allSettled([sending, reading]);
  await until(async () => held === 2, "both wait for the relay");
  await ben.close();
  expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

test("close ends all requests, also those that nobody waits for", async () => {
  let isSilent = false;
  const held: { path: string; signal: AbortSignal }[] = [];
  const { fetch } = runtimeWith();
  /** No request is answered. */
  const silent: Runtime["fetch"] = (url, init) =>
    isSilent
      ? new Promise((_, reject) => {
          const signal = init.signal as AbortSignal;
          held.push({ path: new URL(url).pathname, signal });
          signal.addEventListener("abort", () => reject(signal.reason));
        })
      : fetch(url, init);
  const heldFor = (part: string) => held.filter(({ path }) => path.includes(part)).length;
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben", { runtime: { fetch: silent } })];
  const adas = await ada.create({ name: "Silent" });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, "Silent");
  await untilSame([adas, bens]);
  await adas.send({ text: "Spam" });
  const { id } = await messageOf(bens, "Spam");
  isSilent = true;
  const reported = bens.report(id).then(
    () => "reported",
    () => "ended",
  );
  await until(async () => heldFor("/spam") > 0, "the report waits for the relay");
  const before = heldFor("/slots");
  // Too long for a message: Ben reads it in the slot once his queue is empty.
  await adas.rename("漢".repeat(4_000));
  await until(async () => heldFor("/slots") > before, "Ben reads the slot");
  await ben.close();
  expect(await reported).toBe("ended");
  expect(held.filter(({ signal }) => !signal.aborted)).toEqual([]);
});

test("a message that is taken back takes its file back, for all members, and the relay deletes it", async () => {
  const { adas, bens } = await pair("Back");
  const ends = relay.clock.nowMillis() + 7_200_000;
  const options = { name: "a.txt", mediaType: "text/plain", text: "file", lifetimeSeconds: 7_200 };
  const { id, file } = await adas.attach(new Blob(["secret"]), options);
  expect(Math.abs((file?.endsAtMillis ?? 0) - ends)).toBeLessThan(60_000);
  const bensMessage = await messageOf(bens, "file");
  expect(bensMessage.file).toEqual(file);
  await adas.edit(id, "");
  expect(await untilMessage(bens, id, ({ text }) => text === "")).not.toHaveProperty("file");
  expect((await adas.messages()).find((one) => one.id === id)).not.toHaveProperty("file");
  const read = () => new Response(bens.download(bensMessage)).text();
  const isGone = () =>
    read().then(
      () => false,
      ({ reason }) => reason === "gone",
    );
  await until(isGone, "the file is gone");
});

test("a file is kept by who has sent it, and who has downloaded it, after the relay has deleted it", async () => {
  const [ada, ben, cem] = await Promise.all(
    ["Ada", "Ben", "Cem"].map((name) => openPerson(relay, name, name === "Cem" ? {} : { keepFiles: 4_000_000 })),
  );
  if (ada === undefined || ben === undefined || cem === undefined) throw new Error("nobody is there");
  const adas = await ada.create({ name: "Kept" });
  await adas.add([ben.address, cem.address]);
  const [bens, cems] = [await groupOf(ben, "Kept"), await groupOf(cem, "Kept")];
  const bytes = Uint8Array.from({ length: 600_000 }, (_, at) => at % 251);
  const options = { name: "noise.bin", mediaType: "application/octet-stream", text: "noise", maxDownloads: 2 };
  const message = await adas.attach(bytes, options);
  const read = async (group: Group) => {
    const [found] = (await group.messages()).slice(-1) as [Message];
    return new Uint8Array(await new Response(group.download(found)).arrayBuffer());
  };
  for (const group of [bens, cems]) {
    await messageOf(group, "noise");
    expect(await read(group)).toEqual(bytes);
  }
  for (const group of [adas, bens]) expect(await read(group)).toEqual(bytes);
  await expect(read(cems)).rejects.toMatchObject({ reason: "gone" });
  // Of the oldest, only what fits is kept.
  for (let at = 0; at < 6; at++) await adas.attach(new Uint8Array(900_000), { ...options, text: `${at}` });
  await expect(new Response(adas.download(message)).arrayBuffer()).rejects.toMatchObject({ reason: "gone" });
});

test("messages that a device deletes are gone there alone, and nothing brings them back", async () => {
  const { adas, bens } = await pair("Deleted");
  const { id } = await adas.send({ text: "secret", key: "one" });
  await adas.send({ text: "rest" });
  await messageOf(bens, "rest");
  await bens.deleteMessages([id]);
  await adas.edit(id, "changed");
  await adas.send({ text: "after" });
  await messageOf(bens, "after");
  expect((await bens.messages()).map(({ text }) => text)).toEqual(["rest", "after"]);
  expect((await adas.messages()).map(({ text }) => text)).toEqual(["changed", "rest", "after"]);
  await expect(bens.deleteMessages([id])).rejects.toThrow(TypeError);
  await expect(bens.react(id, "👍")).rejects.toThrow(TypeError);
  await adas.deleteMessages([id]);
  await expect(adas.send({ text: "secret", key: "one" })).rejects.toThrow("deleted");
});

test("what is said of a message that there is not is refused, and nothing is sent", async () => {
  const { ada, adas, bens } = await pair("Unknown");
  const sent: string[] = [];
  ada.subscribe((event) => event.type === "messageChanged" && sent.push(event.change));
  const { id } = await adas.send({ text: "Hello" });
  await messageOf(bens, "Hello");
  const unknown = "0".repeat(32);
  const calls: ((group: Group) => Promise<unknown>)[] = [
    (group) => group.react(unknown, "👍"),
    (group) => group.edit(unknown, "Hi"),
    (group) => group.receipt([unknown], "read"),
    (group) => group.receipt([id, unknown], "read"),
    (group) => group.receipt([id], "seen" as "read"),
    (group) => group.send({ text: "Hi", replyTo: unknown }),
    (group) => group.attach(new Blob(["a"]), { name: "a", mediaType: "text/plain", replyTo: unknown }),
    (group) => group.react(id, "👍".repeat(51)),
    (group) => group.edit(id, "t".repeat(1_000_001)),
    (group) => group.react(7 as never, "👍"),
  ];
  for (const call of calls) await expect(call(bens), String(call)).rejects.toThrow(TypeError);
  await bens.send({ text: "afterwards" });
  await messageOf(adas, "afterwards");
  expect(sent).toEqual([]);
  expect(await adas.messages()).toMatchObject([{ text: "Hello", reactions: {}, receipts: {} }, { text: "afterwards" }]);
});

test("a message that is sent again with its key is the same one, also after a crash", async () => {
  const store = memoryStore();
  const [ada, ben] = [await openPerson(relay, "Ada"), await openPerson(relay, "Ben", { store })];
  const adas = await ada.create({ name: "Once" });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, "Once");
  const { id } = await adas.send({ text: "question" });
  await untilHas(bens, "question");
  const key = `answer to ${id}`;
  const [first, second] = await Promise.all([1, 2].map(() => bens.send({ text: "answer", replyTo: id, key })));
  expect(first).toEqual(second);
  const file = { name: "a", mediaType: "text/plain", key: "file" };
  expect(await bens.attach(new Blob(["a"]), file)).toEqual(await bens.attach(new Blob(["b"]), file));
  // As a killed program leaves it.
  const copied = memoryStore();
  await copied.lock({ wait: false });
  await copied.write(await store.list({ prefix: "" }));
  await copied.close();
  await ben.close();
  const again = await groupOf(await openPerson(relay, "Ben", { store: copied }), "Once");
  expect(await again.send({ text: "answer", replyTo: id, key })).toEqual(first);
  await again.send({ text: "last" });
  await untilHas(adas, "last");
  expect((await adas.messages()).map(({ text, file }) => text || file?.name)).toEqual([
    "question",
    "answer",
    "a",
    "last",
  ]);
  for (const wrong of ["", 5, "k".repeat(1_001)])
    await expect(again.send({ text: "x", key: wrong as string })).rejects.toThrow(TypeError);
});

test("a member who has sent a text does not type it any more", async () => {
  const { ada, adas, bens } = await pair("Typing");
  const told: boolean[] = [];
  ada.subscribe((event) => event.type === "typing" && told.push(event.isTyping));
  await bens.send({ text: "first" });
  await untilHas(adas, "first");
  for (const text of ["second", "third"]) {
    await until(async () => {
      await bens.typing();
      return told.at(-1) === true;
    }, "Ada sees that Ben types");
    await bens.send({ text });
    await untilHas(adas, text);
  }
  expect(told).toEqual([true, false, true, false]);
});

/** A device that says something else of its messages than the library does. */
const lying = (content: () => object) =>
  mlsWith("encrypt", (mls) => (state, given) => {
    const said = { ...JSON.parse(new TextDecoder().decode(given)), ...content() };
    return mls.encrypt(state, new TextEncoder().encode(JSON.stringify(said)));
  });

test("whatever a member says of the time, a file or a name, others can show it, and edit what they have written", async () => {
  let said: object = {};
  const [ada, eve] = [await openPerson(relay, "Ada"), await openPerson(relay, "Eve", { mls: lying(() => said) })];
  const adas = await ada.create({ name: "Liars" });
  await adas.add([eve.address]);
  const eves = await groupOf(eve, "Liars");
  const say = async (text: string, content: object) => {
    said = content;
    const { id } = await eves.send({ text });
    said = {};
    return id;
  };
  const before = relay.clock.nowMillis();
  for (const millis of [9_007_199_254_740_991, 8.64e15 + 1, 253_402_300_800_000, -1, 1.5])
    await say("no date", { sent_at_millis: millis });
  await say("far", { sent_at_millis: 253_402_300_799_999 });
  await say("past", { sent_at_millis: 0 });
  await say("odd id", { message_id: "../a b/ü" });
  await untilHas(adas, "far", "past", "odd id");
  const found = await adas.messages();
  expect(found.map(({ text }) => text)).toEqual(["far", "past", "odd id"]);
  for (const { sentAtMillis, receivedAtMillis } of found) {
    expect(receivedAtMillis).toBeGreaterThanOrEqual(before - 1_000);
    expect(receivedAtMillis).toBeLessThan(before + 600_000);
    expect(sentAtMillis).toBeLessThanOrEqual(receivedAtMillis);
  }
  // A time to come does not keep later ones out.
  const id = await say("first", {});
  await untilHas(adas, "first");
  said = { sent_at_millis: 253_402_300_799_999 };
  await eves.edit(id, "second");
  await untilHas(adas, "second");
  said = {};
  relay.clock.advance(2);
  await eves.edit(id, "third");
  await untilHas(adas, "third");
  said = { name: "photo\u202egpj.exe\nx\u200b" };
  await eves.attach(new Blob(["a"]), { name: "a", mediaType: "text/plain", text: "picture" });
  await untilHas(adas, "picture");
  expect((await adas.messages()).at(-1)?.file?.name).toBe("photo\ufffdgpj.exe x\ufffd");
});

test("names of people and groups are one line in which each character can be seen, in events, members, requests and links", async () => {
  const odd = "Ada\u202e\u200b\n\u2066x";
  const shown = "Ada\ufffd\ufffd \ufffdx";
  const [ada, ben] = [await openPerson(relay, odd), await openPerson(relay, "Ben")];
  const names: string[] = [];
  ben.subscribe((event) => (event.type === "joinedGroup" || event.type === "changed") && names.push(event.name));
  const adas = await ada.create({ name: odd });
  await adas.add([ben.address]);
  const bens = await groupOf(ben, shown);
  expect([bens.name, bens.members()[0]?.name, adas.members()[0]?.name]).toEqual([shown, shown, shown]);
  await adas.rename(`${odd}!`);
  await until(async () => bens.name === `${shown}!`, "the group has its new name");
  expect(names).toEqual([shown, `${shown}!`]);
  await adas.rename("名".repeat(4_000));
  const { link } = await adas.invite({ appUrl: "https://app.example/join" });
  expect(link.length).toBeLessThan(1_500);
  const cem = await openPerson(relay, "Cem");
  expect((await cem.join(link)).name).toBe("名".repeat(100));
});
