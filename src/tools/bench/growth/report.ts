import { type ChurnSample, churnedTables } from "./churn.js";
import type { Cost, GrowthStep } from "./measure.js";

const kinds = ["single", "batch", "drain"] as const;
const rates = ["singlesPerSecond", "batchedPerSecond", "polledPerSecond", "acknowledgedPerSecond"] as const;

/** A Markdown table of costs beside those of the smallest level. */
export function describeGrowth(steps: readonly GrowthStep[]): string {
  const [first] = steps;
  if (first === undefined) return "";
  return [
    "| devices | queued | size | single send | message in a batch | poll and acknowledge | of the smallest: | single sends/s | batched/s | polled/s | acknowledged/s |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
    ...steps.map((step) =>
      row(
        ...[count(step.devices), count(step.queued), megabytes(step.bytes)],
        ...kinds.map((kind) => costText(step[kind])),
        kinds.map((kind) => ratio(sum(step[kind]), sum(first[kind]))).join(", "),
        ...rates.map((rate) => `${count(step[rate])} (${ratio(step[rate], first[rate])})`),
      ),
    ),
    "",
    "Times are µs of processor a message, relay + PostgreSQL; rates have the ratio to the smallest in brackets.",
  ].join("\n");
}

const samplesShown = 12;

/** A Markdown table of costs and sizes over the run. */
export function describeChurn(churn: readonly ChurnSample[]): string {
  const every = Math.max(1, Math.ceil(churn.length / samplesShown));
  const shown = churn.filter((_, i) => i % every === 0 || i === churn.length - 1);
  return [
    `| sent and acknowledged | in a batch | poll and acknowledge | ${churnedTables.map((name) => `\`${name}\`: table + indexes, dead rows, vacuums`).join(" | ")} |`,
    `|---|---|---|${churnedTables.map(() => "---|").join("")}`,
    ...shown.map(({ messages, batch, drain, tables }) =>
      row(
        ...[count(messages), costText(batch), costText(drain)],
        ...churnedTables.map((name) => {
          const { table, indexes, deadRows, vacuums } = tables[name];
          return `${megabytes(table)} + ${megabytes(indexes)}, ${count(deadRows)}, ${vacuums}`;
        }),
      ),
    ),
  ].join("\n");
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function sum({ server, database }: Cost): number {
  return server + database;
}

function costText({ server, database }: Cost): string {
  return `${Math.round(server)} + ${Math.round(database)} µs`;
}

function ratio(value: number, first: number): string {
  return (value / first).toFixed(2);
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
