import { expect, test } from "vitest";
import { newDevice } from "../support/device.js";
import { startRelay } from "../support/relay.js";
import { openDeviceStream, openStream } from "../support/stream.js";

test.each([
  ["over a time that grows with their number", { reconnectsPerSecond: 1 }, 10],
  ["over a limited time", { reconnectsPerSecond: 1, reconnectSpreadSeconds: 5 }, 6],
])("a relay that stops asks its streams to come back at random %s, and closes them with 1012", async (_, config, latest) => {
  const relay = await startRelay(config);
  const streams = [];
  for (let count = 0; count < 8; count++) {
    const device = await newDevice(relay);
    streams.push(await openDeviceStream(relay.url, device.token));
  }
  const idle = await openStream(relay.url);
  await relay.stop();
  const delays: number[] = [];
  for (const stream of [...streams, idle]) {
    expect(await stream.closed).toMatchObject({ code: 1012 });
    const farewell = stream.frames.at(-1);
    expect(farewell).toMatchObject({ type: "status", status: "reconnecting" });
    if (farewell?.type === "status") delays.push(farewell.retry_after ?? -1);
  }
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(1);
  expect(Math.max(...delays)).toBeLessThanOrEqual(latest);
  expect(new Set(delays).size).toBeGreaterThan(2);
});

test("a relay with a few streams asks them to come back together, a second later", async () => {
  const relay = await startRelay();
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  await relay.stop();
  await stream.closed;
  expect(stream.frames.at(-1)).toMatchObject({ status: "reconnecting", retry_after: 1 });
});

test("a client that ignores the closing handshake does not delay the stop", async () => {
  const relay = await startRelay();
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  stream.socket.pause();
  await relay.stop();
  stream.socket.terminate();
  await stream.closed;
});

test("a stream ends with 1012 once it has been open for as long as it may be", async () => {
  const relay = await startRelay({ connectionTimeoutSeconds: 600 });
  const device = await newDevice(relay);
  const stream = await openDeviceStream(relay.url, device.token);
  await stream.next("status");
  relay.clock.advance(590);
  await stream.none("status");
  relay.clock.advance(10);
  expect(await stream.next("status")).toMatchObject({ status: "reconnecting", retry_after: expect.any(Number) });
  expect(await stream.closed).toMatchObject({ code: 1012 });
  await relay.stop();
});

test("beyond the node's limit an upgrade is refused with 503", async () => {
  const relay = await startRelay({ streamsPerNode: 2 });
  const open = [await openStream(relay.url), await openStream(relay.url)];
  await expect(openStream(relay.url)).rejects.toThrow("503");
  await open[0]?.close();
  open.push(await openStream(relay.url));
  for (const stream of open) await stream.close();
  await relay.stop();
});
