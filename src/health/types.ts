import type { components } from "../../generated/openapi-types.js";

export type Severity = components["schemas"]["Alert"]["severity"];
export type AlertComponent = components["schemas"]["Alert"]["component"];

/** A state of the server that an alert reports. */
export interface Condition {
  /** The kind of trouble in one word, for instance `disk_full`. */
  condition: string;
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
