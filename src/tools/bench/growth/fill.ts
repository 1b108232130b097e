import type pg from "pg";

/** How much is there beside the devices that are measured. */
export interface Level {
  devices: number;
  /** Messages in the devices' queues, the same number in each. */
  queued: number;
}

const rowsPerStatement = 250_000;
const saidEvery = 5_000_000;
const indexMemory = "1GB";
const filled = ["devices", "addresses", "mailboxes", "messages", "message_keys"];
const keptDays = 30;

// The n-th device's id and the n-th message's: of the former nothing follows from n, the latter grow with time.
const deviceIdOf = (n: string): string => `encode(sha256((${n})::text::bytea), 'hex')`;
const messageIdOf = (n: string): string =>
  `(lpad(to_hex(1790000000000 + ${n}), 12, '0') || '7' || left(md5((${n})::text), 3) || '8' || right(md5((${n})::text), 15))::uuid`;
// Keys begin with the minute of the message; those that are kept are of the last days.
const keyOf = (n: string): string =>
  `(lpad(to_hex(extract(epoch from now())::bigint / 86400 - ${n} % ${keptDays}), 4, '0')
    || lpad(to_hex(${n} / ${keptDays} % 1440), 4, '0') || left(md5('m' || ${n}), 24))::uuid`;

/**
 * Fills the tables of the main job, as they would be, in a database in which nobody else works. Devices were active in a
 * far future, so that none is removed for being idle while it is measured.
 */
export async function fill(client: pg.Client, { devices, queued }: Level, say: (line: string) => void): Promise<void> {
  const each = Math.floor(queued / devices);
  const insertDevices = [
    `insert into devices (device_id, public_key, registered_at, last_active)
     select ${deviceIdOf("n")}, sha256(n::text::bytea), 1790000000 + n, 4102444800
     from generate_series($1::integer, $2::integer) as n`,
    `insert into addresses (prefix, device_id, spelling, server_url, created_at, announced_at, expires_at)
     select md5(n::text)::uuid, ${deviceIdOf("n")}, 'uuid', 'http://relay.bench', 0, 0, 4102444800
     from generate_series($1::integer, $2::integer) as n`,
    `insert into mailboxes (device_id, messages_received, last_position, queued_messages, queued_bytes)
     select ${deviceIdOf("n")}, ${each}, ${each}, ${each}, ${each} * 128
     from generate_series($1::integer, $2::integer) as n`,
  ];
  const insertMessages = [
    `insert into messages (device_id, position, message_id, ciphertext, sender_signature, sent_at, received_at, expires_at)
     select ${deviceIdOf(`(n - 1) % ${devices} + 1`)}, (n - 1) / ${devices} + 1, ${messageIdOf("n")},
            decode(repeat(md5(n::text), 8), 'hex'), repeat(md5(n::text), 4), 0, 0, 4102444800 + n
     from generate_series($1::integer, $2::integer) as n`,
    `insert into message_keys (key) select ${keyOf("n")} from generate_series($1::integer, $2::integer) as n`,
  ];
  await addPartitions(client);
  const createIndexes = await dropIndexes(client);
  await inPortions(client, { statements: insertDevices, count: devices, say: (count) => say(`${count} devices`) });
  await inPortions(client, {
    statements: insertMessages,
    count: each * devices,
    say: (count) => say(`${count} messages`),
  });
  say("their indexes");
  await createIndexes();
  await client.query(`vacuum (analyze) ${filled.join(", ")}`);
  await client.query("checkpoint");
}

/** The partitions of earlier days. The relay has created those of today and of the next days. */
async function addPartitions(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ today: number }>(
    "select floor(extract(epoch from now()) / 86400)::integer as today",
  );
  const today = rows[0]?.today ?? 0;
  const boundOf = (day: number) => `'${day.toString(16).padStart(4, "0")}0000-0000-0000-0000-000000000000'`;
  for (let day = today - keptDays; day < today; day++) {
    await client.query(
      `create table if not exists message_keys_day_${day} partition of message_keys
       for values from (${boundOf(day)}) to (${boundOf(day + 1)})`,
    );
  }
}

/** Drops the indexes and unique keys of the filled tables, and returns what creates them: at once is many times faster. */
async function dropIndexes(client: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ dropping: string; creating: string }>(
    `select case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
                 else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname)
            end as dropping,
            case when c.oid is null then pg_get_indexdef(i.indexrelid)
                 else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
            end as creating
     from pg_index as i left join pg_constraint as c on c.conindid = i.indexrelid
     where i.indrelid = any($1::regclass[])`,
    [filled],
  );
  for (const { dropping } of rows) await client.query(dropping);
  return async () => {
    await client.query(`set maintenance_work_mem = '${indexMemory}'`);
    for (const { creating } of rows) await client.query(creating);
  };
}

async function inPortions(
  client: pg.Client,
  { statements, count, say }: { statements: readonly string[]; count: number; say: (count: number) => void },
): Promise<void> {
  for (let at = 0; at < count; at += rowsPerStatement) {
    const last = Math.min(count, at + rowsPerStatement);
    for (const statement of statements) await client.query(statement, [at + 1, last]);
    if (last % saidEvery === 0) say(last);
  }
}
