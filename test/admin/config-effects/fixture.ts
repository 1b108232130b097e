import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Config } from "../../../src/composition/config.js";
import { logIn, startAdministered } from "../../support/admin.js";
import { call } from "../../support/api.js";
import { newDevice, type TestDevice } from "../../support/device.js";
import type { TestRelay } from "../../support/relay.js";

/** A relay whose configuration a test changes as an administrator does: over HTTP. */
export interface Fixture {
  relay: TestRelay;
  /** Changes one key, by its dotted name, for instance `registration.mode`. */
  set(name: string, value: string | number | boolean): Promise<void>;
  device(): Promise<TestDevice>;
  verify(device: TestDevice): Promise<void>;
  discovery(): Promise<Awaited<ReturnType<typeof call<"getDiscovery">>>["body"]>;
  stop(): Promise<void>;
}

export async function openFixture(overrides: Partial<Config> = {}): Promise<Fixture> {
  const { relay, admin } = await startAdministered({ adminConfigUpdatesPerHour: 10_000, ...overrides });
  return {
    relay,
    async set(name, value) {
      const [group = "", key = ""] = name.split(".");
      // Tests advance the time further than a session lasts.
      const { token } = await logIn(relay, admin);
      const { status, body } = await call(relay, "updateConfig", { token, body: { [group]: { [key]: value } } });
      expect([status, body.updated_fields]).toEqual([200, [name]]);
    },
    device: () => newDevice(relay),
    async verify({ deviceId }) {
      const { token } = await logIn(relay, admin);
      const body = { device_id: deviceId, reason: "test" };
      expect((await call(relay, "verifyDevice", { token, body })).status).toBe(200);
    },
    async discovery() {
      return (await call(relay, "getDiscovery")).body;
    },
    stop: () => relay.stop(),
  };
}

/** How many of `max` messages from one device to another are taken before one is refused for the device's limit. */
export async function sendable(from: TestDevice, to: TestDevice, max: number): Promise<number> {
  for (let sent = 0; sent < max; sent++) {
    const { status } = await from.send(to.address);
    if (status === 429) return sent;
    expect(status).toBe(202);
  }
  return max;
}

/** Waits for what a job of the relay does once it comes round. */
export async function eventually(done: () => Promise<boolean>, millis = 90_000): Promise<void> {
  const deadline = performance.now() + millis;
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error("it did not happen in time");
    await sleep(50);
  }
}
