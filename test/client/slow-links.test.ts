import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Runtime, runtimeWith, type SocketLike } from "../../src/client/runtime/runtime.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.js";
import { listen, newClient, sendText } from "./harness.js";

// A message takes several ping intervals to arrive.
const messageBytes = 3_000_000;
const pingSeconds = 1;
const pieceMillis = 80;

let relay: TestRelay;
let link: TcpProxy;
beforeAll(async () => {
  relay = await startRelay();
});
beforeEach(async () => {
  link = await startTcpProxy(Number(new URL(relay.url).port));
  return () => link.stop();
});
afterAll(() => relay.stop());

/** Platforms' own WebSockets say nothing of a frame that is not whole. */
const untold: Runtime["openSocket"] = async (url) => {
  const socket = await runtimeWith().openSocket(url);
  return new Proxy(socket, {
    get(target, name) {
      if (name === "bytesHeard") return undefined;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  }) as SocketLike;
};

async function receiveLarge(runtime: Partial<Runtime>, options: { transport?: "poll" } = {}) {
  const sender = await newClient(relay);
  const client = await newClient(relay, { url: `http://127.0.0.1:${link.port}`, runtime });
  const to = client.session()?.addresses[0] ?? "";
  await sender.send({ to, ciphertext: new Uint8Array(messageBytes).fill(65) });
  await sendText(sender, client, "behind it");
  link.delayMillis = pieceMillis;
  const listener = listen(client, { pingSeconds, ...options });
  await listener.until(({ texts }) => texts.length === 2);
  expect(listener.texts.map(({ length }) => length)).toEqual([messageBytes, "behind it".length]);
  return listener;
}

test("a message that takes longer than a ping interval arrives over the stream, because its bytes are a sign of life", async () => {
  const { statuses } = await receiveLarge({});
  expect(statuses.filter(({ state }) => state === "polling")).toEqual([]);
});

test("where a platform does not tell of bytes, it is polled after two streams have ended on it, and the stream goes on", async () => {
  const listener = await receiveLarge({ openSocket: untold });
  await listener.until(({ statuses }) => statuses.some(({ state }) => state === "polling"));
  link.delayMillis = 0;
  await listener.until(({ statuses }) => statuses.at(-1)?.state === "empty");
});

test("a poll lives for as long as bytes of its answer arrive", async () => {
  await receiveLarge({}, { transport: "poll" });
});
