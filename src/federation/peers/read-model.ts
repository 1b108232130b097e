import type { Db } from "../../database/db.js";

// Statements, and parts of statements, that read several tables of federation at once.

/** The columns of HostState, of the host `:host` with the covering names `:names` at `:now`. */
export const hostStateColumns = `exists (select from federation_blocks
              where domain = any(:names::text[]) and (expires_at is null or expires_at > :now::bigint)) as blocked,
      exists (select from federation_peers where host = :host::text and status = 'limited') as limited,
      exists (select from federation_allowlist where domain = :host::text) as listed`;

/** Whether neither a block nor the allowlist names the host of `peer`. */
export const namedByNoPolicy = `not exists (select from federation_blocks where domain = peer.host)
        and not exists (select from federation_allowlist where domain = peer.host)`;

/** The facts that decide the status of a host. */
export interface HostState {
  blocked: boolean;
  limited: boolean;
  listed: boolean;
}

/** Reads the state of a host from the database, past any cache. */
export async function readHostState(
  db: Db,
  asked: { host: string; names: readonly string[]; now: number },
): Promise<HostState> {
  const sql = `
    select
      ${hostStateColumns}`;
  const row = await db.one<HostState>(sql, asked);
  return row ?? { blocked: false, limited: false, listed: false };
}

/** A peer in the operators' list. */
export interface ListedPeer {
  domain: string;
  status: "active" | "limited" | "blocked";
  lastActivity: number;
  certificateValid: boolean | null;
  delivered: number;
}

/** Peers, the most recently active first. Blocked servers that never had contact are not included. */
export async function listPeers(db: Db, page: { now: number; limit: number; offset: number }): Promise<ListedPeer[]> {
  return db.rows<ListedPeer>(
    `select p.domain, p.last_activity as "lastActivity", p.certificate_valid as "certificateValid",
            p.delivered_total as delivered,
            case when exists (
              select from federation_blocks b
              where (b.expires_at is null or b.expires_at > :now::bigint)
                and (p.host = b.domain or right(p.host, length(b.domain) + 1) = '.' || b.domain)
            ) then 'blocked' else p.status end as status
     from federation_peers p
     order by p.last_activity desc, p.host limit :limit::int offset :offset::int`,
    page,
  );
}

/**
 * Traffic and our calls within the score's window, the reports of spam, and the number of lists that name the server.
 */
export interface PeerTotals {
  delivered: number;
  rejected: number;
  calls: number;
  callsFailed: number;
  callMillis: number;
  spamReports: number;
  listings: number;
}

/** The peers whose lists count: known for long enough, and with enough messages delivered. */
export interface ListPeers {
  knownBefore: number;
  minDelivered: number;
}

/** The totals of a host. Lists count once per registrable domain, and a list of the host's own domain does not count. */
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
      (select count(*) from federation_spam_reporters
       where host = :host::text and reported_at > :spamSince::bigint) as "spamReports",
      (select count(distinct peer.registrable_domain)
       from federation_peer_blocklist_entries listing join federation_peers peer on peer.host = listing.publisher
       where listing.domain = any(:names::text[])
         and peer.registrable_domain <> :registrable::text
         and peer.first_contact <= :knownBefore::bigint
         and peer.delivered_total >= :minDelivered::bigint
         and not exists (select from federation_blocks block
                         where block.domain in (peer.host, peer.registrable_domain)
                           and (block.expires_at is null or block.expires_at > :now::bigint))) as listings
    from federation_peer_days
    where host = :host::text and day >= :sinceDay::integer`;
  const totals = await db.one<PeerTotals>(sql, { ...asked });
  if (totals === undefined) throw new Error("a sum has no row");
  return totals;
}
