import { type AuditService, bySystem } from "../audit/service.js";
import { deleteSecrets, type Secrets } from "../auth/secrets.js";
import type { Database, Db, Transaction } from "../database/db.js";
import type { SharedPoll } from "../node/shared-poll.js";
import type { Logger } from "../platform/logger.js";
import { RelayError } from "../protocol/errors.js";
import { type DatabaseStanding, lockKeyDatabase, readStanding, saveKeyDatabase, standingSql } from "./key-database.js";
import { type SlotKey, slotKeyOf, slotKeySecret } from "./receipt.js";

/** Groups that use the slots continue as new groups: after a restore, slots may be missing for which the old key has signed receipts. */
export async function voidSlotKey(db: Db): Promise<void> {
  await deleteSecrets(db, [slotKeySecret]);
}

/** The slot key, as long as the database has all slots that it has signed receipts for. */
export type SlotKeys = ReturnType<typeof createSlotKeys>;

export interface SlotKeysDeps {
  db: Database;
  logger: Logger;
  domain: string;
  secrets: Pick<Secrets, "getIn">;
  audit: Pick<AuditService, "record">;
  poll: Pick<SharedPoll, "follow">;
}

const failover = "the database has failed over to a standby";

/**
 * A standby for which commits did not wait lacks the last slots when it is promoted. A receipt for a slot that is forgotten must
 * not bind a group, so the key is replaced then, as after a restore.
 */
export function createSlotKeys(deps: SlotKeysDeps) {
  const { db, logger, domain, secrets, audit, poll } = deps;
  let current: { key: SlotKey; timeline: string | null } | undefined;
  let standing: DatabaseStanding | undefined;
  let tells = true;
  let renewing: Promise<void> | undefined;
  let endPoll: () => void = () => undefined;

  /** Replaces the key if slots may be lost. Everything is read by one connection, so from one server. */
  const compare = async (trx: Transaction): Promise<DatabaseStanding> => {
    const now = await readStanding(trx);
    if (now === undefined) throw new RelayError("DATABASE_UNAVAILABLE", "the database takes no writes");
    const known = await lockKeyDatabase(trx, now);
    const isPromoted = known.cluster === now.cluster && known.timeline !== now.timeline;
    // The row may be older than a change of the setting that this node has seen.
    const hadAll = known.synchronous && standing?.synchronous !== false;
    if (isPromoted && !hadAll) {
      await voidSlotKey(trx);
      await audit.record(trx, { ...bySystem, action: "slot_key_replaced", target: null, details: {} });
    }
    if (isPromoted || known.cluster !== now.cluster || known.synchronous !== now.synchronous)
      await saveKeyDatabase(trx, now);
    if (isPromoted) trx.afterCommit(() => note(hadAll));
    return now;
  };
  const note = (hadAll: boolean): void => {
    if (hadAll) logger.info(`${failover} that has every commit slot`);
    else
      logger.warn(
        `${failover} that commits did not wait for: commit slots have another key, and groups that use them continue as new groups`,
      );
  };
  const renew = async (): Promise<void> => {
    const found = await db.transaction(async (trx) => {
      const now = tells ? await compare(trx) : undefined;
      return { now, seed: await secrets.getIn(trx, slotKeySecret) };
    });
    current = { key: slotKeyOf(found.seed, domain), timeline: found.now?.timeline ?? null };
    standing = found.now;
  };
  const renewOnce = (): Promise<void> => {
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  const isKnown = (value: string): boolean =>
    standing !== undefined && value === `${standing.timeline} ${standing.synchronous}`;

  return {
    async start(): Promise<void> {
      tells = await readStanding(db).then(
        () => true,
        (error: unknown) => {
          if (error instanceof RelayError) throw error;
          logger.info(
            { err: error },
            "the database does not tell its timeline; a failover keeps the key of commit slots",
          );
          return false;
        },
      );
      await renewOnce();
      if (!tells) return;
      endPoll = poll.follow({
        sql: standingSql,
        seen(value) {
          if (value === null || isKnown(value)) return;
          renewOnce().catch((error: unknown) => logger.warn({ err: error }, "the slot key could not be checked"));
        },
      });
    },
    stop(): void {
      endPoll();
      current = undefined;
    },
    /** The key, and the timeline on which it may sign; null if the database does not tell its timelines. */
    current(): { key: SlotKey; timeline: string | null } {
      if (current === undefined) throw new Error("the slot key is not loaded");
      return current;
    },
    /** Looks at the database again, and replaces the key if slots may be lost. */
    renew: renewOnce,
  };
}
