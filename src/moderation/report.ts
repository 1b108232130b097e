import type { Db } from "../database/db.js";
import type { Device, DevicesService } from "../devices/service.js";
import type { Random } from "../platform/random.js";
import { RelayError } from "../protocol/errors.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { canBeReported } from "../protocol/report-handles.js";
import { trustTier } from "../protocol/trust-tier.js";
import { daySeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { type AutoBlock, countsAsReporter } from "./auto-block.js";
import type { ModerationSettings } from "./config.js";
import type { Reason } from "./reasons.js";
import type { ReportHashes } from "./report-hashes.js";
import { refusalOf, reportStates, withReport } from "./report-limits.js";
import { findReport, insertReport, type ReporterUsage, readUsage } from "./store.js";
import type { Recorded, StoredReport } from "./types.js";

/** Which messages went through this server. */
export interface SentMessages {
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
export interface Origins {
  /** The servers that sent a message with this id to one of these prefixes, and to which. */
  originsOf(
    db: Db,
    delivered: { messageId: string; prefixes: readonly string[] },
  ): Promise<{ host: string; prefix: string }[]>;
  recordSpam(db: Db, report: { origin: string; reporter: string; messageId: string }): Promise<void>;
  /** Passes a report on to such a server. */
  forwardReport(host: string, report: ForwardedReport): void;
}

/** A report on its way between servers, without the reporter's name. */
export interface ForwardedReport {
  reporter: string;
  messageId: string;
  /** The reported device, in either spelling. */
  sender: string;
  /** The prefix to which the message was sent. */
  prefix: string;
  handle: Uint8Array | undefined;
  reason: string;
}

export interface ReportDeps {
  random: Pick<Random, "uuid">;
  settings: Pick<SettingsService, "current">;
  devices: Pick<DevicesService, "prefixesOf" | "countReport">;
  messages: SentMessages;
  origins: Pick<Origins, "originsOf" | "recordSpam">;
  hashes: Pick<ReportHashes, "reporter">;
  autoBlock: Pick<AutoBlock, "apply" | "recordOrigin" | "recordUnverified">;
  config: ModerationSettings;
}

/** A report with the servers that are told of it. */
interface Decision extends Recorded {
  told: readonly { host: string; prefix: string }[];
}

interface ReceivedReport {
  reporter: Device;
  /** The canonical id of a device of this server, or else the id as it was sent. */
  reported: string;
  device: Device | undefined;
  key: Uint8Array;
  messageId: string;
  /** As it came with the message. */
  handle: Uint8Array | undefined;
  reason: Reason;
  details: string | null;
  now: number;
  observer: LimitObserver | undefined;
}

/** The prefixes of the reporter. The message must have been sent to one of them. */
interface Addressed {
  prefixes: readonly string[];
}

/**
 * Decides on one report, stores it and applies its consequences. It counts against a device only if the device has sent a
 * message of this id to the reporter, who must know the handle if the id commits to one.
 */
export function createReportDecision(deps: ReportDeps) {
  const { random, settings, devices, hashes, autoBlock, config } = deps;

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
        ? canBeReported(received.messageId, received.handle)
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
    const { messageId, prefixes, reporter: recipient } = received;
    if (device.deviceId === recipient.deviceId || !canBeReported(received.messageId, received.handle))
      return "unverified";
    const sent = await deps.messages.wasSentBy(trx, { senderId: device.deviceId, messageId, recipient, prefixes });
    return sent ? "verified" : "unverified";
  };
  const count = async (trx: Db, { reporter, reason, now }: ReceivedReport, reported: Device): Promise<boolean> => {
    await devices.countReport(trx, { reported: reported.deviceId, reporter: reporter.deviceId });
    return autoBlock.apply(trx, { reported, reason, now });
  };
  const blameOrigins = async (
    trx: Db,
    { messageId, prefixes, handle, reporter, reason }: ReceivedReport & Addressed,
  ): Promise<{ host: string; prefix: string }[]> => {
    const origins = await deps.origins.originsOf(trx, { messageId, prefixes });
    if (origins.length === 0) throw new RelayError("DEVICE_NOT_FOUND", "there is no such device on this server");
    if (!canBeReported(messageId, handle)) return [];
    for (const origin of new Set(origins.map(({ host }) => host))) {
      await deps.origins.recordSpam(trx, { origin, reporter: reporter.deviceId, messageId });
      await autoBlock.recordOrigin(trx, { origin, reason });
    }
    await devices.countReport(trx, { reported: null, reporter: reporter.deviceId });
    return origins;
  };

  return decide;
}
