import { asynchronousCommit } from "../../platform/database/asynchronous-commit.js";
import { type Db, type Pipeline, rows } from "../../platform/database/connection.js";
import type { WantedTransaction } from "./idempotency-store.js";

/** A delivery at the door. */
export interface Entry {
  /** Whose standing counts, and the names by which it may be blocked. */
  host: string;
  names: readonly string[];
  /** Whether only servers on the allowlist come in. */
  allowlistMode: boolean;
  wanted: WantedTransaction;
  /** What is counted, and where. */
  registrable: string;
  windowSeconds: number;
  messages: number;
  /** What may be counted in a window, by standing. */
  allowed: Record<"active" | "limited", { messages: number; transactions: number }>;
}

/** What came of it. */
export interface Entered {
  blocked: boolean;
  limited: boolean;
  listed: boolean;
  /** Whether the transaction is the caller's to process; false for one that is known, and for a server that stays out. */
  claimed: boolean;
  /** Whether what was claimed still fitted into the window. */
  granted: boolean;
}

/**
 * Asks for a server's standing, claims its transaction where it may come in, and counts what was claimed in the window of
 * its registrable domain, where it fits: one statement, since a server that has much to deliver waits for each trip. A
 * transaction can be claimed that is not there, or that has expired. A window begins with what it counts first, and all
 * nodes share it.
 */
export async function enterDelivery(db: Db | Pipeline, { wanted, allowed, ...asked }: Entry): Promise<Entered> {
  const [row] = await rows<Entered>(db, entrySql, {
    ...{ ...asked, ...wanted },
    mostMessages: allowed.active.messages,
    mostTransactions: allowed.active.transactions,
    limitedMessages: allowed.limited.messages,
    limitedTransactions: allowed.limited.transactions,
  });
  return row ?? { blocked: false, limited: false, listed: false, claimed: false, granted: false };
}

const entrySql = `
  ${asynchronousCommit},
  state as (
    select
      exists (select from federation_blocks
              where domain = any(:names::text[]) and (expires_at is null or expires_at > :now::bigint)) as blocked,
      exists (select from federation_peers where host = :host::text and status = 'limited') as limited,
      exists (select from federation_allowlist where domain = :host::text) as listed
    from unhurried
  ),
  allowed as (
    select case when limited then :limitedMessages::integer else :mostMessages::integer end as messages,
           case when limited then :limitedTransactions::integer else :mostTransactions::integer end as transactions
    from state
  ),
  claimed as (
    insert into federation_transactions as t (origin, transaction_id, digest, claim, node, expires_at)
    select :origin::text, :transactionId::uuid, :digest::bytea, :claim::uuid, :node::text, :expiresAt::bigint
    from state
    where not blocked and (listed or not :allowlistMode::boolean)
    on conflict (origin, transaction_id) do update
    set digest = excluded.digest, answer = null, claim = excluded.claim, node = excluded.node,
        expires_at = excluded.expires_at
    where t.expires_at <= :now::bigint
    returning 1
  ),
  counted as (
    insert into federation_windows as w (registrable, window_started_at, messages, transactions)
    select :registrable::text, :now::bigint, :messages::integer, 1
    from claimed, allowed as a
    where :messages::integer <= a.messages and a.transactions >= 1
    on conflict (registrable) do update
    set window_started_at = case when w.window_started_at + :windowSeconds::bigint <= :now::bigint
                                 then :now::bigint else w.window_started_at end,
        messages = case when w.window_started_at + :windowSeconds::bigint <= :now::bigint
                        then 0 else w.messages end + :messages::integer,
        transactions = case when w.window_started_at + :windowSeconds::bigint <= :now::bigint
                            then 0 else w.transactions end + 1
    where w.window_started_at + :windowSeconds::bigint <= :now::bigint
       or (w.messages + :messages::integer <= (select a.messages from allowed as a)
           and w.transactions < (select a.transactions from allowed as a))
    returning 1
  )
  select blocked, limited, listed, exists (select from claimed) as claimed, exists (select from counted) as granted
  from state`;
