import { randomUUID } from "node:crypto";
import { access, readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createOriginFixture, deliver, type OriginFixture, outcomeOf, tokenFor } from "../federation/origin-fixture.js";
import { tryUpload } from "../infopackages/fixture.js";
import { challengeFor, newKeys, randomHex, register } from "../registration/wire.js";
import { adminKeys, logIn } from "../support/admin.js";
import { call } from "../support/api.js";
import { announcement, demand, message, newDevice, type TestDevice } from "../support/device.js";
import { newPackages, packageStatus, upload } from "../support/key-packages.js";
import { openAddress, openingBody, pollBlob } from "../support/provisioning.js";
import { limitsOf } from "../support/rate-limit-headers.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { openDeviceStream } from "../support/stream.js";
import { until } from "../support/until.js";

// The specification's table of limits, row by row, at the defaults: the last value that is taken and the first that is not. Rows whose
// consequence thresholds.test.ts reaches, and those that another test holds, are named below.

const [minute, hour, day] = [60, 3600, 86_400];
const keys = adminKeys("all");

let origins: OriginFixture;
let relay: TestRelay;
/** On which a month passes. */
let calendar: TestRelay;
/** That wants proofs. */
let guarded: TestRelay;

beforeAll(async () => {
  origins = await createOriginFixture();
  relay = await startRelay({ ...origins.config, adminList: keys.seed });
  calendar = await startRelay({ adminList: keys.seed });
  guarded = await startRelay({ seeds: { SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "true" } });
});
afterAll(async () => {
  for (const one of [relay, calendar, guarded]) await one.stop();
  await origins.stop();
});

const admin = async (at: TestRelay = relay) => (await logIn(at, keys)).token;
const messagesFor = (device: TestDevice, count: number) =>
  Array.from({ length: count }, () => message(relay, device.address));

async function verified(): Promise<TestDevice> {
  const device = await newDevice(relay);
  const body = { device_id: device.deviceId, reason: "known in person" };
  demand(await call(relay, "verifyDevice", { token: await admin(), body }));
  return device;
}

/** A device of the calendar that comes back each day, for so many days. */
async function afterDays(days: number, device: TestDevice): Promise<void> {
  for (let n = 0; n < days; n++) {
    calendar.clock.advance(day);
    await device.announce();
  }
}

const rows: Record<string, [string, () => Promise<unknown>, unknown][]> = {
  "Batch send": [
    [
      "100 messages",
      async () => {
        const [sender, recipient] = [await verified(), await newDevice(relay)];
        const batch = async (count: number) => {
          const messages = messagesFor(recipient, count);
          return outcomeOf(await call(relay, "sendMessageBatch", { token: sender.token, body: { messages } }));
        };
        return [await batch(101), await batch(100)];
      },
      ["400 INVALID_REQUEST", "202"],
    ],
  ],
  "Poll page": [
    [
      "100 messages, and 1,000 at most",
      async () => {
        const [sender, recipient] = [await verified(), await newDevice(relay)];
        for (const count of [100, 1]) {
          const messages = messagesFor(recipient, count);
          demand(await call(relay, "sendMessageBatch", { token: sender.token, body: { messages } }));
        }
        const page = async (limit?: number) => {
          const { body } = demand(await recipient.poll(limit === undefined ? {} : { limit }));
          return [body.messages.length, body.has_more];
        };
        return [await page(), await page(1000), outcomeOf(await recipient.poll({ limit: 1001 }))];
      },
      [[100, true], [101, false], "400 INVALID_REQUEST"],
    ],
  ],
  "Message retention": [
    [
      "30 days",
      async () => {
        const [sender, recipient] = [await newDevice(calendar), await newDevice(calendar)];
        demand(await sender.send(recipient.address));
        const left: number[] = [];
        for (const days of [29, 1]) {
          await afterDays(days, recipient);
          left.push(demand(await recipient.poll()).body.messages.length);
        }
        return left;
      },
      [1, 0],
    ],
  ],
  "Message size": [
    [
      "10 MiB",
      async () => {
        const [sender, recipient] = [await newDevice(relay), await newDevice(relay)];
        const sending = async (bytes: number) =>
          outcomeOf(await sender.send(recipient.address, { ciphertext: new Uint8Array(bytes) }));
        return [await sending(10_485_760), await sending(10_485_761)];
      },
      ["202", "413 MESSAGE_TOO_LARGE"],
    ],
  ],
  "Trust tiers": [
    [
      "a Verified device sends 300 messages an hour at once",
      async () => {
        const { limits } = demand(await call(relay, "getLimits", { token: (await verified()).token })).body;
        return limits.find(({ name }) => name === "messages")?.limit;
      },
      300,
    ],
  ],
  "Custom limit": [
    [
      "0 to 1,000",
      async () => {
        const [token, device] = [await admin(), await newDevice(relay)];
        const outcomes: string[] = [];
        for (const custom of [0, 1000, 1001]) {
          const body = { device_id: device.deviceId, custom_rate_limit: custom, reason: "large group" };
          outcomes.push(outcomeOf(await call(relay, "setRateLimit", { token, body })));
        }
        return outcomes;
      },
      ["200", "200", "400 INVALID_CONFIG"],
    ],
  ],
  // The relay's clock goes on during a request, hence some seconds of margin.
  "Announce timestamp window": [
    [
      "300 seconds back, 60 ahead",
      async () => {
        const device = await newDevice(relay);
        const outcomes: string[] = [];
        for (const offset of [-301, 100, 50, -240]) {
          const body = announcementAt(device, relay.clock.nowSeconds() + offset);
          outcomes.push(outcomeOf(await call(relay, "announceWithProof", { body })));
        }
        return outcomes;
      },
      ["400 INVALID_REQUEST", "400 INVALID_REQUEST", "200", "200"],
    ],
  ],
  Registration: [
    [
      "a challenge ends after 5 minutes, and an invalid proof bans the network address for 24 hours",
      async () => {
        const device = newKeys();
        const challenged = async () => (await challengeFor(guarded, device)).body;
        const proving = async ({ challenge, iterations }: { challenge: string; iterations: number }) => {
          const proof = { input: `${challenge}${device.publicKey}`, iterations, output: randomHex(32) };
          const { status, body } = await register(guarded, device, { vdf_proof: proof });
          return `${status} ${body.error}`;
        };
        const late = await challenged();
        guarded.clock.advance(5 * minute + 1);
        const outcomes = [await proving(late), await proving(await challenged())];
        for (const seconds of [0, day - minute, 2 * minute]) {
          guarded.clock.advance(seconds);
          const { status, body } = await challengeFor(guarded, device);
          outcomes.push(`${status} ${body.error ?? body.iterations}`);
        }
        return outcomes;
      },
      ["410 CHALLENGE_EXPIRED", "403 INVALID_PROOF", "403 IP_BANNED", "403 IP_BANNED", "200 5000000"],
    ],
  ],
  Provisioning: [
    [
      "an address for linking lives 300 seconds",
      async () => {
        const opening = await call(relay, "createProvisioning", { body: openingBody(relay, { ttl_seconds: 301 }) });
        const outcomes = [outcomeOf(opening)];
        const opened = await openAddress(relay, 300);
        for (const seconds of [0, 301]) {
          relay.clock.advance(seconds);
          outcomes.push(outcomeOf(await pollBlob(relay, opened)));
        }
        return outcomes;
      },
      ["400 INVALID_REQUEST", "202", "404 NOT_FOUND"],
    ],
  ],
  KeyPackages: [
    [
      "100 an upload, for 30 days",
      async () => {
        const device = await newDevice(calendar);
        const outcomes: unknown[] = [];
        for (const count of [101, 100]) {
          outcomes.push(outcomeOf(await upload(calendar, device, { packages: newPackages(count) })));
        }
        for (const days of [29, 1]) {
          await afterDays(days, device);
          outcomes.push(demand(await packageStatus(calendar, device)).body.available_count);
        }
        return outcomes;
      },
      ["400 INVALID_REQUEST", "200", 100, 0],
    ],
  ],
  "Behavioral metadata": [
    [
      "deleted after 30 days without activity",
      async () => {
        const [silent, lively] = [await newDevice(calendar), await newDevice(calendar)];
        const shown = async ({ deviceId }: TestDevice) =>
          outcomeOf(
            await call(calendar, "getDevice", { token: await admin(calendar), params: { device_id: deviceId } }),
          );
        await afterDays(29, lively);
        const outcomes = [await shown(silent)];
        await afterDays(2, lively);
        await until(async () => (await shown(silent)) !== "200", "the silent device is removed");
        return [...outcomes, await shown(silent), await shown(lively)];
      },
      ["200", "404 DEVICE_NOT_FOUND", "200"],
    ],
  ],
  "Info packages": [
    [
      "60 seconds to 30 days, 1 to 1,000 uses",
      async () => {
        const device = await newDevice(relay);
        const drafts = [
          { ttl: 59 },
          { ttl: 2_592_001 },
          { maxUses: 0 },
          { maxUses: 1001 },
          { ttl: 60, maxUses: 1 },
          { ttl: 2_592_000, maxUses: 1000 },
        ];
        const outcomes: string[] = [];
        for (const draft of drafts) outcomes.push(outcomeOf(await tryUpload(relay, device, "sealed", draft)));
        return outcomes;
      },
      [...Array.from({ length: 4 }, () => "400 INVALID_CONFIG"), "200", "200"],
    ],
  ],
  Federation: [
    [
      "100 transactions a minute, and an answer that is kept for an hour",
      async () => {
        const [peer, recipient] = [await origins.origin("many.example"), await newDevice(relay)];
        const token = await tokenFor(relay, peer);
        const draft = { token, origin: peer.domain, transactionId: randomUUID(), messages: messagesFor(recipient, 1) };
        const first = demand(await deliver(relay, draft)).body.timestamp;
        const outcomes: unknown[] = [];
        for (let n = 1; n <= 100; n++) {
          const next = { token, origin: peer.domain, messages: messagesFor(recipient, 1) };
          outcomes.push(outcomeOf(await deliver(relay, next)));
        }
        const repeated = async (seconds: number) => {
          relay.clock.advance(seconds);
          const answer = await deliver(relay, { ...draft, token: await tokenFor(relay, peer) });
          return demand(answer).body.timestamp === first;
        };
        const granted = outcomes.filter((outcome) => outcome === "200").length;
        return [granted, outcomes.at(-1), await repeated(55 * minute), await repeated(10 * minute)];
      },
      [99, "429 RATE_LIMIT_EXCEEDED", true, false],
    ],
  ],
  Tokens: [
    [
      "24 hours for a device, an hour for administrators and servers",
      async () => {
        const peer = await origins.origin("short.example");
        const [ofDevice, ofAdmin, ofPeer] = [
          (await newDevice(relay)).token,
          await admin(),
          await tokenFor(relay, peer),
        ];
        const hold = async () => [
          outcomeOf(await call(relay, "listAddresses", { token: ofDevice })),
          outcomeOf(await call(relay, "getConfig", { token: ofAdmin })),
          outcomeOf(await deliver(relay, { token: ofPeer, origin: peer.domain, messages: [] })),
        ];
        const held: string[][] = [];
        for (const seconds of [hour - 2 * minute, 3 * minute, 22 * hour, 2 * hour]) {
          relay.clock.advance(seconds);
          held.push((await hold()).map((outcome) => (outcome.startsWith("401") ? "ended" : "valid")));
        }
        return held;
      },
      [
        ["valid", "valid", "valid"],
        ["valid", "ended", "ended"],
        ["valid", "ended", "ended"],
        ["ended", "ended", "ended"],
      ],
    ],
  ],
  Admin: [
    [
      "1,000 metrics, 100 changes and 1,000 audit queries an hour, and audit pages of 1,000",
      async () => {
        const token = await admin();
        const answers = [
          await call(relay, "getMetrics", { token }),
          await call(relay, "updateConfig", { token, body: { server: { server_name: "specified" } } }),
          await call(relay, "listAuditEntries", { token, query: { limit: 1000 } }),
        ];
        const limits = answers.flatMap((answer) =>
          Object.values(limitsOf(answer)).map(({ limit, windowSeconds }) => [limit, windowSeconds]),
        );
        return [...limits, outcomeOf(await call(relay, "listAuditEntries", { token, query: { limit: 1001 } }))];
      },
      [[1000, hour], [100, hour], [1000, hour], "400 INVALID_REQUEST"],
    ],
  ],
  Stream: [
    [
      "10 messages ahead of their acknowledgements",
      async () => {
        const [sender, recipient] = [await verified(), await newDevice(relay)];
        const messages = messagesFor(recipient, 11);
        demand(await call(relay, "sendMessageBatch", { token: sender.token, body: { messages } }));
        const stream = await openDeviceStream(relay.url, recipient.token);
        let last = "";
        for (let n = 0; n < 10; n++) last = (await stream.next("message")).data.message_id;
        stream.send({ type: "ping", timestamp: 1 });
        await stream.next("status");
        const ahead = stream.all("message").length;
        expect(await stream.ack(last)).toBe(true);
        await until(async () => stream.all("message").length === 11, "the next message comes");
        await stream.close();
        return ahead;
      },
      10,
    ],
    [
      "a ping every 30 seconds, and one stream a device",
      async () => {
        const { stream } = demand(await call(relay, "getDiscovery")).body;
        return [stream.keepalive_interval_seconds, stream.max_connections_per_device];
      },
      [30, 1],
    ],
  ],
};

/** An announcement that was signed at this second. */
function announcementAt(device: TestDevice, second: number): Record<string, unknown> {
  const clock = { ...relay.clock, nowSeconds: () => second };
  return announcement({ ...relay, clock }, device);
}

it.each(
  Object.entries(rows).flatMap(([area, limits]) => limits.map((row) => [area, ...row] as const)),
)("%s: %s", async (_area, _what, reach, expected) => {
  expect(await reach()).toEqual(expected);
});

const [thresholds, defaults] = ["test/limits/thresholds.test.ts", "test/platform/config.test.ts"];
/** Rows that are reached elsewhere, and what says so there. */
const elsewhere: Record<string, { test: string; title: string }> = {
  "Queue per device": { test: thresholds, title: "a queue takes 1,000 messages" },
  "Trust tiers, by age": { test: thresholds, title: "300 once it is a day old" },
  "Tier durations": { test: thresholds, title: "60 once it is 6 hours old" },
  "Block threshold": { test: thresholds, title: "five reporters block a device for good" },
  "Addresses per device": { test: thresholds, title: "a device gets 5 new addresses a day" },
  // Five a day that live for a day never come to a hundred, which is for addresses that live longer.
  "Addresses per device, registration flow": { test: defaults, title: "maxAddressesRegistrationFlow: 100" },
  "Address mapping lifetime": { test: thresholds, title: "an address that is not announced again answers 404" },
  "Registration, by network address": { test: thresholds, title: "a network address registers 3 devices an hour" },
  "Registration, difficulty": { test: thresholds, title: "16 times as many after 2,000" },
  "Provisioning, by network address": { test: thresholds, title: "opens 10 addresses for linking an hour" },
  "KeyPackages, top up": { test: thresholds, title: "fewer than 20 key packages are left" },
  "Spam reporting": { test: thresholds, title: "a device reports 10 others an hour, and 50 a day" },
  "Info packages, uploads": { test: thresholds, title: "a device uploads 10 info packages an hour" },
  "Info packages, cleanup": { test: "test/infopackages/uploading.test.ts", title: "the hourly clean-up" },
  "Inline media": { test: "test/client/group-structures.test.ts", title: "the limits of the specification" },
  "Federation, messages": { test: thresholds, title: "a peer delivers 1,000 messages in a minute" },
  "Stream, acknowledgements": {
    test: "test/stream/flow-window.test.ts",
    title: "sixty seconds without an acknowledgement",
  },
  "Rate window": { test: thresholds, title: "are carried over to the next hour" },
};

it("every other row is reached by a test that is named here", async () => {
  for (const [row, { test, title }] of Object.entries(elsewhere)) {
    await expect(access(test), row).resolves.toBeUndefined();
    expect(await readFile(test, "utf8"), row).toContain(title);
  }
});
