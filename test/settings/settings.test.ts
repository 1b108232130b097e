import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createNotifications, type Notifications } from "../../src/database/pool/notifications.js";
import { createSystemClock } from "../../src/node/clock.js";
import { createSharedPoll, type SharedPoll } from "../../src/node/shared-poll.js";
import { createLogger } from "../../src/platform/logger.js";
import { createSettingsService, type SettingsPatch, type SettingsService } from "../../src/settings/service.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";

const logger = createLogger({ level: "silent" });
const silence = { notify: () => {}, listen: () => () => {} };

let database: TestDatabase;
const open: (SettingsService | SharedPoll)[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const part of open.splice(0)) await part.stop();
  await database.db.run("truncate settings");
});
afterAll(() => database.drop());

async function node(
  seeds: SettingsPatch = {},
  notifications: Pick<Notifications, "notify" | "listen"> = silence,
): Promise<SettingsService> {
  const poll = createSharedPoll({ db: database.db, logger, everyMillis: 500 });
  const settings = createSettingsService({
    db: database.db,
    poll,
    clock: createSystemClock(),
    logger,
    notifications,
    seeds,
    preset: null,
  });
  open.push(settings, poll);
  await settings.start();
  await poll.start();
  return settings;
}

describe("the settings", () => {
  it("begin with the documented values", async () => {
    expect((await node()).current()).toEqual({
      server: {
        server_name: "MLS relay",
        protocol_version: "1.0",
        max_message_size: 10_485_760,
        max_retention_days: 30,
      },
      registration: {
        enabled: true,
        mode: "open",
        require_proof_of_work: true,
        proof_of_work_difficulty: 5_000_000,
        allow_time_delay: false,
        time_delay_seconds: 120,
        accept_invites: true,
      },
      progressive_trust: {
        enabled: true,
        new_tier_duration_hours: 6,
        established_tier_duration_hours: 24,
        new_tier_limit: 10,
        established_tier_limit: 60,
        trusted_tier_limit: 300,
        spam_report_block_threshold: 5,
        spam_score_threshold: 3.5,
      },
      federation: {
        enabled: true,
        allowlist_mode: false,
        auto_block_threshold: 0.3,
        publish_blocklist: false,
        certificate_validation: true,
      },
      rate_limiting: {
        enabled: true,
        window_seconds: 3600,
        burst_allowance: 10,
        recipients_per_message: 25,
        infopackage_uploads_per_hour: 10,
        infopackage_uploads_per_day: 50,
      },
      storage: {
        message_queue_limit: 1000,
        message_queue_bytes_limit: 268_435_456,
        announcement_retention_hours: 24,
        metadata_retention_days: 30,
      },
    });
  });

  it("take the environment's values at the first start only", async () => {
    const first = await node({ registration: { mode: "invite_only" } });
    expect(first.current().registration.mode).toBe("invite_only");
    const later = await node({ registration: { mode: "open" }, storage: { message_queue_limit: 7 } });
    expect(later.current().registration.mode).toBe("invite_only");
    expect(later.current().storage.message_queue_limit).toBe(1000);
  });

  it("change only the keys of a patch, and report the changes", async () => {
    const settings = await node();
    const patch = { progressive_trust: { new_tier_limit: 20 }, registration: { enabled: false } };
    const change = await settings.update(patch, "admin");
    expect(change).toMatchObject({
      updatedFields: ["progressive_trust.new_tier_limit", "registration.enabled"],
      before: { "progressive_trust.new_tier_limit": 10, "registration.enabled": true },
      after: { "progressive_trust.new_tier_limit": 20, "registration.enabled": false },
    });
    const { progressive_trust, registration, storage } = settings.current();
    expect([progressive_trust.new_tier_limit, registration.enabled, storage.message_queue_limit]).toEqual([
      20,
      false,
      1000,
    ]);
  });

  it("survive a restart", async () => {
    await (await node()).update({ server: { server_name: "Other" } }, "admin");
    expect((await node()).current().server.server_name).toBe("Other");
  });

  it("reach another node within a second, without any notification", async () => {
    const [one, other] = [await node(), await node()];
    await one.update({ storage: { metadata_retention_days: 9 } }, "admin");
    expect(one.current().storage.metadata_retention_days).toBe(9);
    await expect.poll(() => other.current().storage.metadata_retention_days, { interval: 20 }).toBe(9);
  });

  it("reach another node at once by a notification", async () => {
    const notifications = createNotifications({ url: database.url, logger });
    await notifications.start();
    try {
      const [one, other] = [await node({}, notifications), await node({}, notifications)];
      await one.update({ storage: { metadata_retention_days: 11 } }, "admin");
      await expect.poll(() => other.current().storage.metadata_retention_days, { interval: 10 }).toBe(11);
    } finally {
      for (const settings of open.splice(0)) await settings.stop();
      await notifications.stop();
    }
  });

  it("keep every one of several changes made at once", async () => {
    const [one, other] = [await node(), await node()];
    await Promise.all([
      one.update({ progressive_trust: { new_tier_limit: 11 } }, "a"),
      other.update({ progressive_trust: { established_tier_limit: 61 } }, "b"),
      one.update({ progressive_trust: { trusted_tier_limit: 301 } }, "c"),
      other.update({ registration: { accept_invites: false } }, "d"),
    ]);
    const { progressive_trust, registration } = (await node()).current();
    expect([
      progressive_trust.new_tier_limit,
      progressive_trust.established_tier_limit,
      progressive_trust.trusted_tier_limit,
      registration.accept_invites,
    ]).toEqual([11, 61, 301, false]);
  });
});

describe("a change of the settings", () => {
  it.each([
    ["an unknown group", { nonsense: { enabled: true } }, "INVALID_CONFIG"],
    ["an unknown key", { server: { nonsense: 1 } }, "INVALID_CONFIG"],
    ["a key of another group", { server: { mode: "open" } }, "INVALID_CONFIG"],
    ["a value below its range", { progressive_trust: { new_tier_limit: 0 } }, "INVALID_CONFIG"],
    ["a value above its range", { progressive_trust: { new_tier_limit: 1001 } }, "INVALID_CONFIG"],
    ["a ratio above one", { federation: { auto_block_threshold: 1.01 } }, "INVALID_CONFIG"],
    ["a word that is no choice", { registration: { mode: "secret" } }, "INVALID_CONFIG"],
    ["another protocol version", { server: { protocol_version: "2.0" } }, "INVALID_CONFIG"],
    ["an empty name", { server: { server_name: "" } }, "INVALID_CONFIG"],
    ["a name with control characters", { server: { server_name: "a\nb" } }, "INVALID_CONFIG"],
    ["a delay above 240 seconds", { registration: { time_delay_seconds: 241 } }, "INVALID_CONFIG"],
    ["a fraction where a whole number belongs", { server: { max_message_size: 2000.5 } }, "INVALID_REQUEST"],
    ["a text where a number belongs", { server: { max_message_size: "2000" } }, "INVALID_REQUEST"],
    ["a number where a truth value belongs", { federation: { enabled: 1 } }, "INVALID_REQUEST"],
    ["nothing where a value belongs", { federation: { enabled: null } }, "INVALID_REQUEST"],
    ["a group that is no object", { federation: true }, "INVALID_REQUEST"],
    ["a list for a group", { federation: [] }, "INVALID_REQUEST"],
    ["the key __proto__", JSON.parse('{"server":{"__proto__":1}}'), "INVALID_CONFIG"],
  ])("is refused for %s, and changes nothing", async (_what, patch, id) => {
    const settings = await node();
    const before = settings.current();
    const mixed = { ...patch, rate_limiting: { window_seconds: 60 } };
    await expect(settings.update(mixed as SettingsPatch, "admin")).rejects.toMatchObject({ id });
    expect((await node()).current()).toEqual(before);
  });

  it("names every invalid key", async () => {
    const settings = await node();
    const patch = { server: { max_message_size: 1 }, storage: { message_queue_limit: 0 } };
    await expect(settings.update(patch, "admin")).rejects.toMatchObject({
      extras: {
        details: [{ path: "server.max_message_size" }, { path: "storage.message_queue_limit" }],
      },
    });
  });

  it("may name keys at the ends of their ranges", async () => {
    const settings = await node();
    await settings.update({ federation: { auto_block_threshold: 0 }, progressive_trust: { new_tier_limit: 1 } }, "a");
    await settings.update(
      { federation: { auto_block_threshold: 1 }, progressive_trust: { new_tier_limit: 1000 } },
      "a",
    );
    expect(settings.current().federation.auto_block_threshold).toBe(1);
  });
});
