import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { ConnectionError } from "../../../src/client/index.js";
import type { Group, Groups, Message } from "../../../src/groups/index.js";
import { collectGarbage } from "../../support/garbage.js";
import { createPeerFixture, type PeerFixture, type PeerRelay } from "../../support/peers.js";
import { until } from "../../support/until.js";
import { groupOf, openPerson, roomy, untilHas, untilSame } from "../people.js";

// The operator of Mallory's relay answers those who read her files. Ben has the library as it is, at another relay.

let fixture: PeerFixture;
let relay: PeerRelay;
let other: PeerRelay;
beforeAll(async () => {
  fixture = await createPeerFixture();
  relay = await fixture.relay(roomy);
  other = await fixture.relay(roomy);
});
afterAll(() => fixture?.stop());

const piece = new TextEncoder().encode(`"${"x".repeat(65_534)}",`);
let given = 0;

/** An answer without an end, of which as much is noted as was read. */
function endless(begin: string, init: ResponseInit): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(begin)),
    pull(controller) {
      given += piece.length;
      if (given > 64 * 2 ** 20) return controller.error(new Error("all memory is full"));
      controller.enqueue(piece);
    },
  });
  return new Response(body, init);
}

const json = { headers: { "content-type": "application/json" } };
type Answer = (url: string, init?: RequestInit) => Response | Promise<Response> | undefined;
let answer: Answer | undefined;
const asTold: typeof fetch = async (url, init) => (await answer?.(String(url), init)) ?? fetch(url, init);

async function picture(): Promise<{ ben: Groups; bens: Group; message: Message }> {
  const ben = await openPerson(relay, "Ben", { runtime: { fetch: asTold } });
  const mallory = await openPerson(other, "Mallory");
  const hers = await mallory.create({ name: "Pictures" });
  await hers.add([ben.address]);
  const bens = await groupOf(ben, "Pictures");
  await untilSame([hers, bens]);
  await hers.attach(new Uint8Array(100_000), { name: "a.png", mediaType: "image/png", text: "a picture" });
  await untilHas(bens, "a picture");
  const [message] = (await bens.messages()) as [Message];
  return { ben, bens, message };
}

test("whatever the relay of a member answers about a file, little of it is read, and the device goes on", async () => {
  const { bens, message } = await picture();
  const read = () => new Response(bens.download(message, { retries: { attempts: 1 } })).arrayBuffer();
  const isAsked = (url: string) => url.includes("/.well-known/svc");
  const blob = (url: string, response: () => Response) =>
    url.includes("/.well-known/svc")
      ? Response.json({ base_url: other.url })
      : url.includes("/v1/blobs/")
        ? response()
        : undefined;
  const lies: [string, (url: string) => Response | undefined][] = [
    ["never ends where its blobs are", (url) => (isAsked(url) ? endless("[", json) : undefined)],
    ["never ends its refusal", (url) => blob(url, () => endless("[", { ...json, status: 400 }))],
    ["never ends the file", (url) => blob(url, () => endless("", { status: 200 }))],
    [
      "names a host in its network",
      (url) => (isAsked(url) ? Response.json({ base_url: "http://10.0.0.1" }) : undefined),
    ],
    ["names no host", (url) => (isAsked(url) ? Response.json(null) : undefined)],
    ["gives other bytes", (url) => blob(url, () => new Response(new Uint8Array(131_104)))],
    [
      "lies about the length",
      (url) => blob(url, () => new Response("x", { headers: { "content-length": "9".repeat(15) } })),
    ],
  ];
  for (const [what, lie] of lies) {
    given = 0;
    answer = lie;
    const outcome = await read().then(
      () => "read",
      (failure: unknown) => String(failure),
    );
    answer = undefined;
    expect([what, outcome]).toEqual([what, expect.not.stringMatching(/^read$|memory is full/)]);
    expect([what, given < 2 ** 20]).toEqual([what, true]);
  }
});

test("a download ends with the caller and with the device, also while the relay says nothing", async () => {
  const { ben, bens, message } = await picture();
  let asked = 0;
  answer = (url, init) => {
    if (!url.includes("/.well-known/svc")) return undefined;
    asked += 1;
    return new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  };
  const leaving = new AbortController();
  const [first, second] = [{ signal: leaving.signal }, {}].map((options) =>
    new Response(bens.download(message, options)).arrayBuffer().then(
      () => "read",
      () => "ended",
    ),
  );
  await until(async () => asked === 2, "the relay is asked");
  leaving.abort(new Error("enough"));
  expect(await first).toBe("ended");
  await ben.close();
  expect(await second).toBe("ended");
  answer = undefined;
});

test("a download that is cancelled while its relay is looked for ends the request, and makes no other", async () => {
  const { bens, message } = await picture();
  const asked: { path: string; signal: AbortSignal }[] = [];
  answer = (url, init) => {
    const signal = init?.signal as AbortSignal;
    asked.push({ path: new URL(url).pathname, signal });
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  onTestFinished(() => {
    answer = undefined;
  });
  const reader = bens.download(message).getReader();
  const reading = reader.read();
  const lookedFor = () => asked.filter(({ path }) => path === "/.well-known/svc");
  await until(async () => lookedFor().length === 1, "the relay is looked for");
  await reader.cancel(new Error("enough"));
  expect(await reading).toMatchObject({ done: true });
  expect(lookedFor().map(({ signal }) => signal.aborted)).toEqual([true]);
  expect(asked.filter(({ path }) => path.startsWith("/v1/blobs/"))).toEqual([]);
});

test("a relay that never says where its blobs are is given up, however often garbage is collected", async () => {
  const { bens, message } = await picture();
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (millis) => timeout(millis / 10);
  onTestFinished(() => {
    AbortSignal.timeout = timeout;
    answer = undefined;
  });
  let isAsked = false;
  answer = (url, init) => {
    if (!url.includes("/.well-known/svc")) return undefined;
    isAsked = true;
    return new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  };
  const reading = new Response(bens.download(message)).arrayBuffer();
  const outcome = reading.catch((failure: unknown) => failure);
  await until(async () => isAsked, "the relay is asked");
  collectGarbage();
  expect(await outcome).toBeInstanceOf(ConnectionError);
});
