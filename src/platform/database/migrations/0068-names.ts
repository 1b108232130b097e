import type { Knex } from "knex";

/**
 * Tables and jobs get names that say what they hold. Nodes of the version before, which may run beside this one during an
 * upgrade, find the tables under their earlier names by views; the next minor version drops those.
 */
export const namesMigration = {
  name: "0068-names",
  async up(db: Knex): Promise<void> {
    await db.raw(`
      alter table device_marks rename to block_tombstones;
      alter table block_tombstones rename constraint device_marks_pkey to block_tombstones_pkey;
      alter index device_marks_banned_until rename to block_tombstones_banned_until;
      create view device_marks as select * from block_tombstones;

      alter table census rename to metric_snapshots;
      alter table metric_snapshots rename constraint census_pkey to metric_snapshots_pkey;
      alter table metric_snapshots rename constraint census_one_check to metric_snapshots_one_check;
      create view census as select * from metric_snapshots;

      alter table earlier_keys rename to earlier_hashes;
      alter table earlier_hashes rename constraint earlier_keys_pkey to earlier_hashes_pkey;
      alter table earlier_hashes rename constraint earlier_keys_one_check to earlier_hashes_one_check;
      create view earlier_keys as select * from earlier_hashes;

      update job_runs set name = 'messages' || substr(name, 8) where name like 'mailbox.%';
      update job_runs set name = 'metrics.snapshot' where name = 'metrics.census';
    `);
  },
};
