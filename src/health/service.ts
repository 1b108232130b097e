import type { Database } from "../database/db.js";
import type { MetricsService } from "../metrics/service.js";
import type { Clock, ClockJump } from "../node/clock.js";
import type { Nodes } from "../node/nodes.js";
import type { Schedule } from "../node/schedule.js";
import { createPeriodic } from "../platform/concurrency/periodic.js";
import type { ServerConfig } from "../platform/config/server.js";
import type { Logger } from "../platform/logger.js";
import type { Machine } from "../process/machine.js";
import type { SettingsService } from "../settings/service.js";
import type { AlertChannelConfig } from "./alert-channels.js";
import {
  type AlertConfig,
  clockJumpedFor,
  conditionsMet,
  databaseGoneFor,
  isUndecided,
  writesRefusedFor,
} from "./alert-conditions.js";
import { createAlertNotices } from "./alert-notices.js";
import { alertOf, createAlerts, maxAlerts } from "./alerts.js";
import type { HealthSettings } from "./config.js";
import { createDatabaseWatch, type DatabaseWatch, inTime } from "./database-watch.js";
import { type Components, type EvaluationConfig, evaluateComponents, evaluateWithoutDatabase } from "./evaluate.js";
import { collectFacts } from "./facts.js";
import { activeAlerts, componentHealth, createCertificateWatch, exportSigns } from "./health-metrics.js";
import { observe } from "./observe.js";
import { createOpenFilesWatch } from "./open-files-watch.js";
import { createSharedDatabaseCheck } from "./shared-database-check.js";
import type { Alert } from "./types.js";
import { createWriteWatch, type WriteWatch, type WriteWatchLimits } from "./write-watch.js";

export { createLastKnown } from "./last-known-tokens.js";
export type { Alert } from "./types.js";

/** Whether the server's components work, and what needs attention. */
export interface HealthService {
  /** Starts watching the state of this node. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The current state of the components; also answered without the database. */
  components(): Promise<Components>;
  /** Active alerts; without the database, the last known ones and those that this node knows. */
  alerts(): Promise<Alert[]>;
  /** Why the database cannot be used now, also if no answer comes in time; null if it can. */
  databaseTrouble(): Promise<"disk" | "database" | null>;
  /** Whether this node can open no further file; null if it can. */
  filesTrouble(): "files" | null;
  /** Raises and clears alerts, for all nodes. */
  check(): Promise<void>;
  /** Sends what was raised and cleared to the operator, for all nodes. */
  sendNotices(): Promise<void>;
  /** Deletes alerts that ended long ago. */
  removeOld(): Promise<void>;
}

interface HealthDeps {
  db: Database;
  clock: Clock;
  /** Why the database's time is not trusted; null while it is. */
  clockJump: () => ClockJump | null;
  logger: Logger;
  nodes: Pick<Nodes, "nodeId" | "isAlive">;
  settings: Pick<SettingsService, "current">;
  metrics: MetricsService;
  machine: Pick<Machine, "cpuPercent">;
  config: AlertConfig &
    AlertChannelConfig &
    EvaluationConfig &
    HealthSettings &
    WriteWatchLimits &
    Pick<ServerConfig, "tlsCertFile"> & { readonly metricsFlushSeconds: number };
}

export function createHealthService(deps: HealthDeps): HealthService {
  const { clock, nodes, settings, metrics, config, logger } = deps;
  const database = createDatabaseWatch(deps);
  const writes = createWriteWatch(deps);
  const openFiles = createOpenFilesWatch(deps);
  const readiness = createSharedDatabaseCheck(deps);
  const certificate = createCertificateWatch({ file: config.tlsCertFile, logger });
  const notices = createAlertNotices(deps);
  const alerts = createAlerts({ ...deps, channels: notices.channels });
  let lastAlerts: Alert[] = [];

  const look = async (): Promise<void> => {
    await certificate.look();
    if (database.isGone() || writes.trouble() !== null) notices.sendDirectly(own());
    if ((await database.ask()) !== null) lastAlerts = await inTime(alerts.active(), config.healthTimeoutMillis);
  };
  const periodic = createPeriodic({
    everyMillis: config.alertCheckSeconds * 1000,
    run: look,
    failed: (error) => logger.warn({ err: error }, "the state of the server could not be read"),
  });
  const own = () => ownAlerts(deps, { database, writes });

  const service: HealthService = {
    async start() {
      await writes.look();
      exportSigns(deps, { database, certificate, writes, openFiles });
      metrics.provide("component_health", async () => componentHealth(await service.components()));
      metrics.provide("alert_active", async () => activeAlerts(await service.alerts()));
      await periodic.run();
      writes.start();
      openFiles.start();
      periodic.start();
    },
    async stop() {
      await Promise.all([periodic.stop(), writes.stop(), openFiles.stop()]);
      await notices.stop();
    },
    async components() {
      const federationEnabled = settings.current().federation.enabled;
      const databaseMillis = await database.ask();
      const known = { writeTrouble: writes.trouble(), federationEnabled };
      const observed = databaseMillis === null ? null : await observe(deps, { ...known, databaseMillis });
      if (observed !== null) return evaluateComponents(observed, config);
      const streams = metrics.own()["websocket_connections"] ?? 0;
      return evaluateWithoutDatabase({ streams, federationEnabled }, config);
    },
    async alerts() {
      await periodic.run();
      const known = new Set(own().map(({ id }) => id));
      return [...own(), ...lastAlerts.filter(({ id }) => !known.has(id))].slice(0, maxAlerts);
    },
    async databaseTrouble() {
      const trouble = writes.trouble();
      if (trouble !== null) return trouble.reason === "full" ? "disk" : "database";
      return (await readiness.check()) ? null : "database";
    },
    filesTrouble: () => (openFiles.isExhausted() ? "files" : null),
    sendNotices: notices.sendDue,
    removeOld: () => alerts.removeBefore(clock.nowSeconds() - config.alertKeptSeconds),
    async check() {
      const facts = await collectFacts(deps);
      const known = { readings: facts.readings, isAlive: nodes.isAlive };
      await alerts.settle(conditionsMet(facts, config), (alert) => isUndecided(alert, known));
    },
  };
  return service;
}

/** What this node knows itself, whether or not it can be written. */
function ownAlerts(
  { nodes, clockJump, config }: HealthDeps,
  { database, writes }: { database: DatabaseWatch; writes: WriteWatch },
): Alert[] {
  const goneAt = database.goneAt();
  const jump = clockJump();
  const trouble = writes.trouble();
  return [
    ...(goneAt === 0 ? [] : [alertOf(databaseGoneFor(nodes.nodeId, goneAt), goneAt)]),
    ...(trouble === null ? [] : [alertOf(writesRefusedFor(nodes.nodeId, trouble), trouble.since)]),
    ...(jump === null ? [] : [alertOf(clockJumpedFor(nodes.nodeId, jump, config), jump.since)]),
  ];
}

/** Scheduled jobs: one node checks the conditions of alerts, for all nodes. */
export function scheduleHealthJobs(
  schedule: Pick<Schedule, "every" | "cleanUpEvery">,
  health: Pick<HealthService, "check" | "sendNotices" | "removeOld">,
  config: Pick<HealthSettings, "alertCheckSeconds">,
): void {
  schedule.every("health.alerts", config.alertCheckSeconds, () => health.check());
  schedule.every("health.push-alerts", config.alertCheckSeconds, () => health.sendNotices());
  schedule.cleanUpEvery("health.forget-alerts", config.alertCheckSeconds, () => health.removeOld());
}
