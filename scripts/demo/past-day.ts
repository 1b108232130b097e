import { randomBytes } from "node:crypto";
import type { Database } from "../../src/database/db.js";
import { encodeHex } from "../../src/protocol/encodings.js";
import { deviceIdOf } from "../../src/protocol/identifiers.js";
import { daySeconds, hourSeconds } from "../../src/protocol/units.js";

// A day cannot pass in a minute, so whatever takes time is written into the tables of the demo's relay: the series of
// the metrics, the age of devices, the week's traffic of peers. Everything else in the demo is done by real requests.

const fineSeconds = 300;
const nodeId = "demo";

/** Peers, with their traffic of a week. */
const peers = [
  { host: "relay.friends.example", delivered: 4_200, rejected: 12, callsFailed: 1 },
  { host: "messages.school.example", delivered: 1_850, rejected: 0, callsFailed: 0 },
  { host: "chat.bulk.example", delivered: 900, rejected: 620, callsFailed: 30 },
  { host: "noisy.example", delivered: 300, rejected: 280, callsFailed: 140 },
] as const;
const daysOfWeek = 7;
/** What a peer delivers in a day. */
const perDay = (total: number): number => Math.floor(total / daysOfWeek);

const sent = 6_000;
const federatedSent = 900;
const federatedReceived = peers.reduce((sum, { delivered }) => sum + perDay(delivered), 0);
const received = sent - federatedSent + federatedReceived;

/** Totals of the day. The other counts are taken from the tables that the console lists. */
const counted = {
  messages_sent: sent,
  messages_received: received,
  messages_acknowledged: received,
  federated_messages_sent: federatedSent,
  federated_messages_received: federatedReceived,
  federated_deliveries_failed: 3,
  requests: 26_000,
  requests_rate_limited: 40,
  key_packages_fetched: 350,
} as const;

/** Levels at their highest. */
const levels = {
  queued_messages: 60,
  websocket_connections: 8,
  outbox_messages: 25,
  cpu_usage_percent: 35,
  memory_bytes: 180_000_000,
} as const;

interface Reading {
  metric: string;
  resolution: number;
  start: number;
  value: number;
}

/** Quiet at night, busy in the evening, with some noise that is the same in every run. */
function waveAt(seconds: number, seed: number): number {
  const hour = (seconds % daySeconds) / hourSeconds;
  const noise = Math.abs(Math.sin(seconds / fineSeconds + 7 * seed)) * 0.25;
  return 0.15 + 0.6 * Math.max(0, Math.sin(((hour - 7) / 16) * Math.PI)) + noise;
}

/** The five-minute spans of the day before `now`, without the current one. */
function spansBefore(now: number): number[] {
  const last = Math.floor(now / fineSeconds) * fineSeconds - fineSeconds;
  return Array.from({ length: daySeconds / fineSeconds }, (_, index) => last - fineSeconds * index).reverse();
}

/** Whole numbers that follow the wave and add up to a total. */
function spread(total: number, spans: readonly number[], seed: number): number[] {
  const weights = spans.map((start) => waveAt(start, seed));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  let [weight, before] = [0, 0];
  return weights.map((own) => {
    weight += own;
    const until = Math.round((total * weight) / all);
    const value = until - before;
    before = until;
    return value;
  });
}

/** Writes the series of the day before `now`, Unix seconds. Devices and reports were written before, and are counted. */
export async function writePastDay(db: Database, now: number): Promise<void> {
  const spans = spansBefore(now);
  const series: Series[] = [
    ...Object.entries(counted).map(([metric, total], seed) => {
      return { metric, isCounted: true, values: spread(total, spans, seed) };
    }),
    ...Object.entries(levels).map(([metric, peak], seed) => {
      return { metric, isCounted: false, values: spans.map((start) => Math.round(peak * waveAt(start, seed))) };
    }),
    ...(await countedInTables(db, spans)),
  ];
  const readings = series.flatMap((one) => readingsOf(one, spans));
  await db.run(
    `insert into metric_rollups (metric, resolution, bucket_start, node_id, value)
     select metric, resolution, start, :nodeId::text, value
     from unnest(:metrics::text[], :resolutions::int[], :starts::bigint[], :values::float8[])
       as past (metric, resolution, start, value)
     on conflict do nothing`,
    {
      nodeId,
      metrics: readings.map(({ metric }) => metric),
      resolutions: readings.map(({ resolution }) => resolution),
      starts: readings.map(({ start }) => start),
      values: readings.map(({ value }) => value),
    },
  );
  await writeLatencies(db, spans.at(-1) ?? now);
}

/** The series of what the console also lists, counted so that both agree. */
async function countedInTables(db: Database, spans: readonly number[]): Promise<Series[]> {
  const found = await db.rows<Record<"signUps" | "reports" | "devices" | "active", number>>(
    `-- every shard
     select (select count(*) from devices where registered_at >= start and registered_at < start + :fine::int) as "signUps",
            (select count(*) from audit_entries
             where action = 'spam_reported' and timestamp >= start and timestamp < start + :fine::int) as reports,
            (select count(*) from devices where registered_at < start + :fine::int) as devices,
            (select count(*) from devices
             where registered_at < start + :fine::int and last_active > start - :day::int) as active
     from unnest(:spans::bigint[]) as start
     order by start`,
    { spans: [...spans], fine: fineSeconds, day: daySeconds },
  );
  return [
    { metric: "devices_registered", isCounted: true, values: found.map(({ signUps }) => signUps) },
    { metric: "spam_reports", isCounted: true, values: found.map(({ reports }) => reports) },
    { metric: "devices", isCounted: false, values: found.map(({ devices }) => devices) },
    { metric: "active_devices", isCounted: false, values: found.map(({ active }) => active) },
  ];
}

/** A metric over the spans of the day. */
interface Series {
  metric: string;
  isCounted: boolean;
  values: readonly number[];
}

/** Counts add up in the longer spans, levels are averaged. */
function readingsOf({ metric, isCounted, values }: Series, starts: readonly number[]): Reading[] {
  const fine = starts.map((start, at): Reading => ({ metric, resolution: fineSeconds, start, value: values[at] ?? 0 }));
  const longer = [hourSeconds, daySeconds].flatMap((resolution) => {
    const spans = new Map<number, number[]>();
    for (const { start, value } of fine) {
      const span = Math.floor(start / resolution) * resolution;
      spans.set(span, [...(spans.get(span) ?? []), value]);
    }
    return [...spans].map(([start, within]) => {
      const sum = within.reduce((total, value) => total + value, 0);
      return { metric, resolution, start, value: isCounted ? sum : sum / within.length };
    });
  });
  return [...fine, ...longer];
}

/** Most messages are delivered within 10^(16/10), that is 40, milliseconds. */
async function writeLatencies(db: Database, last: number): Promise<void> {
  await db.run(
    `insert into metric_histograms (metric, resolution, bucket_start, node_id, bucket, count)
     select 'delivery_latency', :fineSeconds::int, :last::bigint, :nodeId::text, bucket, 400 - 20 * abs(bucket - 12)
     from generate_series(8, 20) as bucket
     on conflict do nothing`,
    { fineSeconds, last, nodeId },
  );
}

/** The shortest time for removal is longer, so no device is removed for inactivity. */
const awaySeconds = 5 * daySeconds;

/** Adds devices that registered over the last weeks. They have ids of real keys, which nobody keeps. */
export async function writeDevices(db: Database, { count, now }: { count: number; now: number }): Promise<void> {
  const keys = Array.from({ length: count }, () => new Uint8Array(randomBytes(32)));
  const times = keys.map((_, index) => now - Math.floor((60 * daySeconds * (index + 1)) / count));
  await db.run(
    `insert into devices (device_id, public_key, registered_at, last_active, admin_verified, verified_at)
     select id, decode(key, 'hex'), at, active, at % 11 = 0, case when at % 11 = 0 then at + 600 end
     from unnest(:ids::text[], :keys::text[], :times::bigint[], :actives::bigint[]) as past (id, key, at, active)`,
    {
      ids: keys.map((key) => deviceIdOf(key)),
      keys: keys.map((key) => encodeHex(key)),
      times,
      // Most were here recently.
      actives: times.map((at, index) => {
        const part = ((index * 7_919) % count) / count;
        return now - Math.floor(Math.min(now - at, awaySeconds) * part ** 3);
      }),
    },
  );
}

const reportCount = 9;
const reportEverySeconds = 7 * hourSeconds;

/** Records some reports of the last days, each about another device, as the relay records them. */
export async function writeReports(db: Database, now: number): Promise<void> {
  const times = Array.from({ length: reportCount }, (_, index) => now - reportEverySeconds * (index + 1));
  await db.run(
    `with report as (
       select at, id, row_number() over () as number from unnest(:times::bigint[], :ids::text[]) as r (at, id)
     ), device as (
       select device_id, row_number() over (order by device_id) as number from devices where not admin_verified
     ), counted as (
       update devices as d set spam_reports = spam_reports + 1
       from report join device using (number)
       where d.device_id = device.device_id
     )
     insert into audit_entries (id, timestamp, action, target, details)
     select report.id, at, 'spam_reported', device_id, '{"reason": "spam", "reporters": 1, "score": 1}'::jsonb
     from report join device using (number)`,
    { times, ids: times.map(auditIdAt) },
  );
}

/** Ids of entries sort by time. */
function auditIdAt(seconds: number): string {
  return `audit_${(1000 * seconds).toString(16).padStart(12, "0")}0000${encodeHex(new Uint8Array(randomBytes(8)))}`;
}

const listed = ["noisy.example", "chat.bulk.example", "waves-of-spam.example"];

/** Writes the week's traffic of some peers, and the block list that one of them publishes. */
export async function writePeers(db: Database, now: number): Promise<void> {
  const today = Math.floor(now / daySeconds);
  for (const [index, { host, delivered, rejected, callsFailed }] of peers.entries()) {
    const traffic = {
      host,
      delivered,
      deliveredDaily: perDay(delivered),
      rejectedDaily: perDay(rejected),
      callsFailed,
      today,
      first: now - 90 * daySeconds,
      last: now - 60 * index,
    };
    await db.run(
      `insert into federation_peers
         (host, domain, registrable_domain, first_contact, last_activity, delivered_total, certificate_valid)
       values (:host, :host, :host, :first::bigint, :last::bigint, 10 * :delivered::bigint, true)`,
      traffic,
    );
    await db.run(
      `insert into federation_peer_days (host, day, delivered, rejected, calls, calls_failed, call_millis)
       select :host, day, :deliveredDaily::bigint, :rejectedDaily::bigint, 200, :callsFailed::bigint, 9000
       from generate_series(:today::int - 6, :today::int) as day`,
      traffic,
    );
  }
  const [publisher] = peers;
  await db.run("insert into federation_peer_blocklists (publisher, fetched_at) values (:host, :now::bigint)", {
    now: now - hourSeconds,
    host: publisher.host,
  });
  await db.run(
    "insert into federation_peer_blocklist_entries (publisher, domain) select :host::text, unnest(:listed::text[])",
    {
      host: publisher.host,
      listed,
    },
  );
}
