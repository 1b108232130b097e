import { interfaceVersion } from "../../generated/routes.js";
import type { Reader } from "../database/db.js";
import { secondsSince } from "../node/clock.js";
import { softwareVersion } from "../platform/software-version.js";
import { daySeconds } from "../protocol/units.js";
import { boundOf } from "./buckets.js";
import type { DurationTotal, Figures } from "./figures.js";
import {
  type CounterName,
  counterNames,
  counters,
  type GaugeName,
  gaugeNames,
  gauges,
  type HistogramName,
  histogramNames,
  histograms,
  type LevelName,
  levels,
  type ReadingName,
  type SignName,
  readings as serverReadings,
  signs,
} from "./names.js";
import { readLastBackup, readOldestOutbox } from "./read-model.js";
import type { Labelled, ServerReadings } from "./server-readings.js";
import type { Snapshot, SnapshotTaken } from "./snapshot.js";
import type { NodeReading } from "./store.js";

/** One value of an exported metric. */
export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** An exported metric. */
export interface Exported {
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  samples: Sample[];
}

export type OwnReading = Pick<NodeReading, "nodeId" | "figures">;

/** The sources of the catalogue's values. */
interface Present {
  snapshot: SnapshotTaken;
  readings: readonly NodeReading[];
  totals: Readonly<Record<CounterName, number>>;
  durations: ReadonlyMap<HistogramName, DurationTotal>;
  reportsToday: number;
  /** Seconds since the last backup was finished; null if there is none. */
  backupAge: number | null;
  /** Seconds since the oldest waiting message for another server was accepted; 0 if none is waiting. */
  outboxAge: number;
  serverReadings: ServerReadings;
}

interface Entry extends Omit<Exported, "samples"> {
  read(present: Present): Sample[];
}

/** The names under which levels are exported; the levels of the tiers share one name. */
const levelExports: Readonly<Record<Exclude<LevelName, `tier_${string}`>, string>> = {
  devices: "svc_devices_total",
  active_devices: "svc_devices_active_24h",
  new_devices: "svc_devices_new_24h",
  blocked_devices: "svc_devices_blocked",
  queued_messages: "svc_messages_queued",
  queued_bytes: "svc_messages_queued_bytes",
  outbox_messages: "svc_outbox_messages",
  outbox_bytes: "svc_outbox_bytes",
  slot_bytes: "svc_slots_bytes",
  blobs: "svc_blobs",
  blob_bytes: "svc_blob_bytes",
  federation_peers: "svc_federation_peers_active",
  blocked_servers: "svc_federation_servers_blocked",
  storage_bytes: "svc_storage_bytes",
};
const tiers = ["new", "established", "trusted", "verified"] as const;
/** Exported histograms have a bound at every half of a power of ten; all of them are bounds of the buckets kept. */
const bucketsPerBound = 5;
const boundsExported = 19;

/** Every metric that is exported. */
export const catalogue: readonly Entry[] = [
  gauge("svc_info", "The versions of the interface and of the server's software.", () => [
    [{ version: interfaceVersion, software_version: softwareVersion }, 1],
  ]),
  gauge("svc_nodes", "Nodes that are running.", ({ readings }) => [[{}, readings.length]]),
  ...Object.entries(levelExports).map(([level, name]) =>
    gauge(name, levels[level as LevelName], ({ snapshot }) => [[{}, snapshot.levels[level as LevelName]]]),
  ),
  gauge("svc_devices_by_tier", "Devices that are not blocked, by trust tier.", ({ snapshot }) =>
    tiers.map((tier) => [{ tier }, snapshot.levels[`tier_${tier}`]]),
  ),
  gauge("svc_spam_reports_24h", "Verified spam reports in the last 24 hours.", (present) => [
    [{}, present.reportsToday],
  ]),
  gauge("svc_component_health", serverReadings.component_health, readingOf("component_health")),
  gauge("svc_alert_active", serverReadings.alert_active, readingOf("alert_active")),
  gauge(
    "svc_outbox_oldest_seconds",
    "Age of the oldest message that waits for another server; 0 for none.",
    (present) => [[{}, present.outboxAge]],
  ),
  gauge(
    "svc_certificate_expiry_timestamp_seconds",
    "When the node's TLS certificate ends, Unix time.",
    ({ readings }) => samplesByNode(readings, "certificate_expires_at").filter(([, at]) => at > 0),
  ),
  gauge(
    "svc_wake_up_bus_gone_timestamp_seconds",
    "Since when the node has been without its wake-up bus, Unix time; omitted while it has one or needs none.",
    ({ readings }) => samplesByNode(readings, "wake_up_bus_gone_at").filter(([, at]) => at > 0),
  ),
  gauge(
    "svc_backup_age_seconds",
    "Time since the last backup was finished; omitted if there is none, or it is dated in the future.",
    (present) =>
      present.backupAge === null || present.backupAge === Number.POSITIVE_INFINITY ? [] : [[{}, present.backupAge]],
  ),
  gauge("svc_disk_free_bytes", signs.disk_free_bytes, ({ readings }) => samplesByNode(readings, "disk_free_bytes")),
  gauge("svc_blob_disk_free_bytes", signs.blob_disk_free_bytes, ({ readings }) =>
    samplesByNode(readings, "blob_disk_free_bytes"),
  ),
  ...counterNames.map(counter),
  ...histogramNames.map(histogram),
  ...gaugeNames.map(nodeGauge),
];

/** Every metric with its current value, over all nodes, except metrics with the label `node`. */
export async function readCatalogue(deps: {
  reader: Reader;
  figures: Figures;
  snapshot: Pick<Snapshot, "current">;
  /** This node's own current readings, which may be more than it could write. */
  own: OwnReading;
  /** What other modules report about the whole server. */
  readServer: () => Promise<ServerReadings>;
  now: number;
}): Promise<Exported[]> {
  const { figures, now } = deps;
  const durationOf = async (name: HistogramName) => [name, await figures.durationTotal(name)] as const;
  const [snapshot, written, totals, day, durations, backedUpAt, oldestOutbox, serverReadings] = await Promise.all([
    deps.snapshot.current(),
    figures.readings(),
    figures.totals(counterNames),
    figures.sums(["spam_reports"], now - daySeconds),
    Promise.all(histogramNames.map(durationOf)),
    readLastBackup(deps.reader),
    readOldestOutbox(deps.reader),
    deps.readServer(),
  ]);
  const readings = written.map((reading) =>
    reading.nodeId === deps.own.nodeId ? { ...reading, ...deps.own } : reading,
  );
  const backupAge = backedUpAt === null ? null : secondsSince(backedUpAt, now);
  const present = {
    snapshot,
    readings,
    totals,
    durations: new Map(durations),
    reportsToday: day.spam_reports,
    backupAge,
    outboxAge: oldestOutbox === null ? 0 : Math.max(0, now - oldestOutbox),
    serverReadings,
  };
  return catalogue.map(({ read, ...entry }) => ({ ...entry, samples: read(present) }));
}

function readingOf(name: ReadingName): (present: Present) => Labelled[] {
  return ({ serverReadings: found }) => [...found[name]];
}

function gauge(name: string, help: string, read: (present: Present) => Labelled[]): Entry {
  const samplesOf = (present: Present) => read(present).map(([labels, value]) => ({ name, labels, value }));
  return { name, type: "gauge", help, read: samplesOf };
}

function counter(of: CounterName): Entry {
  const name = `svc_${of}_total`;
  return { name, type: "counter", help: counters[of], read: ({ totals }) => [{ name, labels: {}, value: totals[of] }] };
}

function nodeGauge(of: GaugeName): Entry {
  return gauge(`svc_node_${of}`, gauges[of].meaning, ({ readings }) => samplesByNode(readings, of));
}

function samplesByNode(readings: readonly NodeReading[], of: GaugeName | SignName): Labelled[] {
  return readings.flatMap(({ nodeId, figures }) => {
    const value = figures[of];
    return value === undefined ? [] : [[{ node: nodeId }, value] satisfies Labelled];
  });
}

/** In seconds and cumulative, as Prometheus expects. */
function histogram(of: HistogramName): Entry {
  const name = `svc_${of}_seconds`;
  const read = ({ durations }: Present): Sample[] => {
    const { counts, milliseconds } = durations.get(of) as DurationTotal;
    const upTo = (max: number) => [...counts].reduce((sum, [each, count]) => (each <= max ? sum + count : sum), 0);
    const all = upTo(Number.POSITIVE_INFINITY);
    const bounds = Array.from({ length: boundsExported }, (_, i) => i * bucketsPerBound);
    return [
      ...bounds.map((bucket) => ({ name: `${name}_bucket`, labels: { le: boundText(bucket) }, value: upTo(bucket) })),
      { name: `${name}_bucket`, labels: { le: "+Inf" }, value: all },
      { name: `${name}_sum`, labels: {}, value: milliseconds / 1000 },
      { name: `${name}_count`, labels: {}, value: all },
    ];
  };
  return { name, type: "histogram", help: histograms[of], read };
}

function boundText(bucket: number): string {
  return String(Number((boundOf(bucket) / 1000).toPrecision(4)));
}
