import type { NodeReading, SignName } from "../metrics/service.js";
import { type ClockJump, secondsSince } from "../node/clock.js";
import type { NodeSettings } from "../node/config.js";
import { daySeconds } from "../protocol/units.js";
import type { HealthSettings } from "./config.js";
import type { Facts } from "./facts.js";
import { type AlertKind, alertKinds, type Condition } from "./types.js";
import { type WriteTrouble, writeTroubleText } from "./write-watch.js";

/** Time that the CPU usage must stay above alertCpuPercent. */
const alertCpuSeconds = 300;
/** Percentage by which queues must have grown as well. */
const alertQueueGrowthPercent = 50;
/** Alert when the queue of proof checks is this full. */
const alertProofQueuePercent = 90;

export type AlertConfig = HealthSettings &
  Pick<NodeSettings, "clockJumpLimitSeconds"> & {
    readonly infoPackageAnonymousBytes: number;
    readonly blobStorageBytes: number;
    readonly blobDiskReserveBytes: number;
    readonly slotStorageBytes: number;
    readonly proofQueueLimit: number;
    readonly backupDir: string | null;
    readonly backupEvery: number;
  };

const hoursPerWeek = 7 * 24;
const hundred = 100;
/** A certificate that expires sooner than this is critical. */
const criticalCertificateDays = 2;
const serversShown = 20;
/** A bus that restarts is back sooner than this. */
const busGoneSeconds = 30;

/** Conditions evaluated from a node's own reading; the node is the alert's subject. */
const conditionsOfNodes = {
  cpu_high: cpuHigh,
  database_slow: databaseSlow,
  database_gone: databaseGone,
  clock_jumped: clockJumped,
  disk_full: diskFull,
  database_read_only: databaseReadOnly,
  writes_unconfirmed: writesUnconfirmed,
  certificate_ending: certificateEnding,
  proof_queue_full: proofQueueFull,
  untrusted_proxy: untrustedProxy,
  certificate_not_issued: certificateNotIssued,
  wake_up_bus_gone: wakeUpBusGone,
  open_files_exhausted: openFilesExhausted,
  blob_storage_failing: blobStorageFailing,
};

/** Every condition of an alert that is met; docs/how-to/monitoring.md describes each. */
export function conditionsMet(facts: Facts, config: AlertConfig): Condition[] {
  const ofNodes = facts.readings.flatMap((reading) =>
    Object.values(conditionsOfNodes).map((evaluate) => evaluate(reading, { config, now: facts.now })),
  );
  const evaluations = [
    ...[spamSpike, queueGrowth, outboxStuck, outboxRefused, pushesFailing],
    ...[anonymousStorage, blobStorageFull, slotStorageFull, backupOld, databaseOutdated, collationChanged],
  ];
  const ofServer = evaluations.map((evaluate) => evaluate(facts, config));
  return [...ofNodes, ...ofServer, ...deadRows(facts)].filter((condition) => condition !== undefined);
}

/**
 * Whether it is unknown if an alert's condition is still met: the alert is about a running node without a recent
 * reading.
 */
export function isUndecided(
  { condition, subject }: Pick<Condition, "condition" | "subject">,
  known: { readings: readonly NodeReading[]; isAlive: (nodeId: string) => boolean },
): boolean {
  if (!Object.hasOwn(conditionsOfNodes, condition) || !known.isAlive(subject)) return false;
  return known.readings.every(({ nodeId }) => nodeId !== subject);
}

interface EvaluationContext {
  config: AlertConfig;
  now: number;
}

function cpuHigh(reading: NodeReading, { config }: EvaluationContext): Condition | undefined {
  const seconds = sign(reading, "cpu_high_seconds");
  if (seconds < alertCpuSeconds) return undefined;
  return ofNode("cpu_high", reading.nodeId, {
    message: `A node has been busier than ${config.alertCpuPercent} percent for ${seconds} seconds.`,
    since: reading.readAt - seconds,
    details: {
      cpu_usage_percent: reading.figures["cpu_usage_percent"] ?? null,
      threshold_percent: config.alertCpuPercent,
      threshold_seconds: alertCpuSeconds,
    },
  });
}

function databaseSlow(reading: NodeReading, { config }: EvaluationContext): Condition | undefined {
  const seconds = sign(reading, "database_slow_seconds");
  const millis = reading.figures["database_millis"] ?? 0;
  if (millis <= config.alertDatabaseMillis || seconds < config.alertDatabaseSeconds) return undefined;
  return ofNode("database_slow", reading.nodeId, {
    message: `The database takes more than ${config.alertDatabaseMillis} ms to answer the simplest question.`,
    since: reading.readAt - seconds,
    details: {
      latency_ms: millis,
      threshold_ms: config.alertDatabaseMillis,
      threshold_seconds: config.alertDatabaseSeconds,
    },
  });
}

function databaseGone(reading: NodeReading): Condition | undefined {
  const goneAt = sign(reading, "database_gone_at");
  return goneAt === 0 ? undefined : databaseGoneFor(reading.nodeId, goneAt);
}

/** The condition, reported by the node itself while it has no database. */
export function databaseGoneFor(node: string, goneAt: number): Condition {
  return ofNode("database_gone", node, {
    message: "The database does not answer a node, or did not until a short time ago.",
    since: goneAt,
    details: { gone_at: goneAt },
  });
}

function diskFull(reading: NodeReading): Condition | undefined {
  const since = sign(reading, "disk_full_at");
  return since === 0 ? undefined : writesRefusedFor(reading.nodeId, { reason: "full", since });
}

function databaseReadOnly(reading: NodeReading): Condition | undefined {
  const since = sign(reading, "read_only_at");
  return since === 0 ? undefined : writesRefusedFor(reading.nodeId, { reason: "read-only", since });
}

function writesUnconfirmed(reading: NodeReading): Condition | undefined {
  const since = sign(reading, "writes_unconfirmed_at");
  return since === 0 ? undefined : writesRefusedFor(reading.nodeId, { reason: "unconfirmed", since });
}

const writeConditions: Readonly<Record<WriteTrouble["reason"], Condition["condition"]>> = {
  full: "disk_full",
  "read-only": "database_read_only",
  unconfirmed: "writes_unconfirmed",
};

/** The condition, reported by the node itself because it can hardly be written. */
export function writesRefusedFor(node: string, { reason, since }: WriteTrouble): Condition {
  return ofNode(writeConditions[reason], node, {
    message: writeTroubleText[reason],
    since,
  });
}

function clockJumped(reading: NodeReading, { config }: EvaluationContext): Condition | undefined {
  const since = sign(reading, "clock_jumped_at");
  if (since === 0) return undefined;
  const seconds = sign(reading, "clock_jump_seconds");
  return clockJumpedFor(reading.nodeId, { since, seconds }, config);
}

/** The condition, reported by the node itself. */
export function clockJumpedFor(
  node: string,
  { since, seconds }: ClockJump,
  config: Pick<AlertConfig, "clockJumpLimitSeconds">,
): Condition {
  const where = seconds < 0 ? "behind" : "ahead of";
  return ofNode("clock_jumped", node, {
    message: `The database's clock is ${Math.abs(seconds)} seconds ${where} where it was expected. Nothing is deleted for its age until that is settled.`,
    since,
    details: { jump_seconds: seconds, threshold_seconds: config.clockJumpLimitSeconds },
  });
}

function certificateEnding(reading: NodeReading, { config, now }: EvaluationContext): Condition | undefined {
  const expiresAt = sign(reading, "certificate_expires_at");
  const days = (expiresAt - now) / daySeconds;
  if (expiresAt === 0 || days > config.alertCertificateDays) return undefined;
  return ofNode("certificate_ending", reading.nodeId, {
    severity: days < criticalCertificateDays ? "critical" : "warning",
    message: days <= 0 ? "The TLS certificate has expired." : `The TLS certificate ends in ${Math.ceil(days)} days.`,
    details: { expires_at: expiresAt, threshold_days: config.alertCertificateDays },
  });
}

function certificateNotIssued(reading: NodeReading): Condition | undefined {
  const since = sign(reading, "certificate_failing_at");
  if (since === 0) return undefined;
  const retryAt = sign(reading, "certificate_retry_at");
  return ofNode("certificate_not_issued", reading.nodeId, {
    message: `The ACME server issues no certificate; the log has its reason. The next order is at ${timeText(retryAt)}.`,
    since,
    details: { retry_at: retryAt },
  });
}

function timeText(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString().replace(".000Z", "Z");
}

function untrustedProxy(reading: NodeReading): Condition | undefined {
  const since = sign(reading, "untrusted_proxy_at");
  if (since === 0) return undefined;
  return ofNode("untrusted_proxy", reading.nodeId, {
    message: "A proxy that TRUSTED_PROXIES does not name forwards requests: all its clients share one limit.",
    since,
  });
}

function wakeUpBusGone(reading: NodeReading, { now }: EvaluationContext): Condition | undefined {
  const since = sign(reading, "wake_up_bus_gone_at");
  if (since === 0 || now - since < busGoneSeconds) return undefined;
  return ofNode("wake_up_bus_gone", reading.nodeId, {
    message: "A node is without its WAKE_UP_BUS: messages for streams on other nodes take longer and cost more.",
    since,
    details: { threshold_seconds: busGoneSeconds },
  });
}

function openFilesExhausted(reading: NodeReading): Condition | undefined {
  const since = sign(reading, "open_files_exhausted_at");
  if (since === 0) return undefined;
  return ofNode("open_files_exhausted", reading.nodeId, {
    message: "A node has as many open files as it may have: it accepts no connections, and refuses what needs a file.",
    since,
  });
}

function blobStorageFailing(reading: NodeReading): Condition | undefined {
  const since = sign(reading, "blob_storage_failing_at");
  if (since === 0) return undefined;
  return ofNode("blob_storage_failing", reading.nodeId, {
    message: "A node cannot use the storage of blobs: uploads and downloads are refused. The log has the reason.",
    since,
  });
}

function proofQueueFull(reading: NodeReading, { config }: EvaluationContext): Condition | undefined {
  const queued = reading.figures["proofs_queued"] ?? 0;
  if (queued * hundred < config.proofQueueLimit * alertProofQueuePercent) return undefined;
  return ofNode("proof_queue_full", reading.nodeId, {
    message: `So many delay proofs wait to be checked that registrations are, or soon will be, refused.`,
    details: {
      queued,
      limit: config.proofQueueLimit,
      threshold_percent: alertProofQueuePercent,
    },
  });
}

function spamSpike({ spamLastHour, spamLastWeek }: Facts, config: AlertConfig): Condition | undefined {
  const usual = (spamLastWeek - spamLastHour) / (hoursPerWeek - 1);
  if (spamLastHour < config.alertSpamReports || spamLastHour < usual * config.alertSpamFactor) return undefined;
  return ofServer("spam_spike", {
    message: `${spamLastHour} spam reports were verified within an hour.`,
    details: {
      reports_last_hour: spamLastHour,
      usual_per_hour: Math.round(usual * hundred) / hundred,
      threshold_reports: config.alertSpamReports,
      threshold_factor: config.alertSpamFactor,
    },
  });
}

function queueGrowth({ snapshot, queuedBefore }: Facts, config: AlertConfig): Condition | undefined {
  const queued = snapshot.levels.queued_messages;
  const grown = queued - (queuedBefore ?? queued);
  const percentMet = grown * hundred >= (queuedBefore ?? 0) * alertQueueGrowthPercent;
  if (grown < config.alertQueueGrowthMessages || !percentMet) return undefined;
  return ofServer("queue_growth", {
    message: `Queues grew by ${Math.round(grown)} messages within an hour.`,
    details: {
      queued_messages: queued,
      queued_messages_before: queuedBefore,
      threshold_messages: config.alertQueueGrowthMessages,
      threshold_percent: alertQueueGrowthPercent,
    },
  });
}

function pushesFailing({ pushes }: Facts, config: AlertConfig): Condition | undefined {
  const { pushes_accepted: accepted, pushes_failed: failed } = pushes;
  if (failed < config.alertPushFailures || failed < accepted) return undefined;
  return ofServer("pushes_failing", {
    message: `${failed} attempts to wake devices failed within an hour; ${accepted} succeeded.`,
    details: { failed_last_hour: failed, accepted_last_hour: accepted, threshold_failures: config.alertPushFailures },
  });
}

function outboxStuck({ waitingServers, now }: Facts, config: AlertConfig): Condition | undefined {
  const stuck = waitingServers.filter(({ oldestAt }) => now - oldestAt >= config.alertOutboxSeconds);
  const [oldest] = stuck;
  if (oldest === undefined) return undefined;
  return ofServer("outbox_stuck", {
    message: `Messages to ${stuck.length} server${stuck.length === 1 ? "" : "s"} have been waiting for too long.`,
    since: oldest.oldestAt + config.alertOutboxSeconds,
    details: {
      servers: stuck.slice(0, serversShown).map(({ domain, messages, failures, oldestAt }) => ({
        domain,
        messages,
        failures,
        oldest_waiting_seconds: now - oldestAt,
      })),
      servers_stuck: stuck.length,
      threshold_seconds: config.alertOutboxSeconds,
    },
  });
}

function outboxRefused({ refusingServers, now }: Facts, config: AlertConfig): Condition | undefined {
  const refusing = refusingServers.filter(({ since }) => now - since >= config.alertOutboxSeconds);
  const [first] = refusing;
  if (first === undefined) return undefined;
  return ofServer("outbox_refused", {
    message: `${refusing.length} server${refusing.length === 1 ? " does" : "s do"} not confirm some of the messages that are sent to ${refusing.length === 1 ? "it" : "them"}.`,
    since: first.since + config.alertOutboxSeconds,
    details: {
      servers: refusing.slice(0, serversShown).map(({ domain, messages, problem, since }) => ({
        domain,
        messages,
        problem,
        refused_seconds: now - since,
      })),
      servers_refusing: refusing.length,
      threshold_seconds: config.alertOutboxSeconds,
    },
  });
}

function anonymousStorage({ anonymousBytes: bytes }: Facts, config: AlertConfig): Condition | undefined {
  const { infoPackageAnonymousBytes: limit, alertAnonymousStoragePercent: percent } = config;
  if (bytes * hundred < limit * percent) return undefined;
  return ofServer("anonymous_storage_full", {
    message: `Info packages without an uploader take ${Math.floor((bytes * hundred) / limit)} percent of their space.`,
    details: { bytes, limit_bytes: limit, threshold_percent: percent },
  });
}

function blobStorageFull({ snapshot, readings }: Facts, config: AlertConfig): Condition | undefined {
  const { blobStorageBytes: limit, blobDiskReserveBytes: reserve, alertBlobStoragePercent: percent } = config;
  const bytes = snapshot.levels.blob_bytes;
  const free = readings.flatMap(({ figures }) => figures["blob_disk_free_bytes"] ?? []);
  const isDiskFull = free.some((each) => each < reserve);
  if (bytes * hundred < limit * percent && !isDiskFull) return undefined;
  return ofServer("blob_storage_full", {
    message: isDiskFull
      ? "The disk of the blobs has no room for more of them."
      : `Blobs take ${Math.floor((bytes * hundred) / limit)} percent of their space.`,
    details: {
      bytes,
      limit_bytes: limit,
      threshold_percent: percent,
      disk_free_bytes: free.length === 0 ? null : Math.min(...free),
      disk_reserve_bytes: reserve,
    },
  });
}

function slotStorageFull({ snapshot }: Facts, config: AlertConfig): Condition | undefined {
  const { slotStorageBytes: limit, alertSlotStoragePercent: percent } = config;
  const bytes = snapshot.levels.slot_bytes;
  if (bytes * hundred < limit * percent) return undefined;
  return ofServer("slot_storage_full", {
    message: `Commit slots take ${Math.floor((bytes * hundred) / limit)} percent of their space.`,
    details: { bytes, limit_bytes: limit, threshold_percent: percent },
  });
}

function backupOld({ lastBackup, now }: Facts, config: AlertConfig): Condition | undefined {
  const { alertBackupSeconds, backupDir, backupEvery } = config;
  const threshold = alertBackupSeconds ?? (backupDir === null ? Number.POSITIVE_INFINITY : 2 * backupEvery);
  const since = lastBackup?.finishedAt ?? lastBackup?.watchedSince ?? now;
  const age = secondsSince(since, now);
  if (age < threshold || threshold === Number.POSITIVE_INFINITY) return undefined;
  return ofServer("backup_old", {
    message: problemOfBackup(lastBackup?.finishedAt ?? null, age),
    ...(age !== Number.POSITIVE_INFINITY && { since: since + threshold }),
    details: {
      finished_at: lastBackup?.finishedAt ?? null,
      problem: lastBackup?.problem ?? null,
      threshold_seconds: threshold,
    },
  });
}

function databaseOutdated({ newerMinor }: Facts): Condition | undefined {
  if (newerMinor === null) return undefined;
  const { version, newest } = newerMinor;
  return ofServer("database_outdated", {
    message:
      `The database is PostgreSQL ${version}. PostgreSQL ${newest} is out, and such releases fix weaknesses: update it, or let ` +
      "EMBEDDED_POSTGRES_BIN name newer programs for the embedded one.",
    details: { version, newest_version: newest },
  });
}

function collationChanged({ changedCollation }: Facts): Condition | undefined {
  if (changedCollation === null) return undefined;
  const { recorded, actual } = changedCollation;
  return ofServer("collation_changed", {
    message: `The system orders texts by version ${actual} of the database's collation, and its indexes were made with version ${recorded}.`,
    details: { recorded_version: recorded, actual_version: actual },
  });
}

function problemOfBackup(finishedAt: number | null, age: number): string {
  if (finishedAt === null) return "There is no backup of the database.";
  return age === Number.POSITIVE_INFINITY
    ? "The last backup is dated in the future, so its age is not known."
    : "The last backup is too old.";
}

function deadRows({ deadRows: tables }: Facts): Condition[] {
  return tables.map(({ table, dead, live }) =>
    conditionOf("dead_rows", table, {
      message: `The table ${table} holds ${dead} dead rows: vacuum does not keep up.`,
      details: { table, dead_rows: dead, live_rows: live },
    }),
  );
}

/** What is found out about a condition; its severity, unless it is the usual one. */
type Found = Pick<Condition, "message" | "since"> & Partial<Pick<Condition, "severity" | "details">>;

function conditionOf(condition: AlertKind, subject: string, { details = {}, ...found }: Found): Condition {
  const { component, severities } = alertKinds[condition];
  return { condition, subject, component, severity: severities[0], details, ...found };
}

function ofNode(condition: AlertKind, node: string, found: Found): Condition {
  return conditionOf(condition, node, { ...found, details: { node, ...found.details } });
}

function ofServer(condition: AlertKind, found: Found): Condition {
  return conditionOf(condition, "server", found);
}

function sign({ figures }: NodeReading, name: SignName): number {
  return figures[name] ?? 0;
}
