-- Messages for other relays say how long they live, if their senders chose that.

alter table outbox add column has_lifetime boolean not null default false;
