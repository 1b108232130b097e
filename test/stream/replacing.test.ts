import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openDeviceStream, openStream } from "../support/stream.js";
import { until } from "../support/until.js";

let here: TestRelay;
let there: TestRelay;
let sender: TestDevice;
beforeAll(async () => {
  here = await startRelay({ seeds: { SEED_RATE_LIMITING_ENABLED: "false" } });
  there = await startRelay(here.config, { clock: here.clock });
  sender = await newDevice(here);
});
afterAll(async () => {
  await there.stop();
  await here.stop();
});

test.each([
  ["the same node", () => here],
  ["another node", () => there],
])("a newer stream on %s replaces the older one, which is notified and gets nothing more", async (_, node) => {
  const device = await newDevice(here);
  const older = await openDeviceStream(here.url, device.token);
  await older.next("status");
  const newer = await openDeviceStream(node().url, device.token);
  expect(await older.next("status")).toMatchObject({ status: "disconnected" });
  expect(await older.closed).toMatchObject({ code: 4009 });
  await wait(300);
  const id = demand(await sender.send(device.address)).body.message_id;
  expect((await newer.next("message")).data.message_id).toBe(id);
  expect(older.all("message")).toEqual([]);
  expect(await newer.ack(id)).toBe(true);
  await newer.close();
});

test("a message queued on one node is pushed by the other", async () => {
  const device = await newDevice(here);
  const stream = await openDeviceStream(there.url, device.token);
  await stream.next("status");
  const { message_id: id, delivery_estimate: estimate } = demand(await sender.send(device.address)).body;
  expect(estimate).toBe("immediate");
  expect((await stream.next("message")).data.message_id).toBe(id);
  await stream.close();
});

async function estimateFor(device: TestDevice): Promise<string> {
  return demand(await sender.send(device.address)).body.delivery_estimate;
}

test("a replaced stream that ends late does not remove the newer one", async () => {
  const device = await newDevice(here);
  const older = await openDeviceStream(here.url, device.token);
  older.socket.pause();
  const newer = await openDeviceStream(there.url, device.token);
  await wait(300);
  older.socket.terminate();
  await wait(500);
  const { message_id: id, delivery_estimate: estimate } = demand(await sender.send(device.address)).body;
  expect(estimate).toBe("immediate");
  expect((await newer.next("message")).data.message_id).toBe(id);
  await newer.close();
  await until(async () => (await estimateFor(device)) === "delayed", "the stream has ended");
});

test("after five replacements within a minute a newer stream is refused and the current one stays", async () => {
  const device = await newDevice(here);
  const nodes = [here, there];
  let stream = await openDeviceStream(here.url, device.token);
  for (let replacement = 1; replacement <= 5; replacement++) {
    stream = await openDeviceStream((nodes[replacement % 2] as TestRelay).url, device.token);
  }
  const refused = await openStream(here.url);
  refused.send({ type: "auth", access_token: device.token });
  const error = await refused.next("error");
  expect(error).toMatchObject({ error: "RATE_LIMIT_EXCEEDED", code: 4004 });
  expect(error.retry_after).toBeGreaterThan(0);
  expect(error.retry_after).toBeLessThanOrEqual(60);
  expect(await refused.closed).toMatchObject({ code: 4029 });
  const id = demand(await sender.send(device.address)).body.message_id;
  expect((await stream.next("message")).data.message_id).toBe(id);
  here.clock.advance(61);
  const later = await openDeviceStream(here.url, device.token);
  expect(await stream.closed).toMatchObject({ code: 4009 });
  await later.close();
});

test("connecting again after an orderly close is no replacement", async () => {
  const device = await newDevice(here);
  for (let count = 0; count < 8; count++) {
    const stream = await openDeviceStream(here.url, device.token);
    await stream.close();
    await until(async () => (await estimateFor(device)) === "delayed", "the stream has ended");
  }
  const last = await openDeviceStream(here.url, device.token);
  await last.close();
});

test("messages that the older stream had not acknowledged are pushed again by the newer one", async () => {
  const device = await newDevice(here);
  const id = demand(await sender.send(device.address)).body.message_id;
  const older = await openDeviceStream(here.url, device.token);
  expect((await older.next("message")).data.message_id).toBe(id);
  const newer = await openDeviceStream(there.url, device.token);
  expect((await newer.next("message")).data.message_id).toBe(id);
  await older.closed;
  await newer.close();
});
