-- What is handed out a limited number of times is handed out again to whoever names the same download: its answer may have been lost.

-- The hash of the download that got the blob, which is kept for it until the address expires.
alter table provisioning_addresses add column delivered_to bytea;

-- Until when the ciphertext of a package is kept that is used up, for downloads that were counted.
alter table info_packages add column kept_until bigint;
alter table info_packages drop constraint info_packages_check3;
alter table info_packages add constraint info_packages_used_up
  check ((ciphertext is null or kept_until is not null) = (uses_remaining is not distinct from 0));
create index info_packages_kept_until on info_packages (kept_until) where kept_until is not null;

-- Downloads that have counted, for a while.
create table info_package_downloads (
  segment text collate "C" not null,
  download bytea not null,
  ends_at bigint not null,
  primary key (segment, download)
);
create index info_package_downloads_ends_at on info_package_downloads (ends_at);
