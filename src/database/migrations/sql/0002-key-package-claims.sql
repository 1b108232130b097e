-- Answers to claims of key packages, and packages that are kept for one address of their device.

-- The address that a package is given out for first; null for every address of the device. A package with an address may
-- be the last resort of that address. That of the whole device is in key_package_accounts.
alter table key_packages
  add column prefix uuid,
  add column last_resort boolean not null default false;

-- A claim's answer for one address, under a hash of the claim's id and the address, and sealed by a key that is made of the
-- id. The id is not stored, so no row tells what it holds or which rows belong together. Times are rounded to the hour.
create table key_package_claims (
  claim bytea primary key check (octet_length(claim) = 32),
  -- Null only within the transaction that takes the package.
  sealed bytea,
  expires_at bigint not null
);
create index key_package_claims_expires_at on key_package_claims (expires_at);
