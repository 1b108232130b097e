import type { AuditService } from "../audit/service.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import type { SettingsChange, SettingsPatch, SettingsService } from "../settings/service.js";
import { type Actor, auditedBy } from "./actor.js";
import type { AdminCallLimits } from "./call-limits.js";

/** The configuration, as administrators change it. */
export type Configuration = ReturnType<typeof createConfiguration>;

const auditTarget = "configuration";

/** Counts each attempt, and records each change with the values before and after it. */
export function createConfiguration(deps: {
  settings: Pick<SettingsService, "update">;
  audit: Pick<AuditService, "record">;
  callLimits: Pick<AdminCallLimits, "take">;
}) {
  const { settings, audit, callLimits } = deps;
  return {
    /** Changes settings. Throws RATE_LIMIT_EXCEEDED, and the errors of `SettingsService.update`. */
    async update(patch: SettingsPatch, actor: Actor, observer?: LimitObserver): Promise<SettingsChange> {
      await callLimits.take(actor.deviceId, "config_updates", observer);
      return settings.update(patch, actor.deviceId, async (trx, change) => {
        const details = { changes: changesOf(change) };
        await audit.record(trx, { ...auditedBy(actor), action: "config_updated", target: auditTarget, details });
      });
    },
  };
}

/** The old and new values of a change, as the audit log stores them. */
export function changesOf({ updatedFields, before, after }: SettingsChange): Record<string, object> {
  return Object.fromEntries(updatedFields.map((name) => [name, { old: before[name], new: after[name] }]));
}
