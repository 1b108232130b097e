import { randomBytes } from "node:crypto";
import { getEventListeners } from "node:events";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { answerShapes } from "../../generated/answer-shapes.js";
import { calls } from "../../generated/calls.js";
import type { CallOptions } from "../../src/client/connection/calls.js";
import { connect } from "../../src/client/connection/connection.js";
import { AnswerError, ConnectionError, isAnswer } from "../../src/client/connection/failures.js";
import { connectDevice, type DeviceClient } from "../../src/client/device/client.js";
import { uploadKeyPackages } from "../../src/client/keys/key-packages.js";
import { unlessAborted } from "../../src/client/runtime/abort.js";
import type { Runtime } from "../../src/client/runtime/runtime.js";
import { readSlot } from "../../src/client/slots/slot-reader.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { keysOf, newClient, sendText } from "./harness.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ deviceTokenSeconds: 1_000, deviceSessionSeconds: 4_000, announcementsPerHour: 100 });
});
afterAll(() => relay.stop());

/** What a request meets instead of its way to the relay and back. */
type Fault = "lost on the way" | "answer lost" | { status: number; body: object; retryAfter?: number };

/** The relay behind a bad line: the first requests to a path meet these faults, one each. */
function badLine(path: string, faults: Fault[]): { fetch: Runtime["fetch"]; requests: string[] } {
  const requests: string[] = [];
  const fetch: Runtime["fetch"] = async (url, init) => {
    const isMeant = new URL(url).pathname === path;
    if (isMeant) requests.push(path);
    const fault = isMeant ? faults.shift() : undefined;
    if (fault === undefined) return globalThis.fetch(url, init);
    if (fault === "lost on the way") throw new TypeError("fetch failed");
    if (fault === "answer lost") {
      await (await globalThis.fetch(url, init)).text();
      throw new TypeError("terminated");
    }
    const headers = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
    return Response.json(fault.body, { status: fault.status, headers });
  };
  return { fetch, requests };
}

const overloaded = { error: "OVERLOADED", code: 5001, message: "busy" };
const limited = { error: "RATE_LIMIT_EXCEEDED", code: 4004, message: "enough", limit: 10, reset_at: 1 };

function noted(waits: number[]): Runtime["sleep"] {
  return async (millis) => void waits.push(millis);
}

test("a message whose answer was lost is sent again, and delivered once", async () => {
  const line = badLine("/v1/messages", ["answer lost", "lost on the way"]);
  const ada = await newClient(relay, { runtime: { fetch: line.fetch, sleep: noted([]) } });
  const ben = await newClient(relay);
  await sendText(ada, ben, "once");
  expect(line.requests).toHaveLength(3);
  expect((await ben.poll()).messages).toHaveLength(1);
});

test("waits have full jitter, doubled each time, on top of what Retry-After asks for", async () => {
  const waits: number[] = [];
  const refusal = { status: 503, body: overloaded };
  const line = badLine("/v1/messages", [{ ...refusal, retryAfter: 3 }, refusal, { ...refusal, retryAfter: 0 }]);
  const ada = await newClient(relay, { runtime: { fetch: line.fetch, sleep: noted(waits), fraction: () => 0.5 } });
  await sendText(ada, await newClient(relay), "at last");
  expect(waits).toEqual([3_250, 500, 1_000]);
});

test("a wait that is too long is left to the caller, with all that the relay said", async () => {
  const line = badLine("/v1/messages", [{ status: 429, body: limited, retryAfter: 1_800 }]);
  const ada = await newClient(relay, { runtime: { fetch: line.fetch } });
  const failure = await sendText(ada, await newClient(relay), "too much").catch((problem: unknown) => problem);
  expect(failure).toBeInstanceOf(AnswerError);
  expect(failure).toMatchObject({ status: 429, retryAfterSeconds: 1_800, extras: { limit: 10, reset_at: 1 } });
  expect(line.requests).toHaveLength(1);
});

test("what is not safe to do twice is not repeated when its answer is lost", async () => {
  const line = badLine("/api/v1/announce", ["answer lost"]);
  const client = await newClient(relay, { announced: false, runtime: { fetch: line.fetch } });
  await expect(client.register({ admission: { by: "nothing" } })).rejects.toBeInstanceOf(ConnectionError);
  expect(line.requests).toHaveLength(1);
});

test("attempts end, and the last failure is thrown", async () => {
  const line = badLine("/v1/messages", Array(9).fill("lost on the way"));
  const ada = await newClient(relay, {
    runtime: { fetch: line.fetch, sleep: noted([]) },
    retries: { attempts: 3 },
  });
  await expect(ada.poll()).rejects.toBeInstanceOf(ConnectionError);
  expect(line.requests).toHaveLength(3);
});

/** What something between the client and the relay answers. */
function inBetween(status: number, body: string, headers: Record<string, string>): Response {
  return new Response([204, 304].includes(status) ? null : body, { status, headers });
}

const html = { "content-type": "text/html" };
const json = { "content-type": "application/json" };
const refusalsOfOthers: [string, number, string, Record<string, string>][] = [
  ...[400, 401, 403, 404, 407, 408, 410, 413, 418, 421, 429, 451, 500, 502, 503, 504, 520].map(
    (status): [string, number, string, Record<string, string>] => [
      `${status} with HTML`,
      status,
      "<html></html>",
      html,
    ],
  ),
  ["401 with another's JSON", 401, '{"error":"Unauthorized","code":401,"message":"log in"}', json],
  ["404 with a name but no number", 404, '{"error":"NOT_FOUND","message":"no route"}', json],
  ["404 with the number of the status", 404, '{"error":"NOT_FOUND","code":404,"message":"no route"}', json],
  ["403 with JSON that is none", 403, "{", json],
  ["418 with a list", 418, '["teapot"]', json],
];
const successesOfOthers: [string, number, string, Record<string, string>][] = [
  ["200 with HTML", 200, "<html>maintenance</html>", html],
  ["200 with nothing", 200, "", {}],
  ["204", 204, "", {}],
  ["304", 304, "", {}],
  ["200 with {}", 200, "{}", json],
  ["202 with {}", 202, "{}", json],
  ["202 with null", 202, "null", json],
  ["202 with a list", 202, "[]", json],
  ["206", 206, "{}", json],
];

test.each([
  ...refusalsOfOthers,
  ...successesOfOthers,
])("%s is no answer of a relay", async (_, status, body, headers) => {
  let isInBetween = false;
  const fetch: Runtime["fetch"] = async (url, init) =>
    isInBetween ? inBetween(status, body, { "retry-after": "7", ...headers }) : globalThis.fetch(url, init);
  const ada = await newClient(relay, { runtime: { fetch }, retries: { attempts: 1 } });
  const to = ada.session()?.addresses[0] ?? "";
  const session = ada.session();
  isInBetween = true;
  const ciphertext = new Uint8Array(8);
  const attempts: (() => Promise<unknown>)[] = [
    () => ada.send({ to, ciphertext }),
    () => ada.sendBatch([{ to, ciphertext }]),
    () => ada.sendToGroup({ to: [to], ciphertext }),
    () => ada.acknowledge([ada.connection.newMessageId()]),
    () => ada.poll(),
    () => ada.addresses(),
    () => ada.limits(),
    () => ada.renewAddresses(),
    () => ada.endAddress(to),
    () => uploadKeyPackages(ada, [ciphertext]),
    () => ada.call("refreshDeviceToken"),
    () => ada.push.status(),
    () => connectDevice({ url: relay.url, keys: keysOf(ada), runtime: { fetch }, retries: { attempts: 1 } }),
  ];
  for (const call of attempts) {
    const failure = await call().catch((problem: unknown) => problem);
    expect(failure).toBeInstanceOf(ConnectionError);
    expect(failure).toMatchObject({ status, retryAfterSeconds: 7 });
  }
  expect(ada.session()?.accessToken).toBe(session?.accessToken);
  isInBetween = false;
  expect((await ada.poll()).messages).toEqual([]);
});

test.each([200, 404])("no operation takes a page with %i for its answer", async (status) => {
  let isInBetween = false;
  const fetch: Runtime["fetch"] = async (url, init) =>
    isInBetween ? inBetween(status, "<html></html>", html) : globalThis.fetch(url, init);
  const ada = await newClient(relay, { runtime: { fetch }, retries: { attempts: 1 } });
  const call = ada.call as unknown as (operation: string, input: object) => Promise<unknown>;
  isInBetween = true;
  for (const operation of Object.keys(answerShapes) as (keyof typeof answerShapes)[]) {
    const names = [...calls[operation].path.matchAll(/:(\w+)/g)].map(([, name]) => [name, "a"]);
    const failure = await call(operation, { path: Object.fromEntries(names) }).catch((problem: unknown) => problem);
    expect(failure, operation).toBeInstanceOf(ConnectionError);
  }
});

test.each([404, 429, 502])("a repeatable call is tried again after a proxy's %i", async (status) => {
  const waits: number[] = [];
  let proxied = 2;
  const fetch: Runtime["fetch"] = async (url, init) =>
    new URL(url).pathname === "/v1/messages" && proxied-- > 0
      ? inBetween(status, "<html></html>", html)
      : globalThis.fetch(url, init);
  const ada = await newClient(relay, { runtime: { fetch, sleep: noted(waits) } });
  await sendText(ada, ada, "through");
  expect(waits).toHaveLength(2);
});

test("a ConnectionError says what is wrong", async () => {
  const cause = Object.assign(new Error("self-signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  const failing: Runtime["fetch"] = async () => Promise.reject(new TypeError("fetch failed", { cause }));
  const unreachable = newClient(relay, { runtime: { fetch: failing }, retries: { attempts: 1 } });
  await expect(unreachable).rejects.toThrow("no answer from the relay: self-signed certificate");
  await expect(connect({ url: "http://127.0.0.1:9", retries: { attempts: 1 } })).rejects.toThrow(/refused|bad port/i);
});

test("a browser's own fetch may be handed over as it is", async () => {
  // As browsers do: they refuse it as a method of anything but the page.
  const fetch = function (this: unknown, url: string, init: RequestInit): Promise<Response> {
    if (this !== undefined && this !== globalThis) throw new TypeError("Illegal invocation");
    return globalThis.fetch(url, init);
  };
  const ada = await newClient(relay, { runtime: { fetch } });
  expect(ada.session()?.addresses).toHaveLength(1);
});

test("an aborted call ends with the signal's reason", async () => {
  const ada = await newClient(relay);
  const reason = new Error("enough");
  await expect(ada.call("pollMessages", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test("each way to send and to receive can be aborted, even while the relay does not answer", async () => {
  let isAway = false;
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const away: Runtime["fetch"] = (_, { signal }) =>
    unlessAborted(unlessAborted(new Promise<never>(() => {}), over.signal), signal ?? undefined);
  const ada = await newClient(relay, { runtime: { fetch: (url, init) => (isAway ? away : fetch)(url, init) } });
  const to = ada.session()?.addresses[0] ?? "";
  const ciphertext = new Uint8Array(8);
  isAway = true;
  const ways: ((options: CallOptions) => Promise<unknown>)[] = [
    (options) => ada.send({ to, ciphertext }, options),
    (options) => ada.sendBatch([{ to, ciphertext }], options),
    (options) => ada.sendToGroup({ to: [to], ciphertext }, options),
    (options) => ada.poll({}, options),
    (options) => ada.acknowledge([ada.connection.newMessageId()], options),
    (options) => ada.limits(options),
  ];
  for (const way of ways) {
    const reason = new Error("enough");
    await expect(way({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const later = new AbortController();
    const calling = way({ signal: later.signal });
    setImmediate(() => later.abort(reason));
    await expect(calling).rejects.toBe(reason);
  }
});

test("many calls may share a signal, which forgets them when they end", async () => {
  const ada = await newClient(relay);
  const { signal } = new AbortController();
  const slots = Array.from({ length: 30 }, () => randomBytes(32).toString("hex"));
  const shared = slots.flatMap((slot) => [
    ada.limits({ signal }),
    readSlot(ada, { slot, domain: undefined }, { signal }),
  ]);
  const warnings: string[] = [];
  const warn = ({ name }: Error) => void warnings.push(name);
  process.on("warning", warn);
  onTestFinished(() => void process.off("warning", warn));
  const most = { listeners: 0 };
  const watching = setInterval(() => {
    most.listeners = Math.max(most.listeners, getEventListeners(signal, "abort").length);
  }, 1);
  await Promise.all(shared).finally(() => clearInterval(watching));
  expect(most.listeners).toBe(1);
  // A joined signal stays in memory while it has a listener.
  expect(getEventListeners(signal, "abort")).toEqual([]);
  expect(warnings).toEqual([]);
});

test("a token is renewed before it expires, once for all who ask at the same time", async () => {
  const line = badLine("/v1/auth/refresh", []);
  const sessions: string[] = [];
  const client = await newClient(relay, {
    runtime: { fetch: line.fetch },
    onSession: ({ accessToken }) => sessions.push(accessToken),
  });
  await client.poll();
  expect(line.requests).toHaveLength(0);
  relay.clock.advance(800);
  await Promise.all(Array.from({ length: 20 }, () => client.poll()));
  expect(line.requests).toHaveLength(1);
  expect(new Set(sessions).size).toBe(2);
});

test("a renewal that fails is no harm while the token is good", async () => {
  const line = badLine("/v1/auth/refresh", Array(9).fill("lost on the way"));
  const client = await newClient(relay, { runtime: { fetch: line.fetch, sleep: noted([]) } });
  relay.clock.advance(800);
  expect((await client.poll()).messages).toEqual([]);
  expect(line.requests.length).toBeGreaterThan(0);
});

test("a session that can be prolonged no further is followed by a new announcement of the same addresses", async () => {
  const line = badLine("/api/v1/device/announce", []);
  const client = await newClient(relay, { runtime: { fetch: line.fetch } });
  const { addresses } = client.session() ?? {};
  for (let passed = 0; passed < 5_000; passed += 800) {
    relay.clock.advance(800);
    await client.poll();
  }
  expect(line.requests).toHaveLength(1);
  expect(client.session()?.addresses).toEqual(addresses);
});

test("a token that was revoked is replaced on the way", async () => {
  const client = await newClient(relay);
  const stale = client.session();
  relay.clock.advance(2);
  await client.register({ admission: { by: "nothing" }, revokeOthers: true });
  relay.clock.advance(2);
  const restored = await newClient(relay, { keys: keysOf(client), announced: false, session: stale });
  expect((await restored.poll()).messages).toEqual([]);
  expect(restored.session()?.accessToken).not.toBe(stale?.accessToken);
});

test("calls have the types of the contract", () => {
  // The compiler is the test: an unused expectation of an error is an error.
  const wrong = async (client: DeviceClient) => {
    // @ts-expect-error no such operation
    await client.call("sendMassage", { body: {} });
    // @ts-expect-error the body is missing
    await client.call("sendMessage");
    // @ts-expect-error a member of another type
    await client.call("acknowledgeMessages", { body: { message_ids: "a" } });
    // @ts-expect-error a member too many
    await client.call("acknowledgeMessages", { body: { message_ids: [], extra: 1 } });
    // @ts-expect-error the path's parameter is missing
    await client.call("acknowledgeMessage", {});
    // @ts-expect-error an unknown query parameter
    await client.call("pollMessages", { query: { page: 1 } });
    // @ts-expect-error no such error in the catalogue
    if (isAnswer(new Error("any"), "NO_SUCH")) return;
    // @ts-expect-error no such member of the answer
    return (await client.call("pollMessages")).news;
  };
  expect(wrong).toBeTypeOf("function");
});
