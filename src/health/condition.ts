import type { components } from "../../generated/openapi-types.js";

export type Severity = components["schemas"]["Alert"]["severity"];
export type AlertComponent = components["schemas"]["Alert"]["component"];

/** Something that is not as it should be. */
export interface Condition {
  /** What: one word for a kind of trouble, and with whom or what. */
  condition: string;
  subject: string;
  severity: Severity;
  component: AlertComponent;
  message: string;
  /** Since when, in Unix seconds, where that is known; else since it was first seen. */
  since?: number;
  /** The figures behind it, with the threshold. */
  details: Readonly<Record<string, unknown>>;
}

/** A condition that is or was met. */
export interface Alert extends Omit<Condition, "since"> {
  id: string;
  startedAt: number;
}
