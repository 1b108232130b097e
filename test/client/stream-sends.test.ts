import { afterAll, beforeAll, expect, test } from "vitest";
import { startRelay, type TestRelay } from "../support/relay.js";
import { holdSockets, hurriedSleep, listen, newClient, sendText } from "./harness.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ announcementsPerHour: 100, newAddressesPerDay: 100 });
});
afterAll(() => relay.stop());

/** A client that receives, and how often it sent by POST. */
async function streamingClient() {
  const sockets = holdSockets();
  let posts = 0;
  const fetched: typeof fetch = (url, init) => {
    if (init?.method === "POST" && String(url).endsWith("/v1/messages")) posts++;
    return fetch(url, init);
  };
  const client = await newClient(relay, {
    runtime: { fetch: fetched, openSocket: sockets.openSocket, sleep: hurriedSleep() },
  });
  const listener = listen(client);
  await listener.until(({ statuses }) => statuses.some(({ state }) => state === "empty"));
  return { client, listener, sockets, posts: () => posts };
}

test("a client whose stream is open sends over it, with the answer that a request would have", async () => {
  const { client, posts } = await streamingClient();
  const ben = await newClient(relay);
  expect(await sendText(client, ben, "one")).toMatchObject({ status: "queued", delivery_estimate: "delayed" });
  await Promise.all(Array.from({ length: 6 }, (_, i) => sendText(client, ben, `more ${i}`)));
  expect((await ben.poll()).messages).toHaveLength(7);
  expect(posts()).toBe(0);
});

test("a client that does not receive sends by POST, as one does whose stream has ended", async () => {
  const { client, listener, posts } = await streamingClient();
  const ben = await newClient(relay);
  await listener.receiving.stop();
  await sendText(client, ben, "by request");
  expect(posts()).toBe(1);
  expect((await ben.poll()).messages).toHaveLength(1);
});

test("a message that does not fit into a frame goes by POST", async () => {
  const { client, posts } = await streamingClient();
  const ben = await newClient(relay);
  await sendText(client, ben, "x".repeat(60_000));
  expect(posts()).toBe(1);
  expect((await ben.poll()).messages).toHaveLength(1);
});

test("what the relay refuses for good is thrown with its name, and not sent again", async () => {
  const { client, posts } = await streamingClient();
  const to = "2f1c6f1e-9a53-4c0e-8d0b-6d1f0c7a3b52@relay.test";
  const sending = client.send({ to, ciphertext: new Uint8Array(8), signature: new Uint8Array(64) });
  await expect(sending).rejects.toMatchObject({ name: "AnswerError", error: "ADDRESS_NOT_FOUND", status: 404 });
  expect(posts()).toBe(0);
});

test("a message whose stream breaks before its result has come goes by POST and arrives once", async () => {
  const { client, sockets, posts } = await streamingClient();
  const ben = await newClient(relay);
  sockets.deaf = true;
  const sending = sendText(client, ben, "once");
  await expect.poll(async () => (await ben.poll()).messages.length).toBe(1);
  sockets.break();
  expect(await sending).toMatchObject({ status: "queued" });
  expect(posts()).toBe(1);
  expect((await ben.poll()).messages).toHaveLength(1);
});

test("a message on the stream can be aborted, and arrives once when it is sent again with its id", async () => {
  const { client, sockets } = await streamingClient();
  const ben = await newClient(relay);
  const messageId = client.connection.newMessageId();
  const message = { to: ben.session()?.addresses[0] ?? "", ciphertext: new Uint8Array(8), messageId };
  sockets.deaf = true;
  const enough = new AbortController();
  const sending = client.send(message, { signal: enough.signal });
  await expect.poll(async () => (await ben.poll()).messages.length).toBe(1);
  enough.abort(new Error("enough"));
  await expect(sending).rejects.toThrow("enough");
  sockets.deaf = false;
  expect(await client.send(message)).toMatchObject({ status: "queued" });
  expect((await ben.poll()).messages).toHaveLength(1);
});

test("a client may ask for a larger window, which the relay is told in the auth frame", async () => {
  const frames: string[] = [];
  const sockets = holdSockets();
  sockets.loses = (frame) => {
    frames.push(frame);
    return false;
  };
  const ben = await newClient(relay, { runtime: { openSocket: sockets.openSocket } });
  const listener = listen(ben, { window: 1_000 });
  await listener.until(({ statuses }) => statuses.some(({ state }) => state === "empty"));
  expect(JSON.parse(frames[0] ?? "")).toMatchObject({ type: "auth", window: 1_000 });
});
