import type { components } from "../../generated/openapi-types.js";

type Severity = components["schemas"]["Alert"]["severity"];
type AlertComponent = components["schemas"]["Alert"]["component"];

/**
 * Every kind of alert with the severities that it can have, the usual one first. The names never change: rules,
 * silences and the headings of docs/how-to/alerts.md use them.
 */
export const alertKinds = {
  cpu_high: ["warning"],
  certificate_ending: ["warning", "critical"],
  certificate_not_issued: ["warning"],
  untrusted_proxy: ["warning"],
  wake_up_bus_gone: ["warning"],
  database_gone: ["critical"],
  database_slow: ["warning"],
  clock_jumped: ["critical"],
  disk_full: ["critical"],
  database_read_only: ["critical"],
  writes_unconfirmed: ["critical"],
  dead_rows: ["warning"],
  backup_old: ["warning"],
  queue_growth: ["warning"],
  outbox_stuck: ["warning"],
  outbox_refused: ["warning"],
  pushes_failing: ["warning"],
  proof_queue_full: ["warning"],
  anonymous_storage_full: ["warning"],
  spam_spike: ["warning"],
} as const satisfies Record<string, readonly Severity[]>;

type AlertKind = keyof typeof alertKinds;

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
