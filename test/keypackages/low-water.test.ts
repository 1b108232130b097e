import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demand, newDevice, type TestDevice } from "../support/device.js";
import { fetchPackage, newPackages, upload } from "../support/key-packages.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openStream, type TestStream } from "../support/stream.js";

let relay: TestRelay;
let second: TestRelay;
let caller: TestDevice;
beforeAll(async () => {
  relay = await startRelay();
  second = await startRelay({ ...relay.config }, { clock: relay.clock });
  caller = await newDevice(relay);
});
afterAll(async () => {
  await second.stop();
  await relay.stop();
});

async function open(device: TestDevice): Promise<{ stream: TestStream; first: number | undefined }> {
  const stream = await openStream(relay.url);
  stream.send({ type: "auth", access_token: device.token });
  return { stream, first: (await stream.next("status")).key_packages_remaining };
}

async function nextCount(stream: TestStream): Promise<number> {
  for (;;) {
    const { key_packages_remaining: remaining } = await stream.next("status");
    if (remaining !== undefined) return remaining;
  }
}

describe("a stream", () => {
  it("gets the number of key packages when it opens", async () => {
    const device = await newDevice(relay);
    const empty = await open(device);
    expect(empty.first).toBe(0);
    await empty.stream.close();
    await upload(relay, device, { packages: newPackages(25) });
    const full = await open(device);
    expect(full.first).toBe(25);
    await full.stream.close();
  });

  it("is notified of fetches, also on another node, once fewer than 20 are left", async () => {
    const device = await newDevice(relay);
    await upload(relay, device, { packages: newPackages(21) });
    const { stream } = await open(device);
    demand(await fetchPackage(second, caller, device.deviceId));
    demand(await fetchPackage(second, caller, device.deviceId));
    expect(await nextCount(stream)).toBe(19);
    demand(await fetchPackage(relay, caller, device.deviceId));
    expect(await nextCount(stream)).toBe(18);
    expect(stream.all("status").filter((frame) => frame.key_packages_remaining === 20)).toEqual([]);
    await stream.close();
  });

  it("is notified of an upload that leaves fewer than 20", async () => {
    const device = await newDevice(relay);
    const { stream } = await open(device);
    await upload(second, device, { packages: newPackages(5) });
    expect(await nextCount(stream)).toBe(5);
    await stream.close();
  });
});
