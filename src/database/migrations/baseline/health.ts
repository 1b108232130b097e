/** Alerts, and a row by which nodes find out whether the database takes writes. */
export const healthTables = `
  create table alerts (
    id text primary key,
    condition text not null,
    -- What the condition holds for: a node, a destination, or nothing in particular.
    subject text not null,
    severity text not null check (severity in ('critical', 'warning', 'info')),
    component text not null,
    message text not null,
    started_at bigint not null,
    details jsonb not null,
    cleared_at bigint
  );
  create unique index alerts_active on alerts (condition, subject) where cleared_at is null;
  create index alerts_cleared_at on alerts (cleared_at);

  -- Alerts that are still to be sent to the operator.
  create table alert_pushes (
    alert_id text not null,
    event text not null,
    channel text not null,
    created_at bigint not null,
    attempts integer not null default 0,
    next_attempt_at bigint not null,
    primary key (alert_id, event, channel)
  );

  create table write_probe (
    -- As long as what the database must have room for.
    filler text not null,
    -- So that a node need not write what another one has written a moment ago.
    written_at timestamptz not null default clock_timestamp()
  );
`;
