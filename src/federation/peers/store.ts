import { type Db, rows } from "../../platform/database/connection.js";

/** A server that there has been contact with. Times are Unix seconds. */
export interface PeerRow {
  host: string;
  /** The name with port, where it is called. */
  domain: string;
  registrable: string;
  firstContact: number;
  lastActivity: number;
  certificateValid: boolean | null;
  status: "active" | "limited";
}

/** Traffic and own calls of a span of days, the reporters of spam, and the peers' lists that name the server. */
export interface PeerTotals {
  delivered: number;
  rejected: number;
  calls: number;
  callsFailed: number;
  callMillis: number;
  spamReporters: number;
  listings: number;
}

/** Notes a contact: the first one makes the record. */
export async function notePeer(
  db: Db,
  peer: { host: string; domain: string; registrable: string; now: number; certificateValid: boolean | null },
): Promise<void> {
  await rows(
    db,
    `insert into federation_peers (host, domain, registrable, first_contact, last_activity, certificate_valid)
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

/** Counts our own calls, of servers that have a record: names that lead nowhere get none. */
export async function addCalls(db: Db, counts: readonly CallCount[], day: number): Promise<void> {
  const column = <K extends keyof CallCount>(name: K) => counts.map((count) => count[name]);
  await rows(
    db,
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

/** Notes that a peer's certificate was not accepted when it was called. */
export async function noteBadCertificate(db: Db, host: string): Promise<void> {
  await rows(db, "update federation_peers set certificate_valid = false where host = :host::text", { host });
}

export async function readPeer(db: Db, host: string): Promise<PeerRow | undefined> {
  const [peer] = await rows<PeerRow>(db, `${selectPeers} where host = :host::text`, { host });
  return peer;
}

/** A peer as operators see it in a list. */
export interface ListedPeer {
  domain: string;
  status: "active" | "limited" | "blocked";
  lastActivity: number;
  certificateValid: boolean | null;
  delivered: number;
}

/** Peers, the last active first; servers that are blocked and were never met have no record and are no part of it. */
export async function listPeers(db: Db, { now, limit }: { now: number; limit: number }): Promise<ListedPeer[]> {
  return rows<ListedPeer>(
    db,
    `select p.domain, p.last_activity as "lastActivity", p.certificate_valid as "certificateValid",
            p.delivered_total as delivered,
            case when exists (
              select from federation_blocks b
              where (b.expires_at is null or b.expires_at > :now::bigint)
                and (p.host = b.domain or right(p.host, length(b.domain) + 1) = '.' || b.domain)
            ) then 'blocked' else p.status end as status
     from federation_peers p
     order by p.last_activity desc, p.host limit :limit::int`,
    { now, limit },
  );
}

/** Peers with traffic since a day, for judging them anew. */
export async function readActiveHosts(db: Db, { sinceDay }: { sinceDay: number }): Promise<string[]> {
  const sql =
    "select distinct host from federation_peer_days where day >= :sinceDay::integer and delivered + rejected > 0";
  return (await rows<{ host: string }>(db, sql, { sinceDay })).map(({ host }) => host);
}

/** Which peers' lists count: known for long enough, with enough delivered. */
export interface ListPeers {
  knownBefore: number;
  minDelivered: number;
}

/** Peers whose published lists are asked for. */
export async function readListPeers(db: Db, { knownBefore, minDelivered }: ListPeers): Promise<PeerRow[]> {
  const sql = `${selectPeers}
    where first_contact <= :knownBefore::bigint and delivered_total >= :minDelivered::bigint
    order by host`;
  return rows<PeerRow>(db, sql, { knownBefore, minDelivered });
}

/** The totals of a host; a peer's list counts once per registrable domain, and never the host's own one. */
export async function readTotals(
  db: Db,
  asked: ListPeers & {
    host: string;
    names: readonly string[];
    registrable: string;
    sinceDay: number;
    spamSince: number;
    now: number;
  },
): Promise<PeerTotals> {
  const sql = `
    select
      coalesce(sum(delivered), 0) as delivered, coalesce(sum(rejected), 0) as rejected,
      coalesce(sum(calls), 0) as calls, coalesce(sum(calls_failed), 0) as "callsFailed",
      coalesce(sum(call_millis), 0) as "callMillis",
      (select count(*) from federation_spam
       where host = :host::text and reported_at > :spamSince::bigint) as "spamReporters",
      (select count(distinct peer.registrable)
       from federation_listings listing join federation_peers peer on peer.host = listing.publisher
       where listing.domain = any(:names::text[])
         and peer.registrable <> :registrable::text
         and peer.first_contact <= :knownBefore::bigint
         and peer.delivered_total >= :minDelivered::bigint
         and not exists (select from federation_blocks block
                         where block.domain in (peer.host, peer.registrable)
                           and (block.expires_at is null or block.expires_at > :now::bigint))) as listings
    from federation_peer_days
    where host = :host::text and day >= :sinceDay::integer`;
  const [totals] = await rows<PeerTotals>(db, sql, { ...asked });
  if (totals === undefined) throw new Error("a sum has no row");
  return totals;
}

/** Sets the status; false where it had that one. */
export async function setPeerStatus(db: Db, { host, status }: Pick<PeerRow, "host" | "status">): Promise<boolean> {
  const sql = `
    update federation_peers set status = :status::text
    where host = :host::text and status <> :status::text
    returning host`;
  return (await rows(db, sql, { host, status })).length > 0;
}

/** Begins the counting of a host and of all below it anew. */
export async function restartCounters(db: Db, domain: string): Promise<void> {
  const below = `%.${domain.replaceAll(/[%_\\]/g, "\\$&")}`;
  for (const statement of restarting) {
    await rows(db, `${statement} where host = :domain::text or host like :below::text`, { domain, below });
  }
}

const restarting = [
  "update federation_peers set status = 'active', delivered_total = 0",
  "update federation_peer_days set delivered = 0, rejected = 0",
  "delete from federation_spam",
];

/** Counts a reporter's word against a host once; later ones renew it. */
export async function upsertSpam(db: Db, spam: { host: string; reporterHash: Uint8Array; now: number }): Promise<void> {
  await rows(
    db,
    `insert into federation_spam (host, reporter_hash, reported_at)
     values (:host::text, :reporterHash::bytea, :now::bigint)
     on conflict (host, reporter_hash) do update set reported_at = excluded.reported_at`,
    { ...spam, reporterHash: Buffer.from(spam.reporterHash) },
  );
}

export async function deleteOldCounts(db: Db, old: { beforeDay: number; spamBefore: number }): Promise<void> {
  await rows(db, "delete from federation_peer_days where day < :beforeDay::integer", { beforeDay: old.beforeDay });
  await rows(db, "delete from federation_spam where reported_at <= :spamBefore::bigint", {
    spamBefore: old.spamBefore,
  });
}

/**
 * Forgets some of the peers that there was no contact with since a time, and of which nothing else is kept: neither a block
 * nor a limit, no place on the allowlist, no traffic or spam that counts. Answers how many.
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
        and not exists (select from federation_blocks where domain = peer.host)
        and not exists (select from federation_allowlist where domain = peer.host)
        and not exists (select from federation_peer_days where host = peer.host)
        and not exists (select from federation_spam where host = peer.host)
      limit :limit::integer)
      and last_activity < :before::bigint
    returning 1`;
  return (await rows(db, sql, { before, limit })).length;
}

/** Replaces what a peer's list names. */
export async function replaceListings(
  db: Db,
  list: { publisher: string; domains: readonly string[]; now: number },
): Promise<void> {
  const { publisher, domains, now } = list;
  await rows(
    db,
    `insert into federation_lists (publisher, fetched_at) values (:publisher::text, :now::bigint)
     on conflict (publisher) do update set fetched_at = excluded.fetched_at`,
    { publisher, now },
  );
  await rows(db, "delete from federation_listings where publisher = :publisher::text", { publisher });
  await rows(
    db,
    `insert into federation_listings (publisher, domain)
     select distinct :publisher::text, domain from unnest(:domains::text[]) as given (domain)`,
    { publisher, domains },
  );
}

/** Forgets lists that have not been confirmed for long, and gives the hosts that they named. */
export async function deleteOldLists(db: Db, before: number): Promise<void> {
  await rows(
    db,
    `with gone as (delete from federation_lists where fetched_at <= :before::bigint returning publisher)
     delete from federation_listings where publisher in (select publisher from gone)`,
    { before },
  );
}

const selectPeers = `
  select host, domain, registrable, first_contact as "firstContact", last_activity as "lastActivity",
         certificate_valid as "certificateValid", status
  from federation_peers`;
