import type { components } from "../../generated/openapi-types.js";
import type { Alert } from "./types.js";

/** What the API and `mls-relay status --json` show of an alert. */
export function showAlert(alert: Alert): components["schemas"]["Alert"] {
  const { id, severity, component, message, startedAt, details } = alert;
  return { id, severity, component, message, started_at: startedAt, details: { ...details } };
}
