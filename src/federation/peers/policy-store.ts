import type { Db } from "../../database/db.js";
import type { Block, PeerList, ReasonCategory, Severity } from "../model/types.js";
import { readLimitedHosts } from "./store.js";

/** The whole policy that decides which servers are admitted. */
interface StoredPolicy {
  blocks: { domain: string; expiresAt: number | null }[];
  allowlist: string[];
  limited: string[];
}

interface BlockRow {
  domain: string;
  blocked_at: number;
  reason: string;
  blocked_by: string | null;
  expires_at: number | null;
  reason_category: ReasonCategory;
  severity: Severity;
}

/** The version, which grows with every change, and the time of the last change. */
export async function readPolicyVersion(db: Db): Promise<{ version: number; changedAt: number }> {
  const sql = `select version, changed_at as "changedAt" from federation_policy_version`;
  const row = await db.one<{ version: number; changedAt: number }>(sql);
  return row ?? { version: 0, changedAt: 0 };
}

/** Changes with every change of the policy. */
export const policyVersion = "select version from federation_policy_version";

/** Makes every node read the policy again. Other changes wait until this transaction ends. */
export async function raisePolicyVersion(db: Db, now: number): Promise<void> {
  await db.run("update federation_policy_version set version = version + 1, changed_at = :now::bigint", { now });
}

export async function readPolicy(db: Db): Promise<StoredPolicy> {
  const blocks = await db.rows<{ domain: string; expiresAt: number | null }>(
    `select domain, expires_at as "expiresAt" from federation_blocks`,
  );
  const limited = await readLimitedHosts(db);
  const allowlist = await readAllowlist(db);
  return { blocks, allowlist, limited };
}

/** Stores a block. It replaces an earlier one of the same domain. */
export async function upsertBlock(db: Db, block: Block): Promise<void> {
  await db.run(
    `insert into federation_blocks (domain, blocked_at, reason, blocked_by, expires_at, reason_category, severity)
     values (:domain::text, :blockedAt::bigint, :reason::text, :blockedBy::text, :expiresAt::bigint, :category::text,
             :severity::text)
     on conflict (domain) do update
     set blocked_at = excluded.blocked_at, reason = excluded.reason, blocked_by = excluded.blocked_by,
         expires_at = excluded.expires_at, reason_category = excluded.reason_category, severity = excluded.severity`,
    { ...block },
  );
}

/** Stores a block unless one is in force for the host or a name above it. False if there is one. */
export async function insertBlockIfNone(db: Db, block: Block, names: readonly string[]): Promise<boolean> {
  const inserted = await db.rows(
    `insert into federation_blocks (domain, blocked_at, reason, blocked_by, expires_at, reason_category, severity)
     select :domain::text, :blockedAt::bigint, :reason::text, :blockedBy::text, :expiresAt::bigint, :category::text,
            :severity::text
     where not exists (
       select from federation_blocks
       where domain = any(:names::text[]) and (expires_at is null or expires_at > :blockedAt::bigint))
     on conflict (domain) do nothing
     returning domain`,
    { ...block, names },
  );
  return inserted.length > 0;
}

/** Removes a block that is in force. False if there is none. */
export async function deleteBlock(db: Db, { domain, now }: { domain: string; now: number }): Promise<boolean> {
  const sql = `
    delete from federation_blocks
    where domain = :domain::text and (expires_at is null or expires_at > :now::bigint)
    returning domain`;
  return (await db.rows(sql, { domain, now })).length > 0;
}

/** Removes blocks that have ended, and returns their domains. */
export async function deleteEndedBlocks(db: Db, now: number): Promise<string[]> {
  const sql = "delete from federation_blocks where expires_at <= :now::bigint returning domain";
  return (await db.rows<{ domain: string }>(sql, { now })).map(({ domain }) => domain);
}

/** Blocks in force, the latest first. */
export async function readBlocks(db: Db, page: { now: number; limit: number; offset: number }): Promise<Block[]> {
  const found = await db.rows<BlockRow>(
    `select domain, blocked_at, reason, blocked_by, expires_at, reason_category, severity
     from federation_blocks
     where expires_at is null or expires_at > :now::bigint
     order by blocked_at desc, domain
     limit :limit::bigint offset :offset::bigint`,
    page,
  );
  return found.map((row) => ({
    domain: row.domain,
    blockedAt: row.blocked_at,
    reason: row.reason,
    blockedBy: row.blocked_by,
    expiresAt: row.expires_at,
    category: row.reason_category,
    severity: row.severity,
  }));
}

export async function countBlocks(db: Db, now: number): Promise<number> {
  const sql = `
    select count(*) as total from federation_blocks where expires_at is null or expires_at > :now::bigint`;
  return (await db.one<{ total: number }>(sql, { now }))?.total ?? 0;
}

export async function readAllowlist(db: Db): Promise<string[]> {
  const found = await db.rows<{ domain: string }>("select domain from federation_allowlist order by domain");
  return found.map(({ domain }) => domain);
}

/** Replaces the allowlist. Entries that stay keep their date. */
export async function replaceAllowlist(
  db: Db,
  list: { domains: readonly string[]; now: number; by: string | null },
): Promise<void> {
  await db.run("delete from federation_allowlist where domain <> all(:domains::text[])", { domains: list.domains });
  await db.run(
    `insert into federation_allowlist (domain, added_at, added_by)
     select domain, :now::bigint, :by::text from unnest(:domains::text[]) as given (domain)
     on conflict (domain) do nothing`,
    { ...list },
  );
}

/** Replaces the domains that a peer's list names. */
export async function replaceListings(
  db: Db,
  list: { publisher: string; domains: readonly string[]; now: number },
): Promise<void> {
  const { publisher, domains, now } = list;
  await db.run(
    `insert into federation_peer_blocklists (publisher, fetched_at) values (:publisher::text, :now::bigint)
     on conflict (publisher) do update set fetched_at = excluded.fetched_at`,
    { publisher, now },
  );
  await db.run("delete from federation_peer_blocklist_entries where publisher = :publisher::text", { publisher });
  await db.run(
    `insert into federation_peer_blocklist_entries (publisher, domain)
     select distinct :publisher::text, domain from unnest(:domains::text[]) as given (domain)`,
    { publisher, domains },
  );
}

/** Removes lists that were last fetched before a given time. */
export async function deleteOldLists(db: Db, before: number): Promise<void> {
  await db.run(
    `with gone as (delete from federation_peer_blocklists where fetched_at <= :before::bigint returning publisher)
     delete from federation_peer_blocklist_entries where publisher in (select publisher from gone)`,
    { before },
  );
}

/** The stored lists with their numbers of entries, ordered by publisher. */
export async function readLists(
  db: Db,
  page: { limit: number; offset: number },
): Promise<(PeerList & { servers: number })[]> {
  return db.rows(
    `select publisher, fetched_at as "fetchedAt",
            (select count(*) from federation_peer_blocklist_entries where publisher = list.publisher) as servers
     from federation_peer_blocklists list order by publisher limit :limit::int offset :offset::int`,
    page,
  );
}

export async function readList(db: Db, publisher: string): Promise<PeerList | undefined> {
  const list = await db.one<PeerList>(
    `select publisher, fetched_at as "fetchedAt" from federation_peer_blocklists where publisher = :publisher::text`,
    { publisher },
  );
  return list;
}

/** The hosts on a list, ordered by name. */
export async function readListed(db: Db, publisher: string): Promise<string[]> {
  const found = await db.rows<{ domain: string }>(
    "select domain from federation_peer_blocklist_entries where publisher = :publisher::text order by domain",
    { publisher },
  );
  return found.map(({ domain }) => domain);
}
