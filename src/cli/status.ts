import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { showBacklog } from "../admin/answers.js";
import { readBackupState } from "../backup/service.js";
import { showAlert } from "../health/answers.js";
import { clearScreen } from "../platform/print.js";
import { mebibyte } from "../protocol/units.js";
import { jsonOption, type ShowOptions, show, table, timeOf } from "./output.js";
import { readNodes } from "./read-model.js";
import { type ServicesContext, withServices } from "./services.js";

const everyMillis = 2_000;
const alertsShown = 10;
const nodesShown = 8;

export function statusCommand(): Command {
  return new Command("status")
    .description("show nodes, devices, queues, the outbox, alerts and the last backup on one screen")
    .option("--watch", "refresh every two seconds until Ctrl-C")
    .option(...jsonOption)
    .action((options: ShowOptions & { watch?: boolean }) =>
      withServices(async (context) => {
        const stopped = new AbortController();
        if (options.watch)
          for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopped.abort());
        do {
          const status = await readStatus(context);
          if (options.watch && process.stdout.isTTY) clearScreen();
          show(view(status), options, () => describe(status));
          if (options.watch) await sleep(everyMillis, undefined, { signal: stopped.signal }).catch(() => undefined);
        } while (options.watch && !stopped.signal.aborted);
      }),
    );
}

async function readStatus({ services, db, clock, config }: ServicesContext) {
  const now = clock.nowSeconds();
  const [snapshot, nodes, alerts, backlogs, backup] = await Promise.all([
    services.metrics.snapshot.current(),
    readNodes(db),
    services.health.alerts(),
    services.federation.outbox.backlogs(db, 1),
    readBackupState(db, now),
  ]);
  return { domain: config.domain, now, nodes, levels: snapshot.levels, alerts, fullest: backlogs[0] ?? null, backup };
}

type Status = Awaited<ReturnType<typeof readStatus>>;

function view({ domain, now, nodes, levels, alerts, fullest, backup }: Status) {
  return {
    domain,
    timestamp: now,
    nodes: nodes.map(({ nodeId, startedAt, version, streams }) => {
      return { node_id: nodeId, started_at: startedAt, software_version: version, streams };
    }),
    levels,
    alerts: alerts.map((alert) => ({ ...showAlert(alert), condition: alert.condition })),
    fullest: fullest === null ? null : showBacklog(fullest),
    backup: {
      watched_since: backup.watchedSince,
      started_at: backup.startedAt,
      finished_at: backup.finishedAt,
      bytes: backup.bytes,
      problem: backup.problem,
      requested_at: backup.requestedAt,
      running_since: backup.runningSince,
    },
  };
}

function describe({ domain, now, nodes, levels, alerts, fullest, backup }: Status): string[] {
  const size = (bytes: number) => `${(bytes / mebibyte).toFixed(1)} MiB`;
  const worst = fullest === null ? "" : `; most for ${fullest.domain} (${fullest.failures} failures)`;
  return [
    `${domain} at ${timeOf(now)}`,
    ...table([
      ["nodes", nodes.length === 0 ? "none is running" : String(nodes.length)],
      ...nodes
        .slice(0, nodesShown)
        .map((node) => [
          `  ${node.nodeId}`,
          `version ${node.version}, up since ${timeOf(node.startedAt)}, ${node.streams} streams`,
        ]),
      ["devices", `${levels.devices}, ${levels.active_devices} active in 24 h, ${levels.blocked_devices} blocked`],
      ["queues", `${levels.queued_messages} messages, ${size(levels.queued_bytes)}`],
      ["outbox", `${levels.outbox_messages} messages, ${size(levels.outbox_bytes)}${worst}`],
      ["blobs", `${levels.blobs}, ${size(levels.blob_bytes)}`],
      ["database", size(levels.storage_bytes)],
      ["last backup", backup.finishedAt === null ? "none" : timeOf(backup.finishedAt)],
      ["alerts", alerts.length === 0 ? "none" : String(alerts.length)],
      ...alerts.slice(0, alertsShown).map((alert) => [`  ${alert.severity}`, `${alert.condition}: ${alert.message}`]),
    ]),
  ];
}
