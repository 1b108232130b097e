import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeEach, expect, test } from "vitest";
import { downloadBlob } from "../../src/client/blobs/blob-download.js";
import { connect } from "../../src/client/connection/connection.js";
import { AnswerError, ConnectionError } from "../../src/client/connection/failures.js";
import type { Runtime } from "../../src/client/runtime/runtime.js";
import { collectGarbage } from "../support/garbage.js";
import { until } from "../support/until.js";

// Node.js keeps a connection for an answer until its body is read, cancelled, or collected as garbage, which may take as long as the
// program runs.

const large = "x".repeat(8_000_000);
let answer: RequestListener;
/** Answers that are under way, by the server's view. */
let underWay: number;
/** How many connections the server has been given. */
let connections: number;
let url: string;
beforeEach(async () => {
  [underWay, connections] = [0, 0];
  const server = createServer((request, response) => {
    underWay += 1;
    response.on("close", () => {
      underWay -= 1;
    });
    answer(request, response);
  });
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return () => {
    server.closeAllConnections();
    server.close();
  };
});

const untilFree = () => until(async () => underWay === 0, "no connection is kept for an answer");
const callerWith = async (runtime: Partial<Runtime> = {}) =>
  (await connect({ url, domain: "relay.example", retries: { attempts: 1 }, runtime })).caller;
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => "no failure",
    (failure: unknown) => failure,
  );

const reference = () => ({
  file_id: `${"ab".repeat(32)}:5b8f2d1e-3c4a-4f6b-9d7e-0a1b2c3d4e5f`,
  file_size: 100_000,
  plaintext_hash: "cd".repeat(32),
  url: `${url}/v1/blobs/${"12".repeat(32)}`,
  key: "ef".repeat(32),
});

test("refusals are read to their end, so that their connections are used again", async () => {
  const refusal = { error: "OVERLOADED", code: 5001, message: "busy", details: large };
  answer = (_, response) =>
    response.writeHead(503, { "content-type": "application/json" }).end(JSON.stringify(refusal));
  const caller = await callerWith();
  for (let times = 0; times < 5; times++)
    expect(await failureOf(caller.call("getDiscovery"))).toBeInstanceOf(AnswerError);
  answer = (_, response) => response.writeHead(503).end(large);
  for (let times = 0; times < 5; times++)
    expect(await failureOf(caller.call("getDiscovery"))).toBeInstanceOf(ConnectionError);
  await untilFree();
  // The next request may come before the client has noticed that a connection is free.
  expect(connections).toBeLessThan(3);
});

test("an answer that does not come to its end is given up with the call", async () => {
  answer = (_, response) => void response.writeHead(200).write(large);
  const caller = await callerWith();
  expect(await failureOf(caller.call("getDiscovery", { timeoutSeconds: 1 }))).toBeInstanceOf(ConnectionError);
  const stop = new AbortController();
  const call = failureOf(caller.call("getDiscovery", { signal: stop.signal }));
  await until(async () => underWay > 0, "the answer has begun");
  stop.abort(new Error("enough"));
  expect(await call).toMatchObject({ message: "enough" });
  await untilFree();
});

test("an answer that the application's own fetch has dropped is given up with the call", async () => {
  answer = (_, response) => response.end(large);
  const caller = await callerWith({
    async fetch(...request) {
      await fetch(...request);
      throw new Error("the application does not like the answer");
    },
  });
  expect(await failureOf(caller.call("getDiscovery"))).toBeInstanceOf(ConnectionError);
  await untilFree();
});

test("a redirect and an answer of another size than the file's are given up with the download", async () => {
  const signals: (AbortSignal | null | undefined)[] = [];
  const runtime: Partial<Runtime> = {
    fetch(to, init) {
      signals.push(init.signal);
      return fetch(to, init);
    },
  };
  answer = (_, response) => void response.writeHead(307, { location: "/elsewhere" }).write(large);
  const caller = await callerWith(runtime);
  expect(await failureOf(caller.call("getDiscovery"))).toBeInstanceOf(ConnectionError);
  answer = (_, response) => void response.writeHead(200, { "content-length": large.length + 1 }).write(large);
  const stream = downloadBlob(reference(), { runtime });
  expect(await failureOf(new Response(stream).arrayBuffer())).toMatchObject({ reason: "changed" });
  // Otherwise it would be given up after a time of silence.
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, true]);
  await untilFree();
});

test("a download that is refused, cancelled or aborted holds no connection", async () => {
  answer = (_, response) => void response.writeHead(400).write(large);
  const refused = downloadBlob(reference(), { retries: { attempts: 1 } });
  expect(await failureOf(new Response(refused).arrayBuffer())).toBeInstanceOf(ConnectionError);
  await untilFree();
  answer = (_, response) => void response.writeHead(200).write("x");
  const reader = downloadBlob(reference()).getReader();
  const reading = reader.read();
  await until(async () => underWay > 0, "the answer has begun");
  await reader.cancel();
  await reading;
  await untilFree();
});

test("a download ends when the application's time for it is over, however often garbage is collected", async () => {
  let hasBegun = false;
  answer = (_, response) => {
    hasBegun = true;
    response.writeHead(200).write("x");
  };
  const reading = failureOf(
    new Response(downloadBlob(reference(), { signal: AbortSignal.timeout(3_000) })).arrayBuffer(),
  );
  // On a machine that stands still, the time may be over before the request has come.
  await Promise.race([until(async () => hasBegun, "the answer has begun"), reading]);
  collectGarbage();
  expect(await reading).toMatchObject({ name: "TimeoutError" });
  await untilFree();
});
