import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demand, type TestDevice } from "../support/device.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import {
  establishedHours,
  newHours,
  report,
  type SpamFixture,
  sendAndReport,
  startSpamFixture,
  trustedHours,
} from "./fixture.js";

const day = 86_400;
let relay: SpamFixture;
let second: TestRelay;

beforeAll(async () => {
  relay = await startSpamFixture();
  second = await startRelay(relay.config, { clock: relay.clock });
});
afterAll(async () => {
  await second.stop();
  await relay.stop();
});

/** How the relay answers the device's next message, on either node. */
async function sendingOf(device: TestDevice, to: TestDevice) {
  const answers = await Promise.all(
    [relay, second].map((node) => {
      const body = { message_id: relay.freshId(), recipient_address: to.address };
      const rest = { mls_ciphertext: "AAAA", sender_signature: "ab".repeat(64), timestamp: relay.clock.nowSeconds() };
      return fetch(`${node.url}/v1/messages`, {
        method: "POST",
        headers: { authorization: `Bearer ${device.token}`, "content-type": "application/json" },
        body: JSON.stringify({ ...body, ...rest }),
      });
    }),
  );
  const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as Record<string, unknown>[];
  return answers.map(({ status }, i) => [status, bodies[i]?.["limit"], bodies[i]?.["reset_at"]]);
}

const free = [
  [202, undefined, undefined],
  [202, undefined, undefined],
];
const actions = async (device: TestDevice) =>
  (await relay.auditOf(device.deviceId)).map(({ action }) => action).filter((action) => action !== "spam_reported");

describe("a device reported by different devices", () => {
  it("is flagged at the third, and blocked at the fifth from its next message on, on every node", async () => {
    const [sender, ...reporters] = await relay.devices(6);
    for (const [i, reporter] of reporters.entries()) {
      expect(await sendingOf(sender as TestDevice, reporter)).toEqual(free);
      await sendAndReport(relay, sender as TestDevice, reporter);
      const noted = (await relay.auditOf(sender?.deviceId ?? "")).filter(({ action }) => action === "spam_reported");
      expect(noted.at(-1)?.details).toMatchObject({ reporters: i + 1, flagged: i >= 2 });
    }
    expect(await sendingOf(sender as TestDevice, reporters[0] as TestDevice)).toEqual([
      [429, 0, null],
      [429, 0, null],
    ]);
    expect(await actions(sender as TestDevice)).toEqual(["device_blocked"]);
    const { blocked_at, spam_reports } = await relay.stateOf(sender as TestDevice);
    expect([spam_reports, Math.abs((blocked_at ?? 0) - relay.clock.nowSeconds()) < 60]).toEqual([5, true]);
    relay.clock.advance(8 * day);
    for (const device of [sender, reporters[0]]) await device?.announce();
    expect(await sendingOf(sender as TestDevice, reporters[0] as TestDevice)).toEqual([
      [429, 0, null],
      [429, 0, null],
    ]);
  });

  it("is blocked only once when all of them report at once", async () => {
    const [sender, ...reporters] = await relay.devices(9);
    const sent = await Promise.all(reporters.map((to) => (sender as TestDevice).send(to.address)));
    await Promise.all(
      reporters.map((by, i) => {
        const about = { messageId: sent[i]?.body.message_id ?? "", sender: sender?.deviceId ?? "" };
        return report(i % 2 ? relay : second, by, about).then(demand);
      }),
    );
    expect((await relay.stateOf(sender as TestDevice)).spam_reports).toBe(8);
    expect(await actions(sender as TestDevice)).toEqual(["device_blocked"]);
  });

  it("is not blocked by devices that are New, which count once they are older and report again", async () => {
    const sender = await relay.device();
    const reporters = await relay.devices(5, newHours);
    for (const reporter of reporters) await sendAndReport(relay, sender, reporter);
    expect(await relay.stateOf(sender)).toMatchObject({ spam_reports: 5, blocked_at: null });
    relay.clock.advance(7 * 3600);
    for (const reporter of reporters.slice(1)) await sendAndReport(relay, sender, reporter);
    expect(await relay.stateOf(sender)).toMatchObject({ spam_reports: 9, blocked_at: null });
    await sendAndReport(relay, sender, reporters[0] as TestDevice);
    expect(await actions(sender)).toEqual(["device_blocked"]);
  });

  it("is not blocked by repeated reports of one device", async () => {
    const [sender, reporter] = [await relay.device(), await relay.device(trustedHours)];
    for (let i = 0; i < 12; i++) await sendAndReport(relay, sender, reporter);
    expect(await relay.stateOf(sender)).toMatchObject({ spam_reports: 12, blocked_at: null, banned_until: null });
  });

  it("is not blocked by devices that are blocked themselves", async () => {
    const sender = await relay.device();
    const reporters = await relay.devices(5);
    for (const { deviceId } of reporters.slice(1)) {
      await relay.db.run("update devices set blocked_at = 1 where device_id = :deviceId", { deviceId });
    }
    for (const reporter of reporters) await sendAndReport(relay, sender, reporter);
    expect(await relay.stateOf(sender)).toMatchObject({ spam_reports: 5, blocked_at: null });
  });

  it("that report each other at once do not disturb the relay", async () => {
    const devices = await relay.devices(4, newHours);
    const pairs = devices.flatMap((from) => devices.filter((to) => to !== from).map((to) => [from, to] as const));
    const answers = await Promise.all(pairs.map(([from, to]) => sendAndReport(relay, from, to)));
    expect(answers.map(({ status }) => status)).toEqual(pairs.map(() => 200));
    for (const device of devices) {
      expect(await relay.stateOf(device)).toMatchObject({ spam_reports: 3, spam_reports_by_device: 3 });
    }
  });
});

describe("if new devices count as well", () => {
  it("five of them block", async () => {
    const own = await startSpamFixture({ spamReporterMinTier: "new" });
    try {
      const [sender, ...reporters] = await own.devices(6, newHours);
      for (const reporter of reporters) await sendAndReport(own, sender as TestDevice, reporter);
      expect((await own.stateOf(sender as TestDevice)).blocked_at).not.toBeNull();
    } finally {
      await own.stop();
    }
  });
});

describe("if more reporters are required to block", () => {
  let own: SpamFixture;
  beforeAll(async () => {
    own = await startSpamFixture({ seeds: { SEED_PROGRESSIVE_TRUST_SPAM_REPORT_BLOCK_THRESHOLD: "20" } });
  });
  afterAll(() => own.stop());

  const reportedBy = async (sender: TestDevice, reporters: TestDevice[]) => {
    for (const reporter of reporters) await sendAndReport(own, sender, reporter);
  };

  it("a device is banned for 7 days when the score of its reports exceeds 3.5, and sends again after that", async () => {
    const [sender, reader, late] = [await own.device(), await own.device(), await own.device(trustedHours)];
    await reportedBy(sender, await own.devices(3, trustedHours));
    await reportedBy(sender, await own.devices(1, establishedHours));
    expect(await own.stateOf(sender)).toMatchObject({ spam_reports: 4, banned_until: null });
    const unreported = demand(await sender.send(late.address)).body.message_id;
    await reportedBy(sender, await own.devices(1, establishedHours));
    const { banned_until: until, blocked_at } = await own.stateOf(sender);
    expect(blocked_at).toBeNull();
    expect(Math.abs((until ?? 0) - own.clock.nowSeconds() - 7 * day)).toBeLessThan(60);
    const refused = await sender.send(reader.address);
    expect([refused.status, refused.body["limit"], refused.body["reset_at"]]).toEqual([429, 0, until]);
    expect((await own.auditOf(sender.deviceId)).at(-1)).toEqual({
      action: "device_banned",
      details: { reporters: 5, score: 4, until },
    });

    own.clock.advance(3600);
    demand(await report(own, late, { messageId: unreported, sender: sender.deviceId }));
    expect(await own.stateOf(sender)).toMatchObject({ spam_reports: 6, banned_until: until });
    own.clock.advance(7 * day - 3600);
    for (const device of [sender, reader]) await device.announce();
    expect((await sender.send(reader.address)).status).toBe(202);
  });

  it("reports of more than 7 days ago add nothing to the score", async () => {
    const sender = await own.device();
    const early = await own.devices(3, trustedHours);
    await reportedBy(sender, early);
    own.clock.advance(7 * day + 60);
    await sender.announce();
    await reportedBy(sender, await own.devices(3, trustedHours));
    expect(await own.stateOf(sender)).toMatchObject({ spam_reports: 6, banned_until: null });
    for (const reporter of early) await reporter.announce();
    await reportedBy(sender, early.slice(0, 1));
    expect((await own.stateOf(sender)).banned_until).not.toBeNull();
  });

  it("a reporter counts once in the score, by the highest tier that it reported in", async () => {
    const [sender, reporter] = [await own.device(), await own.device(establishedHours)];
    await reportedBy(sender, [reporter, reporter]);
    expect((await own.auditOf(sender.deviceId)).at(-1)?.details).toMatchObject({ reporters: 1, score: 0.5 });
    own.clock.advance(20 * 3600);
    await reportedBy(sender, [reporter]);
    expect((await own.auditOf(sender.deviceId)).at(-1)?.details).toMatchObject({ reporters: 1, score: 1 });
  });
});
