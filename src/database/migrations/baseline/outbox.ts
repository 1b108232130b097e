/** Messages waiting for other servers: one queue per destination. A message's row reveals nothing about its sender. */
export const outboxTables = `
  -- A row changes with every message and every transaction, its indexed columns only when sending begins or ends there:
  -- half of each page is left free, so that no index is touched in between.
  create table outbox_destinations (
    domain text primary key,
    last_position bigint not null default 0,
    -- What the queue holds.
    messages bigint not null default 0,
    bytes bigint not null default 0,
    used_at bigint not null,
    reached_at bigint,
    -- Derived, so that it changes once in the life of a destination: an index on reached_at would change with every
    -- delivery.
    unreached boolean not null generated always as (reached_at is null) stored,
    -- Null while there is nothing to send.
    next_attempt_millis bigint,
    failures integer not null default 0,
    failed_at bigint,
    problem text,
    -- Messages of the next transaction; null for the usual number.
    transaction_limit integer,
    -- The node that delivers to this destination.
    lease_node text,
    lease_id uuid,
    lease_until timestamptz
  ) with (
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0
  );
  create index outbox_destinations_due on outbox_destinations (unreached, (failures > 0), next_attempt_millis)
    where lease_node is null and next_attempt_millis is not null;
  create index outbox_destinations_leased on outbox_destinations (lease_node) where lease_node is not null;

  create table outbox (
    domain text not null,
    position bigint not null,
    message_id uuid not null,
    recipient uuid not null,
    ciphertext bytea not null,
    sender_signature text not null,
    sent_at bigint not null,
    system_event jsonb,
    dedup_tag bytea not null,
    accepted_at bigint not null,
    expires_at bigint not null,
    -- The first of several messages with the same ciphertext, which a delivery needs to carry once.
    shared_position bigint,
    primary key (domain, position)
  ) with (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.1,
    toast.autovacuum_vacuum_scale_factor = 0.02,
    toast.autovacuum_vacuum_threshold = 5000,
    toast.autovacuum_vacuum_cost_delay = 0
  );
  alter table outbox alter column ciphertext set storage external;
  create index outbox_expires_at on outbox (expires_at);

  -- Recipients whose messages wait.
  create table outbox_holds (
    domain text not null,
    recipient uuid not null,
    failures integer not null,
    until_millis bigint not null,
    -- The delayed transaction that the messages wait for.
    transaction_id uuid,
    primary key (domain, recipient)
  );

  -- The transactions that have no answer yet, any number for a destination.
  create table outbox_transactions (
    domain text not null,
    id uuid not null,
    created_at bigint not null,
    positions bigint[] not null,
    -- How the transaction was first sent, so that it is repeated in the same form.
    form jsonb not null,
    -- Of a delayed transaction: when it is sent again.
    due_millis bigint,
    delayed_at bigint,
    problem text,
    answers jsonb,
    primary key (domain, id)
  ) with (
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0
  );
`;
