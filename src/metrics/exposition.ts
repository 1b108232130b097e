import { type MetricValue, Registry } from "prom-client";
import { csvLine } from "../platform/csv.js";
import type { Exported, Sample } from "./catalogue.js";

/** The metrics in the text format of Prometheus, version 0.0.4. */
export async function asPrometheus(metrics: readonly Exported[]): Promise<string> {
  const registry = new Registry();
  for (const metric of metrics) registry.registerMetric(asMetric(metric) as never);
  return registry.metrics();
}

/**
 * What the registry requires of a metric: its own classes count themselves and cannot take values counted elsewhere.
 */
function asMetric({ name, help, type, samples }: Exported) {
  const values = samples.map(asValue);
  return { name, help, type, aggregator: "max", get: async () => ({ name, help, type, aggregator: "max", values }) };
}

function asValue({ name, labels, value }: Sample): MetricValue<string> & { metricName: string } {
  return { metricName: name, labels: { ...labels }, value };
}

/** One line per sample: name, type, labels as `name=value` joined by semicolons, value. */
export function asCsv(metrics: readonly Exported[]): string {
  const lines = metrics.flatMap(({ type, samples }) =>
    samples.map(({ name, labels, value }) => csvLine([name, type, labelText(labels), value])),
  );
  return [csvLine(["name", "type", "labels", "value"]), ...lines].join("");
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(";");
}
