/**
 * Addresses at which a blob waits for a new device. Neither the opener of an address nor the author of the blob is
 * stored.
 */
export const provisioningTables = `
  create table provisioning_addresses (
    id uuid primary key,
    poll_token_hash bytea not null,
    expires_at bigint not null,
    -- The newest poll, which alone gets the blob.
    waiter uuid,
    ciphertext bytea
  ) with (fillfactor = 85);
  alter table provisioning_addresses alter column ciphertext set storage external;
  create index provisioning_addresses_expires_at on provisioning_addresses (expires_at);
`;
