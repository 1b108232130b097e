import type { AuditService } from "../audit/service.js";
import type { BackupOperations, BackupOverview } from "../backup/service.js";
import type { Database } from "../database/db.js";
import { RelayError } from "../protocol/errors.js";
import { type Actor, auditedBy } from "./actor.js";

/** Backups, as administrators manage them. */
export type BackupAdministration = ReturnType<typeof createBackupAdministration>;

export function createBackupAdministration(deps: {
  db: Database;
  backups: BackupOperations;
  audit: Pick<AuditService, "record">;
}) {
  const { db, backups, audit } = deps;
  return {
    list: (): Promise<BackupOverview> => backups.overview(),
    /** Asks the leading node for a backup; returns when (Unix seconds). Throws CONFLICT. */
    request: (actor: Actor): Promise<number> =>
      db.transaction(async (trx) => {
        const outcome = await backups.request(trx);
        if ("refusal" in outcome) throw new RelayError("CONFLICT", outcome.refusal);
        await audit.record(trx, { ...auditedBy(actor), action: "backup_requested", target: null, details: {} });
        return outcome.requestedAt;
      }),
  };
}
