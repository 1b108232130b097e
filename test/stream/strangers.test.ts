import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { newDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openDeviceStream, openStream, type TestStream } from "../support/stream.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({
    trustedProxies: ["127.0.0.1"],
    unauthenticatedStreamsPerIp: 2,
    ipv6SiteFactor: 2,
    unauthenticatedStreamsPerNode: 6,
    streamControlFramesAllowed: 5,
  });
});
afterAll(async () => relay.stop());

const forwarded = (address: string) => ({ headers: { "X-Forwarded-For": address } });
const openFrom = (address: string): Promise<TestStream> => openStream(relay.url, forwarded(address));
/** The status of the answer to a refused upgrade. */
async function statusFor(address: string): Promise<number | undefined> {
  const socket = new WebSocket(relay.streamUrl, forwarded(address));
  socket.on("error", () => socket.terminate());
  const [, answer] = await once(socket, "unexpected-response");
  socket.terminate();
  return answer.statusCode;
}

test("an IPv6 /48 holds a multiple of a /64's streams without a token, and keeps nobody else out", async () => {
  const device = await newDevice(relay);
  const own = await openDeviceStream(relay.url, device.token);
  const open: TestStream[] = [];
  for (const of of [1, 1, 2, 2]) open.push(await openFrom(`2001:db8:1:${of}::1`));
  expect(await statusFor("2001:db8:1:1::2")).toBe(429);
  expect(await statusFor("2001:db8:1:3::1")).toBe(429);
  for (const address of ["2001:db8:2:1::1", "192.0.2.1"]) open.push(await openFrom(address));

  // All places are taken: the stream that has been open for longest makes room, and its network has a place again.
  const newest = await openFrom("192.0.2.2");
  expect(await open[0]?.next("error")).toMatchObject({ error: "OVERLOADED" });
  await open[0]?.closed;
  const after = await openFrom("2001:db8:1:3::1");
  expect(await open[1]?.next("error")).toMatchObject({ error: "OVERLOADED" });

  own.send({ type: "ping", timestamp: 1 });
  await own.next("status");
  newest.send({ type: "auth", access_token: device.token });
  await newest.next("status");
  for (const stream of [...open.slice(2), newest, after]) await stream.close();
});

test.each([
  ["pongs that nobody asked for", (socket: WebSocket) => socket.pong()],
  ["pings", (socket: WebSocket) => socket.ping()],
])("a stream that sends too many %s is cut, with a token or without", async (_, send) => {
  const { token } = await newDevice(relay);
  const own = await openDeviceStream(relay.url, token);
  for (let sent = 0; sent < 5; sent++) send(own.socket);
  own.send({ type: "ping", timestamp: 1 });
  await own.next("status");
  for (const { socket, closed } of [own, await openStream(relay.url)]) {
    for (let sent = 0; sent < 6; sent++) send(socket);
    expect((await closed).code).toBe(1006);
  }
});
