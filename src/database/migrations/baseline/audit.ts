/** What administrators did. A trigger keeps the table append-only, even against the server's own role. */
export const auditTables = `
  create table audit_entries (
    id text primary key,
    timestamp bigint not null,
    action text not null,
    admin text,
    target text,
    details jsonb not null,
    ip_address text,
    user_agent text
  );
  create index audit_entries_timestamp on audit_entries (timestamp, id);
  create index audit_entries_action on audit_entries (action, timestamp, id);
  create index audit_entries_admin on audit_entries (admin, timestamp, id);
  create index audit_entries_target on audit_entries (target, timestamp, id);

  create function refuse_audit_change() returns trigger language plpgsql as $$
  begin
    raise exception 'audit entries are append-only' using errcode = 'insufficient_privilege';
  end
  $$;

  create trigger audit_entries_append_only
    before update or delete or truncate on audit_entries
    for each statement execute function refuse_audit_change();
`;
