-- Which of the keys that a slot is named after has taken it, and its signature over the content; null for a slot of one key. Members compute both keys of an
-- epoch and whose they are; to everyone else, they are random bytes.

alter table slots
  add column taker_key bytea,
  add column taker_signature bytea,
  add check ((taker_key is null) = (taker_signature is null));
