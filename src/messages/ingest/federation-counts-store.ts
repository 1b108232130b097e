import type { Db, Executor } from "../../database/db.js";
import { joinRegistered } from "../model/read-model.js";
import type { DeviceFederation } from "../model/types.js";

/** Messages that one device exchanged with one domain. The empty domain stands for the rest. */
interface FederationCount {
  deviceId: string;
  domain: string;
  sent: number;
  received: number;
}

/** Adds counts, which are ordered by device and domain. `day` is in days since 1970. */
export async function addFederationCounts(
  trx: Executor,
  counts: readonly FederationCount[],
  day: number,
): Promise<void> {
  await trx.run(
    `insert into device_federation as f (device_id, domain, sent, received, last_day)
     select d.device_id, d.domain, d.sent, d.received, :day::integer
     from unnest(:deviceIds::text[], :domains::text[], :sent::bigint[], :received::bigint[])
       as d (device_id, domain, sent, received)
     on conflict (device_id, domain) do update
     set sent = f.sent + excluded.sent, received = f.received + excluded.received,
         last_day = greatest(f.last_day, excluded.last_day)`,
    {
      day,
      deviceIds: counts.map(({ deviceId }) => deviceId),
      domains: counts.map(({ domain }) => domain),
      sent: counts.map(({ sent }) => sent),
      received: counts.map(({ received }) => received),
    },
  );
}

/**
 * Adds messages that devices sent to domains, to an unlogged table, which neither the log nor a base backup holds.
 * `counts` are in the order of devices and domains.
 */
export async function addSends(
  db: Executor,
  counts: readonly { deviceId: string; domain: string; count: number }[],
  day: number,
): Promise<void> {
  await db.run(
    `insert into recent_federation_sends as f (device_id, domain, sent, last_day)
     select d.device_id, d.domain, d.sent, :day::integer
     from unnest(:deviceIds::text[], :domains::text[], :sent::bigint[]) as d (device_id, domain, sent)
     on conflict (device_id, domain) do update
     set sent = f.sent + excluded.sent, last_day = greatest(f.last_day, excluded.last_day)`,
    {
      day,
      deviceIds: counts.map(({ deviceId }) => deviceId),
      domains: counts.map(({ domain }) => domain),
      sent: counts.map(({ count }) => count),
    },
  );
}

/** Moves at most `limit` of these rows to the lasting counts; returns the number of rows. */
export async function addRecentSends(trx: Db, limit: number): Promise<number> {
  const row = await trx.one<{ count: number }>(
    `-- every shard
     with latest as (
       select device_id, domain from recent_federation_sends order by device_id, domain limit :limit::integer
     ), gone as (
       delete from recent_federation_sends as f
       using latest as s
       where f.device_id = s.device_id and f.domain = s.domain
       returning f.device_id, f.domain, f.sent, f.last_day
     ), added as (
       insert into device_federation as f (device_id, domain, sent, last_day)
       select g.device_id, g.domain, g.sent, g.last_day
       from gone as g
       ${joinRegistered("g")}
       order by g.device_id, g.domain
       on conflict (device_id, domain) do update
       set sent = f.sent + excluded.sent, last_day = greatest(f.last_day, excluded.last_day)
     )
     select count(*) as count from gone`,
    { limit },
  );
  return row?.count ?? 0;
}

/** A device's domains, latest first, and its totals. */
export async function readFederation(db: Db, deviceId: string): Promise<DeviceFederation> {
  const found = await db.rows<{ domain: string; sent: number; received: number }>(
    `select domain, sum(sent)::bigint as sent, sum(received)::bigint as received
     from (
       select domain, sent, received, last_day from device_federation where device_id = :deviceId::text
       union all
       select domain, sent, 0, last_day from recent_federation_sends where device_id = :deviceId::text
     ) as counts
     group by domain
     order by max(last_day) desc, sum(sent) desc, domain`,
    { deviceId },
  );
  return {
    domains: found.map(({ domain }) => domain).filter((domain) => domain !== ""),
    sent: found.reduce((sum, row) => sum + row.sent, 0),
    received: found.reduce((sum, row) => sum + row.received, 0),
  };
}

interface DomainOfDevice {
  device_id: string;
  domain: string;
}

/** Domains that were last written to before a given day, and those beyond the latest `maxDomains` of a device. */
export async function findForgettableDomains(
  db: Db,
  { before, maxDomains, limit }: { before: number; maxDomains: number; limit: number },
): Promise<DomainOfDevice[]> {
  return db.rows<DomainOfDevice>(
    `-- every shard
     (
       select device_id, domain
       from device_federation
       where last_day < :before::integer and domain <> ''
       limit :limit::integer
     )
     union
     (
       select device_id, domain
       from (
         select device_id, domain,
                row_number() over (partition by device_id order by last_day desc, sent desc, domain) as number
         from device_federation
         where domain <> ''
       ) as ranked
       where number > :maxDomains::integer
       limit :limit::integer
     )
     order by device_id, domain
     limit :limit::integer`,
    { before, maxDomains, limit },
  );
}

/** Adds these rows to the rest of their devices, and removes them. */
export async function forgetDomains(trx: Db, domains: readonly DomainOfDevice[], day: number): Promise<void> {
  await trx.run(
    `with gone as (
       delete from device_federation as f
       using unnest(:deviceIds::text[], :domains::text[]) as d (device_id, domain)
       where f.device_id = d.device_id and f.domain = d.domain
       returning f.device_id, f.sent, f.received
     )
     insert into device_federation as f (device_id, domain, sent, received, last_day)
     select device_id, '', sum(sent), sum(received), :day::integer
     from gone
     group by device_id
     order by device_id
     on conflict (device_id, domain) do update
     set sent = f.sent + excluded.sent, received = f.received + excluded.received`,
    { day, deviceIds: domains.map((row) => row.device_id), domains: domains.map(({ domain }) => domain) },
  );
}

/** Removes the counts of devices. */
export async function deleteFederationCounts(trx: Db, deviceIds: readonly string[]): Promise<void> {
  await trx.run("delete from recent_federation_sends where device_id = any(:deviceIds::text[])", { deviceIds });
  await trx.run("delete from device_federation where device_id = any(:deviceIds::text[])", { deviceIds });
}
