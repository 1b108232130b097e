import { daySeconds } from "../../protocol/units.js";
import type { Context } from "./flush.js";
import type { Decided } from "./model/stages.js";

/** When a message leaves its queue unread: after its lifetime, or earlier by the rules of the server or the recipient. */
export function expiryOf({ envelope, recipient }: Decided["message"], { now, settings }: Context): number {
  const days = settings.server.max_retention_days;
  const retentionDays = Math.min(days, recipient?.max_retention_days ?? days);
  return now + Math.min(retentionDays * daySeconds, envelope.lifetimeSeconds ?? Number.POSITIVE_INFINITY);
}
