import { reasons } from "../../generated/reasons.js";

/** Why a message is reported. */
export type Reason = (typeof reasons)[number];

function isReason(text: string): text is Reason {
  return (reasons as readonly string[]).includes(text);
}

/** An unknown reason is recorded as `other`, before the details. */
export function readReason(written: string, details = ""): { reason: Reason; details: string | null } {
  const reason = written.trim().toLowerCase();
  if (isReason(reason)) return { reason, details: details === "" ? null : details };
  return { reason: "other", details: details === "" ? written : `${written}\n${details}` };
}
