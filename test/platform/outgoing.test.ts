import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type LookupFunction, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { allowSlowAddresses, openConnection } from "../../src/platform/net/outgoing.js";

// A full queue of a listening socket drops what opens a connection. The kernel sends it again after a second, as over a path on which a
// packet was lost.

let server: ChildProcess;
let port: number;
const filling: Socket[] = [];

beforeAll(async () => {
  const program = `
    const server = require("node:net").createServer(() => {});
    server.listen({ host: "127.0.0.1", port: 0, backlog: 1 }, () => console.log(server.address().port));`;
  server = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(server.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  port = Number(line.toString());
});
afterAll(async () => {
  for (const socket of filling) socket.destroy();
  server.kill("SIGKILL");
  await once(server, "exit");
});

/** The relay's machine has no IPv6, and nothing listens at the second address. */
const dualStack: LookupFunction = (_host, _options, callback) =>
  callback(null, [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ]);

it("a name with a slow and an unreachable address is reached", async () => {
  allowSlowAddresses();
  server.kill("SIGSTOP");
  for (let i = 0; i < 3; i++) filling.push(connect(port, "127.0.0.1").on("error", () => undefined));
  await Promise.all(filling.slice(0, 2).map((socket) => once(socket, "connect")));
  const socket = connect({ host: "relay.test", port, lookup: dualStack });
  filling.push(socket);
  const connected = once(socket, "connect");
  await sleep(500);
  server.kill("SIGCONT");
  await connected;
  expect(socket.remoteAddress).toBe("127.0.0.1");
});

it("a connection is given up when the caller stops", async () => {
  const stopping = new AbortController();
  const opening = openConnection({ host: "127.0.0.1", port }, stopping.signal);
  stopping.abort(new Error("stopped"));
  await expect(opening).rejects.toThrow("stopped");
  await expect(openConnection({ host: "127.0.0.1", port }, stopping.signal)).rejects.toThrow("stopped");
});
