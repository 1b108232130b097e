import type { Db } from "../../database/db.js";
import { type ListPeers, namedByNoPolicy } from "./read-model.js";

const secondsPerDay = 86_400;

/** The number of a day since 1970 in UTC; daily counters use it. */
export function dayOf(seconds: number): number {
  return Math.floor(seconds / secondsPerDay);
}

/** A server that this one has had contact with. Times are Unix seconds. */
interface PeerRow {
  host: string;
  /** The name with its port, under which the server is called. */
  domain: string;
  registrable: string;
  firstContact: number;
  lastActivity: number;
  certificateValid: boolean | null;
  status: "active" | "limited";
}

/** Records a contact. The first one creates the record. */
export async function notePeer(
  db: Db,
  peer: { host: string; domain: string; registrable: string; now: number; certificateValid: boolean | null },
): Promise<void> {
  await db.run(
    `insert into federation_peers (host, domain, registrable_domain, first_contact, last_activity, certificate_valid)
     values (:host::text, :domain::text, :registrable::text, :now::bigint, :now::bigint, :certificateValid::boolean)
     on conflict (host) do update
     set domain = excluded.domain, last_activity = greatest(federation_peers.last_activity, excluded.last_activity),
         certificate_valid = coalesce(excluded.certificate_valid, federation_peers.certificate_valid)`,
    peer,
  );
}

export interface CallCount {
  host: string;
  calls: number;
  failed: number;
  millis: number;
}

/** Counts our calls to peers. Only servers with a record are counted, so unreachable names create no rows. */
export async function addCalls(db: Db, counts: readonly CallCount[], day: number): Promise<void> {
  const column = <K extends keyof CallCount>(name: K) => counts.map((count) => count[name]);
  await db.run(
    `insert into federation_peer_days (host, day, calls, calls_failed, call_millis)
     select host, :day::integer, calls, failed, millis
     from unnest(:hosts::text[], :calls::bigint[], :failed::bigint[], :millis::bigint[])
          as given (host, calls, failed, millis)
     where host in (select host from federation_peers)
     on conflict (host, day) do update
     set calls = federation_peer_days.calls + excluded.calls,
         calls_failed = federation_peer_days.calls_failed + excluded.calls_failed,
         call_millis = federation_peer_days.call_millis + excluded.call_millis`,
    { day, hosts: column("host"), calls: column("calls"), failed: column("failed"), millis: column("millis") },
  );
}

/** Records that a peer's certificate was not accepted when it was called. */
export async function noteBadCertificate(db: Db, host: string): Promise<void> {
  await db.run("update federation_peers set certificate_valid = false where host = :host::text", { host });
}

export async function readPeer(db: Db, host: string): Promise<PeerRow | undefined> {
  const peer = await db.one<PeerRow>(`${selectPeers} where host = :host::text`, { host });
  return peer;
}

/** Peers with traffic since a day. */
export async function readActiveHosts(db: Db, { sinceDay }: { sinceDay: number }): Promise<string[]> {
  const sql =
    "select distinct host from federation_peer_days where day >= :sinceDay::integer and delivered + rejected > 0";
  return (await db.rows<{ host: string }>(sql, { sinceDay })).map(({ host }) => host);
}

/** Peers whose published block lists are fetched. */
export async function readListPeers(db: Db, { knownBefore, minDelivered }: ListPeers): Promise<PeerRow[]> {
  const sql = `${selectPeers}
    where first_contact <= :knownBefore::bigint and delivered_total >= :minDelivered::bigint
    order by host`;
  return db.rows<PeerRow>(sql, { knownBefore, minDelivered });
}

/** The hosts of peers that are limited. */
export async function readLimitedHosts(db: Db): Promise<string[]> {
  const limited = await db.rows<{ host: string }>("select host from federation_peers where status = 'limited'");
  return limited.map(({ host }) => host);
}

/** Sets the status of a peer. False if it is the current one. */
export async function setPeerStatus(db: Db, { host, status }: Pick<PeerRow, "host" | "status">): Promise<boolean> {
  const sql = `
    update federation_peers set status = :status::text
    where host = :host::text and status <> :status::text
    returning host`;
  return (await db.rows(sql, { host, status })).length > 0;
}

/** Restarts the counters of a host and of the names below it. */
export async function restartCounters(db: Db, domain: string): Promise<void> {
  const below = `%.${domain.replaceAll(/[%_\\]/g, "\\$&")}`;
  for (const statement of restarting) {
    await db.run(`${statement} where host = :domain::text or host like :below::text`, { domain, below });
  }
}

const restarting = [
  "update federation_peers set status = 'active', delivered_total = 0",
  "update federation_peer_days set delivered = 0, rejected = 0",
  "delete from federation_spam_reporters",
];

/** Counts a reporter against a host once. Later reports renew the entry. */
/** Notes a report. Its hash is of reporter and message: each message counts once for each reporter. */
export async function upsertSpam(db: Db, spam: { host: string; reportHash: Uint8Array; now: number }): Promise<void> {
  await db.run(
    `insert into federation_spam_reporters (host, reporter_hash, reported_at)
     values (:host::text, :reportHash::bytea, :now::bigint)
     on conflict (host, reporter_hash) do update set reported_at = excluded.reported_at`,
    { ...spam, reportHash: Buffer.from(spam.reportHash) },
  );
}

export async function deleteOldCounts(db: Db, old: { beforeDay: number; spamBefore: number }): Promise<void> {
  await db.run("delete from federation_peer_days where day < :beforeDay::integer", { beforeDay: old.beforeDay });
  await db.run("delete from federation_spam_reporters where reported_at <= :spamBefore::bigint", {
    spamBefore: old.spamBefore,
  });
}

/**
 * Removes peers without contact since a time, at most `limit`, and returns their number. A peer is kept while it is
 * blocked, limited or on the allowlist, or while its traffic or spam reports about it count.
 */
export async function deleteForgottenPeers(
  db: Db,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const sql = `
    delete from federation_peers
    where host in (
      select peer.host
      from federation_peers as peer
      where peer.last_activity < :before::bigint and peer.status = 'active'
        and ${namedByNoPolicy}
        and not exists (select from federation_peer_days where host = peer.host)
        and not exists (select from federation_spam_reporters where host = peer.host)
      limit :limit::integer)
      and last_activity < :before::bigint
    returning 1`;
  return (await db.rows(sql, { before, limit })).length;
}

const selectPeers = `
  select host, domain, registrable_domain as "registrable", first_contact as "firstContact", last_activity as "lastActivity",
         certificate_valid as "certificateValid", status
  from federation_peers`;

/** Part of the statement that records a delivery: the contact and the total of queued messages. */
export const noteDelivery = `
       update federation_peers
       set last_activity = greatest(last_activity, :now::bigint), delivered_total = delivered_total + :delivered::bigint
       where host = :host::text`;

/** The end of that statement: the day's counters. `from` is a clause whose columns are not read. */
export function countDelivery(from: string): string {
  return `
     insert into federation_peer_days (host, day, delivered, rejected)
     select :host::text, :day::integer, :delivered::bigint, :rejected::bigint
     ${from}
     on conflict (host, day) do update
     set delivered = federation_peer_days.delivered + excluded.delivered,
         rejected = federation_peer_days.rejected + excluded.rejected`;
}
