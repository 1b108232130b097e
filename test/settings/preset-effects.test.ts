import { expect, test } from "vitest";
import { loadConfig } from "../../src/composition/config.js";
import { presets } from "../../src/settings/service.js";
import { call } from "../support/api.js";
import { demand, message, newDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";

const day = 86_400;

/** A relay as `serve --preset` begins it, whose devices bring no proof. */
async function withPreset(preset: string, work: (relay: TestRelay) => Promise<void>): Promise<void> {
  const { announcementsPerHour, newAddressesPerDay, ...of } = loadConfig({ PRESET: preset, DOMAIN: "relay.test" });
  const { maxAddressesPrefixFlow, maxAddressesRegistrationFlow } = of;
  const { firstAnnouncementsPerIpHour, firstAnnouncementsPerIpDay } = of;
  const seeds = Object.entries(presets[preset]?.settings ?? {}).flatMap(([group, keys]) =>
    Object.entries(keys).map(([key, value]) => [`SEED_${group}_${key}`.toUpperCase(), String(value)]),
  );
  const relay = await startRelay({
    ...{ announcementsPerHour, newAddressesPerDay, maxAddressesPrefixFlow, maxAddressesRegistrationFlow },
    ...{ firstAnnouncementsPerIpHour, firstAnnouncementsPerIpDay },
    seeds: Object.fromEntries(seeds),
  });
  await work(relay).finally(() => relay.stop());
}

test("messenger: friends at one table register together, and the founder writes to all of them at once", () =>
  withPreset("messenger", async (relay) => {
    const friends = [];
    for (let n = 0; n < 30; n++) friends.push(await newDevice(relay));
    await expect(newDevice(relay)).rejects.toThrow(/429/);
    const [founder, ...others] = friends;
    if (founder === undefined) throw new Error("there are thirty");
    // A Welcome and four texts for each.
    for (let round = 0; round < 5; round++) {
      const messages = others.map(({ address }) => message(relay, address));
      const sent = await call(relay, "sendMessageBatch", { token: founder.token, body: { messages } });
      expect(demand(sent).body.accepted_count).toBe(29);
    }
  }));

test("messenger: a phone that was off for a weekend gets what was sent to it, and an address for each contact", () =>
  withPreset("messenger", async (relay) => {
    const [friend, phone] = [await newDevice(relay), await newDevice(relay)];
    const { address } = phone;
    relay.clock.advance(3 * day);
    await friend.announce();
    expect((await friend.send(address)).status).toBe(202);
    for (let contact = 0; contact < 100; contact++) await phone.announce();
    const { messages } = demand(await phone.poll()).body;
    expect(messages).toHaveLength(1);
  }));

test("development: no limit by network address is met", () =>
  withPreset("development", async (relay) => {
    for (let n = 0; n < 40; n++) await newDevice(relay);
  }));
