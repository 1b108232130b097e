import { mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Database } from "../database/db.js";
import { type Clock, secondsSince } from "../node/clock.js";
import type { Schedule } from "../node/schedule.js";
import type { Logger } from "../platform/logger.js";
import { unfinishedSuffix, writeArchive } from "./archive-file.js";
import type { BackupSettings } from "./config.js";
import {
  type BackupAttempt,
  type BackupOrigin,
  clearRunning,
  readBackupState,
  recordFailure,
  recordFinish,
  recordStart,
} from "./store.js";

/** Backups on a schedule or at an administrator's request, in a folder of the leading node. */
export type ScheduledBackups = ReturnType<typeof createScheduledBackups>;

const folderMode = 0o700;
const maxRetrySeconds = 600;

export function createScheduledBackups(deps: {
  db: Database;
  databaseUrl: string;
  clock: Clock;
  logger: Logger;
  domain: string;
  config: BackupSettings;
}) {
  const { db, clock, logger, config } = deps;
  const stopping = new AbortController();

  const make = async (folder: string, { file: name, ...attempt }: BackupAttempt): Promise<void> => {
    await recordStart(db, attempt.startedAt);
    await removeUnfinished(folder, deps.domain);
    const file = path.join(folder, name);
    const bytes = await writeArchive(file, {
      url: deps.databaseUrl,
      domain: deps.domain,
      recipients: config.backupAgeRecipients,
      bytesPerSecond: config.backupBytesPerSecond,
      signal: stopping.signal,
    });
    await recordFinish(db, { ...attempt, file: name, now: clock.nowSeconds(), bytes });
    logger.info({ file, bytes }, "made a backup");
    await removeOld(folder, { domain: deps.domain, keep: config.backupKeep, made: name });
  };

  return {
    start: (): void => undefined,
    /** Aborts a running backup and deletes its unfinished file. */
    stop: (): void => stopping.abort(),
    /** Makes a backup if one is due or requested, and deletes the oldest beyond the number to keep. */
    async makeDue(): Promise<void> {
      const now = clock.nowSeconds();
      // Only this job makes scheduled backups, one at a time, so a backup that is still marked as running belongs to a
      // process that died.
      await clearRunning(db);
      const state = await readBackupState(db, now);
      const { backupDir: folder, backupEvery: every } = config;
      const retry = Math.min(every, maxRetrySeconds);
      const isFresh = state.finishedAt !== null && secondsSince(state.finishedAt, now) < every;
      const isTried = state.startedAt !== null && secondsSince(state.startedAt, now) < retry;
      const isRequested = state.requestedAt !== null;
      if (folder === null || stopping.signal.aborted || (!isRequested && (isFresh || isTried))) return;
      const origin: BackupOrigin = isRequested ? "administrator" : "schedule";
      const attempt = { startedAt: now, origin, file: nameOf(deps.domain, clock.nowMillis()) };
      try {
        await mkdir(folder, { recursive: true, mode: folderMode });
        await make(folder, attempt);
      } catch (problem) {
        if (stopping.signal.aborted) return;
        const text = problem instanceof Error ? problem.message : String(problem);
        await recordFailure(db, { ...attempt, now: clock.nowSeconds(), problem: text });
        throw problem;
      }
    },
  };
}

/** `mls-relay-relay.example-20260102T030405Z.backup`: names sort by time. */
function nameOf(domain: string, millis: number): string {
  const time = new Date(millis).toISOString().replace(/[-:]|\.\d+/g, "");
  return `${prefixOf(domain)}${time}${suffix}`;
}

const suffix = ".backup";

function prefixOf(domain: string): string {
  return `mls-relay-${domain.replace(/[^a-zA-Z0-9.-]/g, "_")}-`;
}

/** Lists the backups of this relay. No other file is ever deleted. */
async function namesIn(folder: string, domain: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefixOf(domain)));
  return names.filter((name) => /^\d{8}T\d{6}Z\.backup(\.|$)/.test(name.slice(prefixOf(domain).length)));
}

/** Deletes the unfinished files of a node that crashed during a backup. */
async function removeUnfinished(folder: string, domain: string): Promise<void> {
  const names = (await namesIn(folder, domain)).filter((name) => name.endsWith(unfinishedSuffix));
  for (const name of names) await rm(path.join(folder, name), { force: true });
}

/** Keeps the one that was just made, whatever the clock said when the others were made. */
async function removeOld(folder: string, given: { domain: string; keep: number; made: string }): Promise<void> {
  const { domain, keep, made } = given;
  const names = (await namesIn(folder, domain)).filter((name) => name.endsWith(suffix));
  for (const name of inOrder(names, made).slice(0, Math.max(0, names.length - keep)))
    await rm(path.join(folder, name), { force: true });
}

/** The oldest first. A backup dated after the one that was just made was made by a clock that was ahead, before it. */
function inOrder(names: readonly string[], made: string): string[] {
  const sorted = names.toSorted();
  return [...sorted.filter((name) => name > made), ...sorted.filter((name) => name <= made)];
}

const checkEverySeconds = 30;

/** Schedules the check, on one node for all, whether a backup is due. */
export function scheduleBackupJobs(
  schedule: Pick<Schedule, "every">,
  backups: Pick<ScheduledBackups, "makeDue">,
): void {
  schedule.every("backup.make-due", checkEverySeconds, () => backups.makeDue());
}
