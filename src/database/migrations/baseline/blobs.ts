/** Blobs, by the hashes of their ids. Their bytes are in a folder or in an object store. */
export const blobsTables = `
  create table blobs (
    -- SHA-256 of the id.
    name bytea primary key check (octet_length(name) = 32),
    size bigint not null check (size > 0),
    part_bytes integer not null check (part_bytes > 0),
    -- What an object store calls the upload.
    upload_reference text,
    upload_hash bytea not null,
    delete_hash bytea not null,
    is_complete boolean not null default false,
    -- Its bytes are being removed; the row goes afterwards.
    is_removed boolean not null default false,
    -- Null if downloads are not counted.
    downloads_left integer check (downloads_left >= 0),
    -- How many requests may still upload a part.
    part_requests integer not null check (part_requests >= 0),
    expires_at bigint not null,
    ends_at bigint not null
  ) with (fillfactor = 80);
  create index blobs_ends_at on blobs (ends_at);
  create index blobs_incomplete on blobs (size) where not is_complete;
  create index blobs_removed on blobs (name) where is_removed;

  -- Downloads of blobs that count them, which may be continued for a while.
  create table blob_downloads (
    name bytea not null,
    download bytea not null,
    ends_at bigint not null,
    primary key (name, download)
  );
  create index blob_downloads_ends_at on blob_downloads (ends_at);

  -- What all blobs take, which is bounded. It changes in the statement that adds or removes one.
  create table blob_balance (
    one boolean primary key default true check (one),
    bytes bigint not null
  ) with (fillfactor = 50);
  insert into blob_balance (bytes) values (0);
`;
