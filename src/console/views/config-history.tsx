import type { AnswerOf } from "../../client/connection/calls.js";
import { AdminLink } from "../device-link.js";
import { texts } from "../texts.js";

type Entry = AnswerOf<"listAuditEntries">["entries"][number];
type Value = string | number | boolean;

/** Who changed a setting last, and from what. `admin` is null for the operator. */
export interface LastChange {
  at: number;
  admin: string | null;
  before: Value;
}

/** The last change of each setting, by `group.name`. */
export type History = ReadonlyMap<string, LastChange>;

/** Reads the last changes out of entries of the audit log, the latest of which come first. */
export function historyOf(entries: readonly Entry[]): History {
  const history = new Map<string, LastChange>();
  for (const { timestamp: at, admin, details } of entries) {
    const changes = (details as { changes?: Record<string, { old?: Value }> }).changes ?? {};
    for (const [setting, { old: before }] of Object.entries(changes)) {
      if (before !== undefined && !history.has(setting)) history.set(setting, { at, admin, before });
    }
  }
  return history;
}

export function ChangedBy({ admin }: { admin: string | null }) {
  return admin === null ? <span>{texts.configuration.operator}</span> : <AdminLink id={admin} />;
}
