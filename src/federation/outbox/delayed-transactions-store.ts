import type { Db } from "../../database/db.js";
import type { Lease } from "./lease-store.js";
import type { Delay, StoredTransaction } from "./stored-transaction.js";

// Delayed transactions: sent again later, each at its own time. Their recipients are on hold as long as they are stored, so
// nothing overtakes their messages.

/** More of a destination are not delayed: then the destination waits as a whole. */
const maxDelayed = 1000;

/** A transaction to be sent again after a wait. */
export interface DelayedTransaction {
  transaction: StoredTransaction & { delayed: Delay };
  /** Sorted, each once. */
  recipients: readonly string[];
  problem: string;
  waitMillis: number;
}

/** Stores a delayed transaction and holds its recipients. False, and no change, if too many are delayed or the lease is lost. */
export async function storeDelayed(
  db: Db,
  { domain, leaseId }: Lease,
  { transaction, recipients, problem, dueMillis }: Omit<DelayedTransaction, "waitMillis"> & { dueMillis: number },
): Promise<boolean> {
  const held = await db.rows(
    `with delayed as (
       insert into outbox_transactions as t (domain, id, created_at, positions, form, due_millis, delayed_at, problem, answers)
       select :domain::text, :id::uuid, :at::bigint, :positions::bigint[], :form::jsonb, :dueMillis::bigint,
              :since::bigint, :problem::text, :answers::jsonb
       where exists (
               select from outbox_destinations as d where d.domain = :domain::text and d.lease_id = :leaseId::uuid
             )
         and (
           select count(*) from outbox_transactions as o
           where o.domain = :domain::text and o.due_millis is not null and o.id <> :id::uuid
         ) < :maxDelayed::integer
       on conflict (domain, id) do update
       set due_millis = excluded.due_millis, delayed_at = excluded.delayed_at, problem = excluded.problem,
           answers = excluded.answers
       returning 1
     )
     insert into outbox_holds as h (domain, recipient, failures, until_millis, transaction_id)
     select :domain::text, r.recipient, 0, 0, :id::uuid
     from delayed, unnest(:recipients::uuid[]) as r (recipient)
     on conflict (domain, recipient) do update
     set until_millis = excluded.until_millis, transaction_id = excluded.transaction_id
     returning 1`,
    {
      ...{ domain, leaseId, dueMillis, problem, recipients, maxDelayed },
      id: transaction.id,
      at: transaction.at,
      positions: transaction.positions,
      form: JSON.stringify(transaction.form),
      since: transaction.delayed.since,
      answers: JSON.stringify(transaction.delayed.answers),
    },
  );
  return held.length > 0;
}

interface DelayedRow extends Omit<StoredTransaction, "delayed"> {
  due_millis: number;
  delayed_at: number;
  answers: Delay["answers"];
}

/** The delayed transaction of a destination that is due first, with the time. */
export async function firstDelayed(
  db: Db,
  domain: string,
): Promise<{ transaction: StoredTransaction; dueMillis: number } | undefined> {
  const row = await db.one<DelayedRow>(
    `select id, created_at as at, positions, form, due_millis, delayed_at, answers
     from outbox_transactions
     where domain = :domain::text and due_millis is not null
     order by due_millis
     limit 1`,
    { domain },
  );
  if (row === undefined) return undefined;
  const { due_millis: dueMillis, delayed_at: since, answers, ...transaction } = row;
  return { transaction: { ...transaction, delayed: { since, answers } }, dueMillis };
}

/** Makes transactions due that were refused as a whole: the peer has just accepted another one. */
export async function hastenRefused(
  db: Db,
  { domain, leaseId, nowMillis }: Lease & { nowMillis: number },
): Promise<void> {
  await db.run(
    `update outbox_transactions as t
     set due_millis = least(t.due_millis, :nowMillis::bigint)
     from outbox_destinations as d
     where t.domain = :domain::text and t.due_millis is not null and t.problem like 'refused %'
       and d.domain = t.domain and d.lease_id = :leaseId::uuid`,
    { domain, leaseId, nowMillis },
  );
}
