import type { AuditService } from "../audit/service.js";
import type { Secrets } from "../auth/secrets.js";
import { invalidToken } from "../auth/tokens.js";
import { inBoundedSteps } from "../database/bounded-steps.js";
import type { Database, Db } from "../database/db.js";
import { inPersistentTransaction } from "../database/transaction-retry.js";
import type { DevicesService } from "../devices/service.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { NodeSettings } from "../node/config.js";
import type { Schedule } from "../node/schedule.js";
import { parseMessageId } from "../protocol/identifiers.js";
import type { LimitObserver, LimitState } from "../protocol/rate-limit.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import { createAutoBlock, type SpamStatus } from "./auto-block.js";
import type { ModerationSettings } from "./config.js";
import { createPeerReportDecision, type ReportOfPeer } from "./peer-report.js";
import type { Reason } from "./reasons.js";
import { createReportDecision, type Origins, type ReportDeps } from "./report.js";
import { createReportHashes } from "./report-hashes.js";
import { reportStates } from "./report-limits.js";
import { deleteOldReports, deleteReports, readUsage } from "./store.js";
import type { Recorded, StoredReport } from "./types.js";

export type { SpamStatus } from "./auto-block.js";
export type { Reason } from "./reasons.js";
export { pardonReports } from "./store.js";

/** A report as the reporter sends it. `sender` is a device id in either spelling. */
interface SpamReport {
  messageId: string;
  sender: string;
  /** As it came with the message. */
  handle: Uint8Array | undefined;
  reason: Reason;
  details: string | null;
}

/** Spam reports, and the blocks and bans that follow from them. */
export interface ModerationService {
  start(): Promise<void>;
  /** Does nothing: the service has no background work. */
  stop(): void;
  /**
   * Records a report, or returns the earlier report of this message by the same reporter. Throws RATE_LIMIT_EXCEEDED if the
   * reporter has reported too much, or DEVICE_NOT_FOUND if no device here or on a known server can have sent the message.
   */
  report(
    reporterId: string,
    report: SpamReport,
    observer?: LimitObserver,
  ): Promise<Pick<StoredReport, "reportId" | "reportedAt">>;
  /** Records a report that another server has passed on, if the device did send the message, and applies it. */
  reportOfPeer(report: ReportOfPeer): Promise<void>;
  /** What is left of a device's limits for reports. */
  reportingLimits(deviceId: string): Promise<LimitState[]>;
  /** The spam status of devices of this server, in the order of the ids. */
  spamStatusOf(db: Db, deviceIds: readonly string[]): Promise<SpamStatus[]>;
  /** Deletes old reports that count against no device; returns how many. */
  removeOld(): Promise<number>;
  /** Deletes the reports about devices, and the reports that they made, in the caller's transaction. */
  forgetDevices(db: Db, ids: readonly string[]): Promise<void>;
}

interface ModerationDeps extends Omit<ReportDeps, "hashes" | "autoBlock"> {
  db: Database;
  clock: Clock;
  secrets: Pick<Secrets, "get">;
  metrics: Pick<MetricsService, "count">;
  audit: Pick<AuditService, "record">;
  devices: Pick<DevicesService, "resolve" | "lock" | "lockAll" | "prefixesOf" | "countReport" | "block" | "ban">;
  origins: Origins;
  config: ModerationSettings & Pick<NodeSettings, "expiryStepRows">;
}

/**
 * A report is decided in one transaction, which locks the rows of the reporter and of the reported device. Limits are
 * therefore exact, no message is counted twice, and of concurrent reports the one that reaches a threshold sees the others.
 */
export function createModerationService(deps: ModerationDeps): ModerationService {
  const { db, clock, settings, metrics, devices, config } = deps;
  const hashes = createReportHashes(deps);
  const autoBlock = createAutoBlock(deps);
  const decide = createReportDecision({ ...deps, hashes, autoBlock });
  const decideForPeer = createPeerReportDecision({ ...deps, hashes, autoBlock });

  return {
    start: () => hashes.prepare(),
    stop: () => undefined,
    async report(reporterId, { messageId: spelled, sender, handle, reason, details }, observer) {
      const messageId = parseMessageId(spelled) ?? spelled;
      const recorded = await inPersistentTransaction(db, async (trx) => {
        const now = clock.nowSeconds();
        const reported = (await devices.resolve(trx, sender))?.deviceId ?? sender.toLowerCase();
        const locked = await devices.lockAll(trx, [reporterId, reported]);
        const reporter = locked.find(({ deviceId }) => deviceId === reporterId);
        if (reporter === undefined) throw invalidToken("the device of this token is no longer registered");
        const device = locked.find(({ deviceId }) => deviceId === reported);
        const key = hashes.report({ reporterId, reported, messageId });
        return decide(trx, { reporter, reported, device, key, messageId, handle, reason, details, now, observer });
      });
      countOutcome(recorded);
      for (const { host, prefix } of recorded.told) {
        const pseudonym = hashes.pseudonym(reporterId, host);
        deps.origins.forwardReport(host, { reporter: pseudonym, messageId, sender, prefix, handle, reason });
      }
      const { reportId, reportedAt } = recorded.report;
      return { reportId, reportedAt };
    },
    async reportOfPeer(report) {
      countOutcome(await inPersistentTransaction(db, (trx) => decideForPeer(trx, report)));
    },
    async reportingLimits(deviceId) {
      const now = clock.nowSeconds();
      const usage = await readUsage(db, { reporter: hashes.reporter(deviceId), since: now - daySeconds });
      return reportStates(usage, { now, config });
    },
    spamStatusOf: (at, deviceIds) => autoBlock.spamStatusOf(at, deviceIds, clock.nowSeconds()),
    async removeOld() {
      const before = clock.nowSeconds() - settings.current().storage.metadata_retention_days * daySeconds;
      return inBoundedSteps(config.expiryStepRows, (limit) => deleteOldReports(db, { before, limit }));
    },
    forgetDevices: (at, ids) => deleteReports(at, { reported: ids, reporters: ids.map(hashes.reporter) }),
  };

  function countOutcome({ status, barred }: Pick<Recorded, "status" | "barred">): void {
    if (status === "verified" || status === "federated") metrics.count("spam_reports");
    if (status === "unverified") metrics.count("spam_reports_unverified");
    if (barred) metrics.count("devices_auto_blocked");
  }
}

const removeEverySeconds = hourSeconds;

/** Schedules the removal of old reports that count against no device. */
export function scheduleModerationJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  service: { removeOld(): Promise<number> },
): void {
  schedule.cleanUpEvery("moderation.clean-up", removeEverySeconds, async () => {
    await service.removeOld();
  });
}
