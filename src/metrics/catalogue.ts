import { softwareVersion } from "../platform/software-version.js";
import { boundOf } from "./buckets.js";
import type { Census } from "./census.js";
import type { DurationTotal, Figures } from "./figures.js";
import {
  counterNames,
  counters,
  gaugeNames,
  gauges,
  type HistogramName,
  histogramNames,
  histograms,
  type LevelName,
  levels,
} from "./names.js";
import { daySeconds } from "./resolutions.js";

/** One value of an exported metric. */
export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** A metric as it is exported. */
export interface Exported {
  name: string;
  type: "counter" | "gauge" | "histogram";
  help: string;
  samples: Sample[];
}

/** The names under which levels are exported; those of the tiers share one. */
const levelExports: Readonly<Record<Exclude<LevelName, `tier_${string}`>, string>> = {
  devices: "svc_devices_total",
  active_devices: "svc_devices_active_24h",
  new_devices: "svc_devices_new_24h",
  blocked_devices: "svc_devices_blocked",
  queued_messages: "svc_messages_queued",
  queued_bytes: "svc_messages_queued_bytes",
  outbox_messages: "svc_outbox_messages",
  outbox_bytes: "svc_outbox_bytes",
  federation_peers: "svc_federation_peers_active",
  blocked_servers: "svc_federation_servers_blocked",
  storage_bytes: "svc_storage_bytes",
};
const tiers = ["new", "established", "trusted", "verified"] as const;
/** Exported histograms have a bound at every half of a power of ten; all of them are bounds of the buckets kept. */
const bucketsPerBound = 5;
const boundsExported = 19;

/** Every metric with its present values, over all nodes but for what is labelled `node`. */
export async function readCatalogue(needs: {
  figures: Figures;
  census: Pick<Census, "current">;
  now: number;
}): Promise<Exported[]> {
  const { figures, now } = needs;
  const [census, readings, totals, day] = await Promise.all([
    needs.census.current(),
    figures.readings(),
    figures.totals(counterNames),
    figures.sums(["spam_reports"], now - daySeconds),
  ]);
  const durations = await Promise.all(histogramNames.map((name) => figures.durationTotal(name)));
  return [
    gauge("svc_info", "The version of the server's software.", [{ labels: { version: softwareVersion }, value: 1 }]),
    gauge("svc_nodes", "Nodes that are running.", [{ labels: {}, value: readings.length }]),
    ...Object.entries(levelExports).map(([level, name]) =>
      gauge(name, levels[level as LevelName], [{ labels: {}, value: census.levels[level as LevelName] }]),
    ),
    gauge(
      "svc_devices_by_tier",
      "Devices that are not blocked, by trust tier.",
      tiers.map((tier) => ({ labels: { tier }, value: census.levels[`tier_${tier}`] })),
    ),
    gauge("svc_spam_reports_24h", "Verified spam reports in the last 24 hours.", [
      { labels: {}, value: day.spam_reports },
    ]),
    ...counterNames.map((name) => ({
      ...{ name: `svc_${name}_total`, type: "counter" as const, help: counters[name] },
      samples: [{ name: `svc_${name}_total`, labels: {}, value: totals[name] }],
    })),
    ...histogramNames.map((name, i) => histogram(name, durations[i] as DurationTotal)),
    ...gaugeNames.map((name) =>
      gauge(
        `svc_node_${name}`,
        gauges[name].meaning,
        readings.flatMap(({ nodeId, figures: read }) =>
          read[name] === undefined ? [] : [{ labels: { node: nodeId }, value: read[name] }],
        ),
      ),
    ),
  ];
}

function gauge(name: string, help: string, values: readonly Omit<Sample, "name">[]): Exported {
  return { name, type: "gauge", help, samples: values.map((value) => ({ name, ...value })) };
}

/** In seconds, cumulative, as Prometheus has it. */
function histogram(of: HistogramName, { counts, milliseconds }: DurationTotal): Exported {
  const name = `svc_${of}_seconds`;
  const upTo = (bucket: number): number =>
    [...counts].reduce((sum, [each, count]) => (each <= bucket ? sum + count : sum), 0);
  const buckets = Array.from({ length: boundsExported }, (_, i) => i * bucketsPerBound).map((bucket) => ({
    name: `${name}_bucket`,
    labels: { le: String(Number((boundOf(bucket) / 1000).toPrecision(4))) },
    value: upTo(bucket),
  }));
  const all = upTo(Number.POSITIVE_INFINITY);
  const samples = [
    ...buckets,
    { name: `${name}_bucket`, labels: { le: "+Inf" }, value: all },
    { name: `${name}_sum`, labels: {}, value: milliseconds / 1000 },
    { name: `${name}_count`, labels: {}, value: all },
  ];
  return { name, type: "histogram", help: histograms[of], samples };
}
