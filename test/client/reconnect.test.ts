import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeviceClient } from "../../src/client/device/client.js";
import { type Runtime, runtimeWith } from "../../src/client/runtime/runtime.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import {
  type HeldSockets,
  heldSleep,
  holdSockets,
  hurriedSleep,
  keysOf,
  type Listener,
  listen,
  newClient,
  sendText,
} from "./harness.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ announcementsPerHour: 100, newAddressesPerDay: 100 });
});
afterAll(() => relay.stop());

interface Away {
  client: DeviceClient;
  listener: Listener;
  sockets: HeldSockets;
}

/** A client whose stream has broken, and which waits for its next attempt until something wakes it. */
async function awayClient(runtime: Partial<Runtime> = {}): Promise<Away> {
  const sockets = holdSockets();
  const own = { openSocket: sockets.openSocket, sleep: heldSleep(), ...runtime };
  const client = await newClient(relay, { runtime: own });
  const listener = listen(client);
  await listener.until(isStreaming);
  sockets.refusing = true;
  sockets.break();
  await listener.until(({ statuses }) => statuses.at(-1)?.state === "reconnecting");
  sockets.refusing = false;
  return { client, listener, sockets };
}

const isStreaming = ({ statuses }: Listener) => statuses.some(({ state }) => state === "streaming");
const isStreamingAgain = ({ statuses }: Listener) => statuses.filter(({ state }) => state === "streaming").length === 2;

test("a call that is answered opens the stream again", async () => {
  const { client, listener } = await awayClient();
  await client.poll();
  await listener.until(isStreamingAgain);
});

test("an application opens the stream again by calling reconnectNow", async () => {
  const { client, listener } = await awayClient();
  listener.receiving.reconnectNow();
  await listener.until(isStreamingAgain);
  const ada = await newClient(relay);
  await sendText(ada, client, "back");
  await listener.until(({ texts }) => texts.length === 1);
});

test("the stream is opened again when the platform reports that the network or the page is back", async () => {
  const platform = new EventTarget();
  const { listener } = await awayClient({
    onResume: (resume, signal) => platform.addEventListener("resume", resume, { signal }),
  });
  platform.dispatchEvent(new Event("resume"));
  await listener.until(isStreamingAgain);
});

test("an attempt that leads nowhere is given up when the application says so", async () => {
  const sockets = holdSockets();
  let isHole = true;
  let attempts = 0;
  const openSocket: Runtime["openSocket"] = (url) => {
    attempts++;
    return isHole ? new Promise(() => undefined) : sockets.openSocket(url);
  };
  const client = await newClient(relay, { runtime: { openSocket, sleep: heldSleep() } });
  const listener = listen(client);
  await listener.until(() => attempts === 1);
  isHole = false;
  listener.receiving.reconnectNow();
  await listener.until(isStreaming);
});

test("an open stream is checked on request: one that answers stays, and one that does not is opened again", async () => {
  const sockets = holdSockets();
  const { sleep } = runtimeWith();
  const checks: (() => void)[] = [];
  const client = await newClient(relay, {
    runtime: {
      openSocket: sockets.openSocket,
      sleep(millis, signal) {
        if (millis !== 5_000) return sleep(millis, signal);
        return new Promise((resolve) => checks.push(resolve));
      },
    },
  });
  const listener = listen(client);
  const ada = await newClient(relay);
  // A stream that has only just opened is not checked.
  await listener.until(isStreaming);
  await sendText(ada, client, "on an open stream");
  await listener.until(({ texts }) => texts.length === 1);
  const before = sockets.received.length;
  listener.receiving.reconnectNow();
  expect(checks).toHaveLength(1);
  await listener.until(() => sockets.received.length > before);
  checks[0]?.();
  await sendText(ada, client, "on the same stream");
  await listener.until(({ texts }) => texts.length === 2);
  expect(sockets.opened).toHaveLength(1);

  sockets.deaf = true;
  listener.receiving.reconnectNow();
  await listener.until(() => checks.length === 2);
  checks[1]?.();
  await listener.until(({ statuses }) => statuses.at(-1)?.state === "reconnecting");
  sockets.deaf = false;
  await listener.until(isStreamingAgain);
});

/** A client of a relay that is away: its clock moves only when it waits. */
async function clientOfNobody(transport: "stream" | "poll") {
  let nowMillis = relay.clock.nowMillis();
  let isAway = false;
  const sockets = holdSockets();
  const { sleep } = runtimeWith();
  const client = await newClient(relay, {
    runtime: {
      openSocket: sockets.openSocket,
      nowMillis: () => nowMillis,
      async fetch(url, init) {
        if (isAway) throw new TypeError("fetch failed");
        return fetch(url, init);
      },
      async sleep(millis, signal) {
        // The time in which a stream must open is no wait.
        if (millis === 15_000) return sleep(millis, signal);
        await new Promise((resolve) => setImmediate(resolve));
        signal?.throwIfAborted();
        nowMillis += millis;
      },
    },
  });
  isAway = sockets.refusing = true;
  const begun = nowMillis;
  const listener = listen(client, { transport });
  const comeBack = () => {
    isAway = sockets.refusing = false;
  };
  return { client, listener, comeBack, passedMillis: () => nowMillis - begun };
}

test.each([
  "stream",
  "poll",
] as const)("while nothing answers, a client that wants to %s never waits long", async (transport) => {
  const { listener, comeBack, passedMillis } = await clientOfNobody(transport);
  await listener.until(() => passedMillis() > 45_000);
  const waits = () => listener.statuses.flatMap((status) => ("afterMillis" in status ? [status.afterMillis] : []));
  expect(Math.max(...waits())).toBeLessThanOrEqual(3_000);
  await listener.until(() => passedMillis() > 3_600_000);
  expect(Math.max(...waits())).toBeLessThanOrEqual(30_000);
  expect(Math.max(...waits())).toBeGreaterThan(15_000);
  comeBack();
  if (transport === "stream") await listener.until(isStreaming);
  else
    await listener.until(({ statuses }) =>
      statuses.some((status) => "afterMillis" in status && status.afterMillis > 30_000),
    );
});

/** What a proxy answers in the relay's place while it is set. */
function proxied(): { fetch: Runtime["fetch"]; answer: { status: number; retryAfter?: string } | undefined } {
  const proxy: ReturnType<typeof proxied> = {
    answer: undefined,
    async fetch(url, init) {
      if (proxy.answer === undefined) return globalThis.fetch(url, init);
      const { status, retryAfter } = proxy.answer;
      const headers = { "content-type": "text/html", ...(retryAfter !== undefined && { "retry-after": retryAfter }) };
      return new Response("<html></html>", { status, headers });
    },
  };
  return proxy;
}

const failedTries = ({ statuses, problems }: Listener) =>
  statuses.filter(({ state }) => state === "reconnecting").length + problems.length;

for (const transport of ["stream", "poll"] as const) {
  test.each([
    401, 403, 404, 407, 408, 421, 451, 200,
  ])(`what a proxy answers does not end receiving by ${transport}, at a token's renewal neither: %i`, async (status) => {
    const [proxy, sockets] = [proxied(), holdSockets()];
    const first = await newClient(relay);
    const session = { ...first.session(), expiresAt: 1 } as NonNullable<ReturnType<DeviceClient["session"]>>;
    const runtime = { fetch: proxy.fetch, openSocket: sockets.openSocket, sleep: hurriedSleep({ polls: true }) };
    const client = await newClient(relay, { keys: keysOf(first), announced: false, session, runtime });
    proxy.answer = { status };
    sockets.refusing = true;
    const listener = listen(client, { transport });
    await listener.until((all) => failedTries(all) > 2);
    await sendText(await newClient(relay), first, "after it");
    proxy.answer = undefined;
    sockets.refusing = false;
    await listener.until(({ texts }) => texts.length === 1);
  });
}

test.each([
  "2592000",
  "999999999",
  "99999999999999",
])("a proxy's Retry-After of %s seconds is cut to five minutes, and any answer of the relay ends it", async (retryAfter) => {
  const proxy = proxied();
  const waits: number[] = [];
  const sleep: Runtime["sleep"] = (millis, signal) => {
    waits.push(millis);
    return heldSleep()(millis, signal);
  };
  const client = await newClient(relay, { runtime: { fetch: proxy.fetch, sleep } });
  proxy.answer = { status: 503, retryAfter };
  const listener = listen(client, { transport: "poll" });
  await listener.until(({ statuses }) => statuses.length > 0);
  expect(Math.max(...waits)).toBeLessThanOrEqual(300_000);
  proxy.answer = undefined;
  await sendText(client, client, "after it");
  await listener.until(({ texts }) => texts.length === 1);
});

test("a wait that no timer holds does not end at once", async () => {
  const over = new AbortController();
  const waiting = runtimeWith().sleep(2 ** 40, over.signal);
  const first = await Promise.race([
    waiting.then(() => "ended"),
    new Promise((done) => setImmediate(() => setTimeout(done, 5))),
  ]);
  expect(first).toBeUndefined();
  over.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
});
