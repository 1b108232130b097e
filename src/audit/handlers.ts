import type { AdminAuditHandlers, Call } from "../../generated/handlers.js";
import type { Clock } from "../node/clock.js";
import { deviceIdCandidates } from "../protocol/identifiers.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { daySeconds } from "../protocol/units.js";
import { asCsv, asJson, showEntry } from "./export.js";
import type { AuditLog, AuditQuestion } from "./service.js";

/** The audit log on the wire. */
export function createAuditHandlers(deps: {
  log: AuditLog;
  clock: Clock;
  /** Counts an administrator's query; throws RATE_LIMIT_EXCEEDED. */
  allow: (deviceId: string, observer: LimitObserver) => Promise<void>;
}): AdminAuditHandlers {
  const { log, clock, allow } = deps;
  return {
    async listAuditEntries(call) {
      await allow(call.principal.deviceId, call);
      const { limit, offset = 0 } = call.query;
      const asked = questionOf(call.query, clock.nowSeconds());
      const { entries, total } = await log.page({ ...asked, offset, ...(limit !== undefined && { limit }) });
      const next = offset + entries.length;
      const hasMore = entries.length > 0 && next < total;
      return call.reply({
        status: 200,
        body: {
          entries: entries.map(showEntry),
          total_count: total,
          has_more: hasMore,
          next_offset: hasMore ? next : null,
        },
      });
    },
    async exportAuditEntries(call) {
      await allow(call.principal.deviceId, call);
      const { format = "csv" } = call.query;
      const asked = questionOf(call.query, clock.nowSeconds());
      const steps = await log.read(asked);
      const name = `audit-${asked.since}-${asked.until}.${format}`;
      const shared = { status: 200, headers: { "Content-Disposition": `attachment; filename="${name}"` } } as const;
      return format === "csv"
        ? call.reply({ ...shared, type: "text/csv", body: asCsv(steps) })
        : call.reply({ ...shared, body: asJson(steps) });
    },
  };
}

/** A device may also be named by its public key; any other target is used unchanged. */
function questionOf(query: Call<"exportAuditEntries">["query"], now: number): AuditQuestion {
  const { admin, target } = query;
  return {
    since: query.since ?? now - daySeconds,
    until: query.until ?? now,
    action: query.action ?? null,
    admins: admin === undefined ? null : deviceIdCandidates(admin),
    adminPrefix: query.admin_prefix ?? null,
    targets: target === undefined ? null : [...new Set([target, ...deviceIdCandidates(target)])],
    targetPrefix: query.target_prefix ?? null,
  };
}
