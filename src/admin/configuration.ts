import type { AuditService } from "../audit/service.js";
import type { SettingsChange, SettingsPatch, SettingsService } from "../settings/service.js";
import { type Actor, auditedBy } from "./actor.js";
import type { AdminAllowances } from "./rate-limits.js";

/** The configuration in the hands of administrators. */
export interface Configuration {
  /** Throws RATE_LIMIT_EXCEEDED, or as `SettingsService.update`. */
  update(patch: SettingsPatch, actor: Actor): Promise<SettingsChange>;
}

const auditTarget = "configuration";

/** Counts each attempt, and records each change with the values before and after it. */
export function createConfiguration(deps: {
  settings: Pick<SettingsService, "update">;
  audit: Pick<AuditService, "record">;
  allowances: Pick<AdminAllowances, "take">;
}): Configuration {
  const { settings, audit, allowances } = deps;
  return {
    async update(patch, actor) {
      await allowances.take(actor.deviceId, "config_updates");
      return settings.update(patch, actor.deviceId, async (trx, change) => {
        const details = { changes: changesOf(change) };
        await audit.record(trx, { ...auditedBy(actor), action: "config_updated", target: auditTarget, details });
      });
    },
  };
}

/** What a change did, as the audit log keeps it. */
export function changesOf({ updatedFields, before, after }: SettingsChange): Record<string, object> {
  return Object.fromEntries(updatedFields.map((name) => [name, { old: before[name], new: after[name] }]));
}
