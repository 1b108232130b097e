/** Commit slots, by name; the names are random bytes to everyone outside the group. */
export const slotsTables = `
  -- A row stays until the slot may be forgotten. Its content and its signature go before, when they expire.
  create table slots (
    slot bytea primary key check (octet_length(slot) = 32),
    content bytea,
    content_sha256 bytea not null,
    -- The public key that signed the receipt: a restored relay has another one.
    slot_key bytea not null,
    signature bytea,
    expires_at bigint not null,
    forget_at bigint not null,
    check ((content is null) = (signature is null))
  );
  alter table slots alter column content set storage external;
  create index slots_expires_at on slots (expires_at) where content is not null;
  create index slots_forget_at on slots (forget_at);

  -- What the content of all slots takes, which is bounded. It changes in the transaction that adds or removes some.
  create table slot_balance (
    one boolean primary key default true check (one),
    content_bytes bigint not null
  ) with (fillfactor = 50);
  insert into slot_balance (content_bytes) values (0);
`;
