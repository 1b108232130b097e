import { newDevice, type TestDevice } from "./device.js";
import type { TestRelay } from "./relay.js";

/** Registers this many devices, one after the other. */
export async function newDevices(relay: TestRelay, count: number): Promise<TestDevice[]> {
  const devices: TestDevice[] = [];
  for (let i = 0; i < count; i++) devices.push(await newDevice(relay));
  return devices;
}
