import type { Db } from "../database/db.js";
import type { Clock } from "../node/clock.js";
import type { BackupSettings } from "./config.js";
import { type BackupState, type FinishedBackup, readBackupState, readHistory, recordRequest } from "./store.js";

/** The schedule of backups. `enabled` is false if the relay has no folder for them. */
interface BackupSchedule {
  enabled: boolean;
  everySeconds: number;
  keep: number;
  encrypted: boolean;
}

export interface BackupOverview {
  schedule: BackupSchedule;
  state: BackupState;
  /** The latest attempts, the latest first. */
  history: FinishedBackup[];
}

/** What administrators can see and do about backups. */
export type BackupOperations = ReturnType<typeof createBackupOperations>;

export function createBackupOperations(deps: {
  db: Db;
  clock: Clock;
  config: Pick<BackupSettings, "backupDir" | "backupEvery" | "backupKeep" | "backupAgeRecipients">;
}) {
  const { db, clock, config } = deps;
  const schedule = {
    enabled: config.backupDir !== null,
    everySeconds: config.backupEvery,
    keep: config.backupKeep,
    encrypted: config.backupAgeRecipients.length > 0,
  };
  return {
    async overview(): Promise<BackupOverview> {
      const state = await readBackupState(db, clock.nowSeconds());
      return { schedule, state, history: await readHistory(db) };
    },
    /** Asks for a backup, in the caller's transaction; a refusal says why none can be asked for. */
    async request(trx: Db): Promise<{ requestedAt: number } | { refusal: string }> {
      if (!schedule.enabled) return { refusal: "this server has no folder for backups: set BACKUP_DIR" };
      const now = clock.nowSeconds();
      const state = await readBackupState(trx, now);
      if (state.runningSince !== null) return { refusal: "a backup is being made" };
      if (!(await recordRequest(trx, now))) return { refusal: "a backup is requested already" };
      return { requestedAt: now };
    },
  };
}
