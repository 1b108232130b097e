-- The database that the slot key belongs to. A standby that is promoted begins another timeline; if commits did not wait for it, it
-- lacks slots that were confirmed, and the key is replaced.

create table slot_key_database (
  one boolean primary key default true check (one),
  -- What PostgreSQL calls the cluster. A dump that is restored elsewhere has another one, and what it lacks is voided otherwise.
  cluster text not null,
  timeline text not null,
  -- Whether commits waited for a standby, when last looked.
  synchronous boolean not null
);
