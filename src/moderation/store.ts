import type { Db } from "../database/db.js";
import type { StoredReport } from "./types.js";

/** Finds an earlier report of the same message by the same reporter. */
export async function findReport(
  db: Db,
  received: { reported: string; key: Uint8Array },
): Promise<Pick<StoredReport, "reportId" | "reportedAt"> | undefined> {
  const found = await db.one<Pick<StoredReport, "reportId" | "reportedAt">>(
    `select report_id as "reportId", reported_at as "reportedAt"
     from spam_reports where reported = :reported and report_key = :key`,
    { reported: received.reported, key: Buffer.from(received.key) },
  );
  return found;
}

/** Stores a new report. The caller has locked the reporter's row, so the same report cannot be stored twice. */
export async function insertReport(db: Db, report: StoredReport): Promise<void> {
  await db.run(
    `insert into spam_reports (reported, report_key, report_id, reporter, reporter_tier, status, reason, details,
                               reported_at, peer)
     values (:reported, :key, :reportId::uuid, :reporter, :tier, :status, :reason, :details::text, :reportedAt::bigint,
             :peer::bytea)`,
    {
      ...report,
      key: Buffer.from(report.key),
      reporter: Buffer.from(report.reporter),
      peer: report.peer === null ? null : Buffer.from(report.peer),
    },
  );
}

/** The reports of one reporter about one device since a time. Times are Unix seconds. */
export interface ReporterUsage {
  reported: string;
  reports: number;
  firstAt: number;
  lastAt: number;
}

/** Reads the reports of a reporter since a time, one row per reported device. */
export async function readUsage(db: Db, query: { reporter: Uint8Array; since: number }): Promise<ReporterUsage[]> {
  return db.rows<ReporterUsage>(
    `select reported, count(*) as reports, min(reported_at) as "firstAt", max(reported_at) as "lastAt"
     from spam_reports where reporter = :reporter and reported_at > :since::bigint
     group by reported`,
    { reporter: Buffer.from(query.reporter), since: query.since },
  );
}

/** The weight of the verified reports about a device. */
export interface Weight {
  /** The number of distinct reporters in the tiers that count. */
  reporters: number;
  /** How many of them are devices of this relay. */
  own: number;
  /** The sum over the reporters of the score window, each weighted by the highest tier in which it reported. */
  score: number;
}

/** Weighs the reports about devices. Devices without reports are missing from the map. */
export async function weighReports(
  db: Db,
  query: {
    reported: readonly string[];
    tiers: readonly string[];
    weights: readonly number[];
    since: number;
    /** How many reporters of one other relay count. */
    ofOnePeer: number;
  },
): Promise<Map<string, Weight>> {
  const found = await db.rows<Weight & { reported: string }>(
    `select reported, count(*) as reporters, count(*) filter (where peer is null) as own, coalesce(sum(weight), 0) as score
     from (
       select *, row_number() over (partition by reported, peer order by weight desc) as nth
       from (
         select r.reported, r.peer, max(case when r.reported_at > :since::bigint then t.weight else 0 end) as weight
         from spam_reports as r
         join unnest(:tiers::text[], :weights::numeric[]) as t (tier, weight) on t.tier = r.reporter_tier
         where r.reported = any(:reported::text[]) and r.status = 'verified'
         group by r.reported, r.peer, r.reporter
       ) as per_reporter
     ) as ranked
     where peer is null or nth <= :ofOnePeer::integer
     group by reported`,
    { ...query },
  );
  return new Map(found.map(({ reported, ...weight }) => [reported, weight]));
}

/** Counts the reports about a device that could not be verified. */
export async function countUnverified(db: Db, reported: string): Promise<number> {
  const sql = "select count(*) as n from spam_reports where reported = :reported and status = 'unverified'";
  return (await db.one<{ n: number }>(sql, { reported }))?.n ?? 0;
}

/** Marks the verified reports about a device as pardoned, so that they no longer count. */
export async function pardonReports(db: Db, reported: string): Promise<void> {
  await db.run("update spam_reports set status = 'pardoned' where reported = :reported and status = 'verified'", {
    reported,
  });
}

/** Deletes up to `limit` reports from before a time that count against no device; returns how many. */
export async function deleteOldReports(db: Db, range: { before: number; limit: number }): Promise<number> {
  const deleted = await db.rows(
    `delete from spam_reports as r
     using (
       select reported, report_key from spam_reports
       where status <> 'verified' and reported_at <= :before::bigint
       order by reported_at limit :limit::integer
     ) as old
     where r.reported = old.reported and r.report_key = old.report_key and r.status <> 'verified'
     returning 1`,
    range,
  );
  return deleted.length;
}

/** Deletes the reports about some devices, and the reports by some reporters. */
export async function deleteReports(
  db: Db,
  of: { reported: readonly string[]; reporters: readonly Uint8Array[] },
): Promise<void> {
  await db.run("delete from spam_reports where reported = any(:reported::text[])", { reported: of.reported });
  await db.run("delete from spam_reports where reporter = any(:reporters::bytea[])", {
    reporters: of.reporters.map((reporter) => Buffer.from(reporter)),
  });
}
