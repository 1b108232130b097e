import type { Knex } from "knex";
import type { AuditService } from "../audit/service.js";
import type { Device, DevicesService } from "../devices/service.js";
import type { MailboxService } from "../messages/mailbox.js";
import type { MetricsService } from "../metrics/service.js";
import type { Secrets } from "../platform/auth/secrets.js";
import { invalidToken } from "../platform/auth/tokens.js";
import type { Clock } from "../platform/cluster/clock.js";
import type { Config } from "../platform/config/config.js";
import { inBoundedSteps } from "../platform/database/bounded-steps.js";
import type { Db } from "../platform/database/connection.js";
import { inPersistentTransaction } from "../platform/database/transaction-retry.js";
import type { Random } from "../platform/random.js";
import { RelayError } from "../protocol/errors.js";
import { parseMessageId } from "../protocol/identifiers.js";
import { trustTier } from "../protocol/trust-tier.js";
import { daySeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { createConsequences, type SpamStanding } from "./consequences.js";
import type { ScoreConfig } from "./evaluate.js";
import { createReportHashes } from "./hashes.js";
import type { Reason, ReportStatus, StoredReport } from "./report.js";
import { deleteOldReports, deleteReports, findReport, insertReport, readUsage } from "./store.js";
import { refusalOf, type UsageConfig } from "./usage.js";

export type { SpamStanding } from "./consequences.js";
export { scheduleModerationJobs } from "./jobs.js";
export type { Reason } from "./report.js";
export { pardonReports } from "./store.js";

/** A report as its reporter makes it: `sender` is a device id in either spelling. */
export interface SpamReport {
  messageId: string;
  sender: string;
  reason: Reason;
  details: string | null;
}

/** Where federated messages came from, and what is held against their servers. */
export interface Origins {
  /** The servers that a message with this id came from to one of these prefixes. */
  originsOf(db: Db, delivered: { messageId: string; prefixes: readonly string[] }): Promise<string[]>;
  recordSpam(db: Db, report: { origin: string; reporter: string }): Promise<void>;
}

/** Spam reports and what follows from them. */
export interface ModerationService {
  start(): Promise<void>;
  /** Nothing of it runs by itself. */
  stop(): void;
  /**
   * Records a report, or finds the one that the reporter made of this message before. Throws RATE_LIMIT_EXCEEDED where
   * the reporter has reported too much and DEVICE_NOT_FOUND where nobody here, or elsewhere, can have sent the message.
   */
  report(reporterId: string, report: SpamReport): Promise<Pick<StoredReport, "reportId" | "reportedAt">>;
  /** What the reports about devices of this server come to, in the order of the ids. */
  standingsOf(db: Db, deviceIds: readonly string[]): Promise<SpamStanding[]>;
  /** Removes old reports that count against no device; returns how many. */
  removeOld(): Promise<number>;
  /** Removes the reports about devices, and those that they made, inside the caller's transaction. */
  forgetDevices(db: Db, ids: readonly string[]): Promise<void>;
}

export interface ModerationDeps {
  db: Knex;
  clock: Clock;
  random: Random;
  secrets: Pick<Secrets, "get">;
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count">;
  audit: Pick<AuditService, "record">;
  devices: Pick<DevicesService, "resolve" | "lockAll" | "prefixesOf" | "countReport" | "block" | "ban">;
  mailbox: Pick<MailboxService, "wasSentBy">;
  /** Without it no report about a device of another server finds its target. */
  origins?: Origins;
  config: UsageConfig & ScoreConfig & Pick<Config, "expiryStepRows">;
}

/** What one report did, for the metrics. */
interface Recorded {
  report: Pick<StoredReport, "reportId" | "reportedAt">;
  status: ReportStatus | "repeated";
  barred: boolean;
}

/**
 * A report is judged in one transaction, which holds the rows of reporter and reported device: so limits are exact, no
 * message is counted twice, and of reports that come at once the one that reaches a threshold sees all others.
 */
export function createModerationService(deps: ModerationDeps): ModerationService {
  const { db, clock, settings, metrics, devices, config } = deps;
  const hashes = createReportHashes(deps);
  const consequences = createConsequences(deps);
  const judge = createJudge(deps, { hashes, consequences });

  return {
    start: () => hashes.prepare(),
    stop: () => undefined,
    async report(reporterId, { messageId: spelled, sender, reason, details }) {
      const messageId = parseMessageId(spelled) ?? spelled;
      const recorded = await inPersistentTransaction(db, async (trx) => {
        const now = clock.nowSeconds();
        const reported = (await devices.resolve(trx, sender))?.deviceId ?? sender.toLowerCase();
        const locked = await devices.lockAll(trx, [reporterId, reported]);
        const reporter = locked.find(({ deviceId }) => deviceId === reporterId);
        if (reporter === undefined) throw invalidToken("the device of this token is not registered any more");
        const device = locked.find(({ deviceId }) => deviceId === reported);
        const key = hashes.report({ reporterId, reported, messageId });
        return judge(trx, { reporter, reported, device, key, messageId, reason, details, now });
      });
      countOutcome(recorded);
      const { reportId, reportedAt } = recorded.report;
      return { reportId, reportedAt };
    },
    standingsOf: (at, deviceIds) => consequences.standingsOf(at, deviceIds, clock.nowSeconds()),
    async removeOld() {
      const before = clock.nowSeconds() - settings.current().storage.metadata_retention_days * daySeconds;
      return inBoundedSteps(config.expiryStepRows, (limit) => deleteOldReports(db, { before, limit }));
    },
    forgetDevices: (at, ids) => deleteReports(at, { reported: ids, reporters: ids.map(hashes.reporter) }),
  };

  function countOutcome({ status, barred }: Recorded): void {
    if (status === "verified" || status === "federated") metrics.count("spam_reports");
    if (status === "unverified") metrics.count("spam_reports_unverified");
    if (barred) metrics.count("devices_auto_blocked");
  }
}

type Judge = (trx: Db, asked: Asked) => Promise<Recorded>;

/** Decides on one report and writes down what follows from it. */
function createJudge(
  deps: ModerationDeps,
  parts: { hashes: ReturnType<typeof createReportHashes>; consequences: ReturnType<typeof createConsequences> },
): Judge {
  const { random, settings, devices, config } = deps;
  const { hashes, consequences } = parts;

  const judge = async (trx: Db, asked: Asked): Promise<Recorded> => {
    const found = await findReport(trx, asked);
    if (found !== undefined) return { report: found, status: "repeated", barred: false };
    const reporter = hashes.reporter(asked.reporter.deviceId);
    const usage = await readUsage(trx, { reporter, since: asked.now - daySeconds });
    const refusal = refusalOf(usage, asked.reported, { now: asked.now, config });
    if (refusal !== undefined) throw refusal;
    const prefixes = await devices.prefixesOf(trx, asked.reporter.deviceId);
    const status = asked.device === undefined ? "federated" : await check(trx, asked.device, { ...asked, prefixes });
    const report: StoredReport = {
      ...asked,
      reportId: random.uuid(),
      reporter,
      tier: trustTier({ ...asked.reporter, now: asked.now, settings: settings.current() }),
      status,
      reportedAt: asked.now,
    };
    if (asked.device === undefined) await blameOrigins(trx, { ...asked, prefixes });
    await insertReport(trx, report);
    const barred = status === "verified" && asked.device !== undefined && (await count(trx, asked, asked.device));
    return { report, status, barred };
  };
  const check = async (trx: Db, device: Device, asked: Asked & Addressed): Promise<"verified" | "unverified"> => {
    const { messageId, prefixes } = asked;
    if (device.deviceId === asked.reporter.deviceId) return "unverified";
    const sent = await deps.mailbox.wasSentBy(trx, { senderId: device.deviceId, messageId, prefixes });
    return sent ? "verified" : "unverified";
  };
  const count = async (trx: Db, { reporter, reason, now }: Asked, reported: Device): Promise<boolean> => {
    await devices.countReport(trx, { reported: reported.deviceId, reporter: reporter.deviceId });
    return consequences.draw(trx, { reported, reason, now });
  };
  const blameOrigins = async (trx: Db, { messageId, prefixes, reporter, reason }: Asked & Addressed): Promise<void> => {
    const origins = (await deps.origins?.originsOf(trx, { messageId, prefixes })) ?? [];
    if (origins.length === 0) throw new RelayError("DEVICE_NOT_FOUND", "there is no such device here");
    for (const origin of origins) {
      await deps.origins?.recordSpam(trx, { origin, reporter: reporter.deviceId });
      await consequences.noteOrigin(trx, { origin, reason });
    }
    await devices.countReport(trx, { reported: null, reporter: reporter.deviceId });
  };

  return judge;
}

interface Asked {
  reporter: Device;
  /** The canonical id of a device of this server, else what was sent. */
  reported: string;
  device: Device | undefined;
  key: Uint8Array;
  messageId: string;
  reason: Reason;
  details: string | null;
  now: number;
}

/** The prefixes of the reporter, one of which the message must have come to. */
interface Addressed {
  prefixes: readonly string[];
}
