import type { AuditService } from "../audit/service.js";
import type { Secrets } from "../auth/secrets.js";
import { invalidToken } from "../auth/tokens.js";
import { inBoundedSteps } from "../database/bounded-steps.js";
import type { Database, Db } from "../database/db.js";
import { inPersistentTransaction } from "../database/transaction-retry.js";
import type { Device, DevicesService } from "../devices/service.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock } from "../node/clock.js";
import type { NodeSettings } from "../node/config.js";
import type { Schedule } from "../node/schedule.js";
import type { Random } from "../platform/random.js";
import { RelayError } from "../protocol/errors.js";
import { parseMessageId } from "../protocol/identifiers.js";
import type { LimitObserver, LimitState } from "../protocol/rate-limit.js";
import { canBeReported } from "../protocol/report-handles.js";
import { trustTier } from "../protocol/trust-tier.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { countsAsReporter, createAutoBlock, type SpamStatus } from "./auto-block.js";
import type { ModerationSettings } from "./config.js";
import type { Reason, ReportStatus, StoredReport } from "./report.js";
import { createReportHashes, readReason } from "./report.js";
import { refusalOf, reportStates, withReport } from "./report-limits.js";
import { deleteOldReports, deleteReports, findReport, insertReport, type ReporterUsage, readUsage } from "./store.js";

export type { SpamStatus } from "./auto-block.js";
export type { Reason } from "./report.js";
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

/** Which messages went through this server. */
interface SentMessages {
  /** Whether a device sent a message with this id to one of these prefixes, here or at another server. */
  wasSentBy(
    db: Db,
    sent: {
      senderId: string;
      messageId: string;
      recipient: { deviceId: string } | { domain: string };
      prefixes: readonly string[];
    },
  ): Promise<boolean>;
}

/** Finds the servers that federated messages came from, and records spam reports about them. */
interface Origins {
  /** The servers that sent a message with this id to one of these prefixes, and to which. */
  originsOf(
    db: Db,
    delivered: { messageId: string; prefixes: readonly string[] },
  ): Promise<{ host: string; prefix: string }[]>;
  recordSpam(db: Db, report: { origin: string; reporter: string; messageId: string }): Promise<void>;
  /** Passes a report on to such a server. */
  forwardReport(host: string, report: Forwarded): void;
}

/** A report on its way between servers, without the reporter's name. */
interface Forwarded {
  reporter: string;
  messageId: string;
  /** The reported device, in either spelling. */
  sender: string;
  /** The prefix to which the message was sent. */
  prefix: string;
  handle: Uint8Array | undefined;
  reason: string;
}

/** A report of another server, at an address of which the message arrived. */
interface ReportOfPeer extends Forwarded {
  registrable: string;
  domain: string;
  /** Whether its reports count. */
  trusted: boolean;
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

interface ModerationDeps {
  db: Database;
  clock: Clock;
  random: Random;
  secrets: Pick<Secrets, "get">;
  settings: Pick<SettingsService, "current">;
  metrics: Pick<MetricsService, "count">;
  audit: Pick<AuditService, "record">;
  devices: Pick<DevicesService, "resolve" | "lock" | "lockAll" | "prefixesOf" | "countReport" | "block" | "ban">;
  messages: SentMessages;
  origins: Origins;
  config: ModerationSettings & Pick<NodeSettings, "expiryStepRows">;
}

/** The outcome of a report, for the metrics. */
interface Recorded {
  report: Pick<StoredReport, "reportId" | "reportedAt">;
  status: ReportStatus | "repeated";
  barred: boolean;
}

/** A report with the servers that are told of it. */
interface Decision extends Recorded {
  told: readonly { host: string; prefix: string }[];
}

/**
 * A report is decided in one transaction, which locks the rows of the reporter and of the reported device. Limits are
 * therefore exact, no message is counted twice, and of concurrent reports the one that reaches a threshold sees the others.
 */
export function createModerationService(deps: ModerationDeps): ModerationService {
  const { db, clock, settings, metrics, devices, config } = deps;
  const hashes = createReportHashes(deps);
  const autoBlock = createAutoBlock(deps);
  const decide = createReportDecision(deps, { hashes, autoBlock });
  const decideForPeer = createPeerReportDecision(deps, { hashes, autoBlock });

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
        const isProof = canBeReported(messageId, handle);
        return decide(trx, { reporter, reported, device, key, messageId, isProof, reason, details, now, observer });
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

/** Decides on one report, stores it and applies its consequences. */
function createReportDecision(
  deps: ModerationDeps,
  parts: { hashes: ReturnType<typeof createReportHashes>; autoBlock: ReturnType<typeof createAutoBlock> },
): (trx: Db, received: ReceivedReport) => Promise<Decision> {
  const { random, settings, devices, config } = deps;
  const { hashes, autoBlock } = parts;

  const decide = async (trx: Db, received: ReceivedReport): Promise<Decision> => {
    const found = await findReport(trx, received);
    const reporter = hashes.reporter(received.reporter.deviceId);
    const usage = await readUsage(trx, { reporter, since: received.now - daySeconds });
    const observe = (used: readonly ReporterUsage[]): void =>
      received.observer?.observeLimits(reportStates(used, { ...received, config }), received.now);
    observe(usage);
    if (found !== undefined) return { report: found, status: "repeated", barred: false, told: [] };
    const refusal = refusalOf(usage, received.reported, { now: received.now, config });
    if (refusal !== undefined) throw refusal;
    const prefixes = await devices.prefixesOf(trx, received.reporter.deviceId);
    const status =
      received.device === undefined
        ? received.isProof
          ? "federated"
          : "unverified"
        : await check(trx, received.device, { ...received, prefixes });
    const report: StoredReport = {
      ...received,
      reportId: random.uuid(),
      reporter,
      tier: trustTier({ ...received.reporter, now: received.now, settings: settings.current() }),
      status,
      reportedAt: received.now,
      peer: null,
    };
    const origins = received.device === undefined ? await blameOrigins(trx, { ...received, prefixes }) : [];
    await insertReport(trx, report);
    if (status === "unverified" && received.device !== undefined) await autoBlock.recordUnverified(trx, received);
    observe(withReport(usage, received.reported, received.now));
    const barred =
      status === "verified" && received.device !== undefined && (await count(trx, received, received.device));
    return { report, status, barred, told: countsAsReporter(report.tier, config) ? origins : [] };
  };
  const check = async (
    trx: Db,
    device: Device,
    received: ReceivedReport & Addressed,
  ): Promise<"verified" | "unverified"> => {
    const { messageId, prefixes, isProof } = received;
    const recipient = received.reporter;
    if (device.deviceId === recipient.deviceId || !isProof) return "unverified";
    const sent = await deps.messages.wasSentBy(trx, { senderId: device.deviceId, messageId, recipient, prefixes });
    return sent ? "verified" : "unverified";
  };
  const count = async (trx: Db, { reporter, reason, now }: ReceivedReport, reported: Device): Promise<boolean> => {
    await devices.countReport(trx, { reported: reported.deviceId, reporter: reporter.deviceId });
    return autoBlock.apply(trx, { reported, reason, now });
  };
  const blameOrigins = async (
    trx: Db,
    { messageId, prefixes, isProof, reporter, reason }: ReceivedReport & Addressed,
  ): Promise<{ host: string; prefix: string }[]> => {
    const origins = await deps.origins.originsOf(trx, { messageId, prefixes });
    if (origins.length === 0) throw new RelayError("DEVICE_NOT_FOUND", "there is no such device on this server");
    if (!isProof) return [];
    for (const origin of new Set(origins.map(({ host }) => host))) {
      await deps.origins.recordSpam(trx, { origin, reporter: reporter.deviceId, messageId });
      await autoBlock.recordOrigin(trx, { origin, reason });
    }
    await devices.countReport(trx, { reported: null, reporter: reporter.deviceId });
    return origins;
  };

  return decide;
}

/**
 * Decides on a report of another server. What it cannot prove is not stored: a peer could fill the table. The answer is alike, so
 * that nobody learns by reports who has sent what to whom.
 */
function createPeerReportDecision(
  { clock, random, devices, messages }: ModerationDeps,
  { hashes, autoBlock }: Parameters<typeof createReportDecision>[1],
): (trx: Db, report: ReportOfPeer) => Promise<Pick<Recorded, "status" | "barred">> {
  return async (trx, { registrable, domain, trusted, reporter: pseudonym, ...sent }) => {
    const now = clock.nowSeconds();
    const device = await devices.lock(trx, sent.sender);
    const messageId = parseMessageId(sent.messageId) ?? sent.messageId;
    if (device === undefined) return { status: "unverified", barred: false };
    const reported = device.deviceId;
    const proof = { senderId: reported, messageId, recipient: { domain }, prefixes: [sent.prefix] };
    if (!canBeReported(messageId, sent.handle) || !(await messages.wasSentBy(trx, proof))) {
      await autoBlock.recordUnverifiedOfPeer(trx, { reported, reason: readReason(sent.reason).reason });
      return { status: "unverified", barred: false };
    }
    const reporterId = `${pseudonym} of ${registrable}`;
    const key = hashes.report({ reporterId, reported, messageId });
    if ((await findReport(trx, { reported, key })) !== undefined) return { status: "repeated", barred: false };
    const { reason, details } = readReason(sent.reason);
    await insertReport(trx, {
      reported,
      key,
      reportId: random.uuid(),
      reporter: hashes.reporter(reporterId),
      tier: trusted ? "established" : "new",
      status: "verified",
      reason,
      details,
      reportedAt: now,
      peer: hashes.peer(registrable),
    });
    await devices.countReport(trx, { reported, reporter: null });
    return { status: "verified", barred: await autoBlock.apply(trx, { reported: device, reason, now }) };
  };
}

interface ReceivedReport {
  reporter: Device;
  /** The canonical id of a device of this server, or else the id as it was sent. */
  reported: string;
  device: Device | undefined;
  key: Uint8Array;
  messageId: string;
  /** False if the id of the message commits to a handle that the reporter does not know. */
  isProof: boolean;
  reason: Reason;
  details: string | null;
  now: number;
  observer: LimitObserver | undefined;
}

/** The prefixes of the reporter. The message must have been sent to one of them. */
interface Addressed {
  prefixes: readonly string[];
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
