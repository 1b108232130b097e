import { afterAll, beforeAll, expect, test } from "vitest";
import type { Group, Message } from "../../src/groups/index.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { groupOf, openPerson, roomy, untilHas } from "./people.js";

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
  await untilMessage(adas, id, ({ reactions }) => reactions[ben.user] === "👍");
  await bens.react(id, "");
  await untilMessage(adas, id, ({ reactions }) => Object.keys(reactions).length === 0);
  await adas.edit(id, "Hello");
  await untilMessage(bens, id, ({ text, editedAtMillis }) => text === "Hello" && editedAtMillis !== undefined);
  // Nobody edits what somebody else has written.
  await bens.edit(id, "Goodbye");
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
