import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Labelled, MetricsService } from "../metrics/service.js";
import type { Clock, ClockJump } from "../node/clock.js";
import type { Logger } from "../platform/logger.js";
import type { Machine } from "../process/machine.js";
import type { AlertConfig } from "./alert-conditions.js";
import { createDuration, type DatabaseWatch } from "./database-watch.js";
import { type Components, type HealthStatus, overallStatus } from "./evaluate.js";
import type { OpenFilesWatch } from "./open-files-watch.js";
import { type Alert, alertKinds } from "./types.js";
import type { WriteTrouble, WriteWatch } from "./write-watch.js";

// What this node's metrics say about its health: the values that alerts are evaluated by, the components and the alerts.

interface SignsDeps {
  clock: Clock;
  clockJump: () => ClockJump | null;
  metrics: Pick<MetricsService, "gauge">;
  machine: Pick<Machine, "cpuPercent">;
  config: Pick<AlertConfig, "alertCpuPercent">;
}

/** Adds the values by which alerts are evaluated to this node's metrics, for the other nodes. */
export function exportSigns(
  { metrics, machine, clock, clockJump, config }: SignsDeps,
  watches: { database: DatabaseWatch; certificate: CertificateWatch; writes: WriteWatch; openFiles: OpenFilesWatch },
): void {
  const { database, certificate, writes, openFiles } = watches;
  const since = (reason: WriteTrouble["reason"]) =>
    (writes.trouble()?.reason === reason ? writes.trouble()?.since : 0) ?? 0;
  const busy = createDuration();
  metrics.gauge("cpu_high_seconds", () => {
    return busy.note(machine.cpuPercent() > config.alertCpuPercent, clock.nowSeconds());
  });
  metrics.gauge("database_millis", database.millis);
  metrics.gauge("database_slow_seconds", database.slowSeconds);
  metrics.gauge("database_gone_at", database.goneAt);
  metrics.gauge("disk_full_at", () => since("full"));
  metrics.gauge("read_only_at", () => since("read-only"));
  metrics.gauge("writes_unconfirmed_at", () => since("unconfirmed"));
  if (writes.diskFreeBytes() !== null) metrics.gauge("disk_free_bytes", () => writes.diskFreeBytes() ?? 0);
  metrics.gauge("clock_jumped_at", () => clockJump()?.since ?? 0);
  metrics.gauge("clock_jump_seconds", () => clockJump()?.seconds ?? 0);
  metrics.gauge("certificate_expires_at", certificate.expiresAt);
  metrics.gauge("open_files_exhausted_at", openFiles.since);
}

const valueOfStatus: Readonly<Record<HealthStatus, number>> = { healthy: 1, degraded: 0.5, unhealthy: 0 };

/** The state of every component, and of the whole as `server`. */
export function componentHealth(components: Components): Labelled[] {
  const parts = Object.entries(components).map(([component, { status }]) => [component, status] as const);
  return [...parts, ["server", overallStatus(components)] as const].map(([component, status]) => [
    { component },
    valueOfStatus[status],
  ]);
}

/** How many alerts of every kind and severity are active. */
export function activeAlerts(alerts: readonly Alert[]): Labelled[] {
  return Object.entries(alertKinds).flatMap(([alert, { severities }]) =>
    severities.map((severity): Labelled => {
      const active = alerts.filter((each) => each.condition === alert && each.severity === severity);
      return [{ alert, severity }, active.length];
    }),
  );
}

/** When a certificate file's first certificate ends. */
type CertificateWatch = ReturnType<typeof createCertificateWatch>;

export function createCertificateWatch(deps: { file: string | null; logger: Logger }) {
  const { file, logger } = deps;
  let expiresAt = 0;
  return {
    /** Reads the file; a file that cannot be read leaves what was known. */
    async look(): Promise<void> {
      if (file === null) return;
      try {
        expiresAt = Math.floor(Date.parse(new X509Certificate(await readFile(file)).validTo) / 1000);
      } catch (error) {
        logger.warn({ err: error }, "the certificate could not be read");
      }
    },
    /** Unix seconds; 0 where there is no file. */
    expiresAt: (): number => expiresAt,
  };
}
