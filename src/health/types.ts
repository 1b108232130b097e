import type { components } from "../../generated/openapi-types.js";

type Severity = components["schemas"]["Alert"]["severity"];
type AlertComponent = components["schemas"]["Alert"]["component"];

interface AlertKindRow {
  component: AlertComponent;
  severities: readonly [Severity, ...Severity[]];
}

/**
 * Every kind of alert: what it is about, and the severities that it can have, the usual one first. The names never
 * change: rules, silences and the headings of docs/how-to/alerts.md use them.
 */
export const alertKinds = {
  cpu_high: { component: "server", severities: ["warning"] },
  certificate_ending: { component: "server", severities: ["warning", "critical"] },
  certificate_not_issued: { component: "server", severities: ["warning"] },
  untrusted_proxy: { component: "server", severities: ["warning"] },
  open_files_exhausted: { component: "server", severities: ["critical"] },
  wake_up_bus_gone: { component: "server", severities: ["warning"] },
  database_gone: { component: "database", severities: ["critical"] },
  database_slow: { component: "database", severities: ["warning"] },
  clock_jumped: { component: "database", severities: ["critical"] },
  disk_full: { component: "database", severities: ["critical"] },
  database_read_only: { component: "database", severities: ["critical"] },
  writes_unconfirmed: { component: "database", severities: ["critical"] },
  database_outdated: { component: "database", severities: ["warning"] },
  collation_changed: { component: "database", severities: ["warning"] },
  dead_rows: { component: "database", severities: ["warning"] },
  backup_old: { component: "database", severities: ["warning"] },
  queue_growth: { component: "message_queue", severities: ["warning"] },
  outbox_stuck: { component: "federation", severities: ["warning"] },
  outbox_refused: { component: "federation", severities: ["warning"] },
  pushes_failing: { component: "message_queue", severities: ["warning"] },
  proof_queue_full: { component: "registration", severities: ["warning"] },
  anonymous_storage_full: { component: "server", severities: ["warning"] },
  blob_storage_full: { component: "server", severities: ["warning"] },
  blob_storage_failing: { component: "server", severities: ["warning"] },
  slot_storage_full: { component: "server", severities: ["warning"] },
  spam_spike: { component: "moderation", severities: ["warning"] },
} as const satisfies Record<string, AlertKindRow>;

export type AlertKind = keyof typeof alertKinds;

/** A state of the server that an alert reports. */
export interface Condition {
  /** The kind of trouble in one word, for instance `disk_full`. */
  condition: AlertKind;
  /** The node, server or table that it concerns. */
  subject: string;
  severity: Severity;
  component: AlertComponent;
  message: string;
  /** Its beginning in Unix seconds, if known; otherwise the alert begins when the condition is first seen. */
  since?: number;
  /** The measured values and the threshold. */
  details: Readonly<Record<string, unknown>>;
}

/** A condition that is met, or was. */
export interface Alert extends Omit<Condition, "since"> {
  id: string;
  startedAt: number;
}
