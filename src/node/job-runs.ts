import type { Db } from "../database/db.js";

/** When a job last ran, in milliseconds of Unix time. */
interface JobRun {
  name: string;
  ranAtMillis: number;
}

/** The last run of each of these jobs. For an unknown job, the given time is stored as its last run. */
export async function readJobRuns(db: Db, known: readonly JobRun[]): Promise<ReadonlyMap<string, number>> {
  const names = known.map(({ name }) => name);
  await db.run(
    `insert into job_runs (name, ran_at_millis)
     select name, ran_at_millis from unnest(:names::text[], :times::bigint[]) as known (name, ran_at_millis)
     on conflict (name) do nothing`,
    { names, times: known.map(({ ranAtMillis }) => ranAtMillis) },
  );
  const found = await db.rows<JobRun>(
    `select name, ran_at_millis as "ranAtMillis" from job_runs where name = any(:names::text[])`,
    { names },
  );
  return new Map(found.map(({ name, ranAtMillis }) => [name, ranAtMillis]));
}

export async function recordJobRun(db: Db, { name, ranAtMillis }: JobRun): Promise<void> {
  await db.run("update job_runs set ran_at_millis = :ranAtMillis::bigint where name = :name::text", {
    name,
    ranAtMillis,
  });
}
