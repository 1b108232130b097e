import { type Db, rows } from "../platform/database/connection.js";
import { unhurried } from "./unhurried.js";

/**
 * Counts one transaction and its messages in the window of a registrable domain, where both still fit. A window begins
 * with what it counts first. One statement, so that all nodes share it.
 */
export async function takeFromWindow(
  db: Db,
  asked: {
    registrable: string;
    now: number;
    windowSeconds: number;
    messages: number;
    allowed: { messages: number; transactions: number };
  },
): Promise<{ granted: boolean; startedAt: number }> {
  const { allowed, ...window } = asked;
  const sql = `
    ${unhurried}
    insert into federation_windows as w (registrable, window_started_at, messages, transactions)
    select :registrable::text, :now::bigint, :messages::integer, 1
    from unhurried
    where :messages::integer <= :mostMessages::integer and :mostTransactions::integer >= 1
    on conflict (registrable) do update
    set window_started_at = case when w.window_started_at + :windowSeconds::bigint <= :now::bigint
                                 then :now::bigint else w.window_started_at end,
        messages = case when w.window_started_at + :windowSeconds::bigint <= :now::bigint
                        then 0 else w.messages end + :messages::integer,
        transactions = case when w.window_started_at + :windowSeconds::bigint <= :now::bigint
                            then 0 else w.transactions end + 1
    where w.window_started_at + :windowSeconds::bigint <= :now::bigint
       or (w.messages + :messages::integer <= :mostMessages::integer and w.transactions < :mostTransactions::integer)
    returning window_started_at as "startedAt"`;
  const bindings = { ...window, mostMessages: allowed.messages, mostTransactions: allowed.transactions };
  const [taken] = await rows<{ startedAt: number }>(db, sql, bindings);
  if (taken !== undefined) return { granted: true, startedAt: taken.startedAt };
  const [open] = await rows<{ startedAt: number }>(
    db,
    `select window_started_at as "startedAt" from federation_windows where registrable = :registrable::text`,
    { registrable: asked.registrable },
  );
  return { granted: false, startedAt: open?.startedAt ?? asked.now };
}

export async function deleteOldWindows(db: Db, startedBefore: number): Promise<void> {
  await rows(db, "delete from federation_windows where window_started_at < :startedBefore::bigint", { startedBefore });
}
