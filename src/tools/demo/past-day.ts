import { randomBytes } from "node:crypto";
import type { Knex } from "knex";
import { rows } from "../../platform/database/connection.js";
import { encodeHex } from "../../protocol/encodings.js";
import { deviceIdOf } from "../../protocol/identifiers.js";
import { daySeconds, hourSeconds } from "../../protocol/units.js";

// A day cannot be lived in a minute, so what only time makes is written into the tables of a demo's own relay: the series
// of the metrics, the age of devices, the week's traffic of peers. Everything else in the demo is done by real requests.

const fineSeconds = 300;
const nodeId = "demo";

/** The size of a series at its busiest, for a span of five minutes. */
const peaks = {
  counted: {
    messages_sent: 240,
    messages_received: 260,
    messages_acknowledged: 250,
    federated_messages_sent: 40,
    federated_messages_received: 55,
    federated_deliveries_failed: 2,
    devices_registered: 3,
    spam_reports: 1,
    requests: 900,
    requests_rate_limited: 6,
    key_packages_fetched: 12,
  },
  levels: {
    queued_messages: 800,
    websocket_connections: 120,
    outbox_messages: 60,
    devices: 410,
    active_devices: 260,
    cpu_usage_percent: 35,
    memory_bytes: 180_000_000,
  },
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

/** Writes the series of the day before `now`, Unix seconds. */
export async function writePastDay(db: Knex, now: number): Promise<void> {
  const last = Math.floor(now / fineSeconds) * fineSeconds - fineSeconds;
  const readings: Reading[] = [];
  for (const [kind, metrics] of Object.entries(peaks)) {
    for (const [seed, [metric, peak]] of Object.entries(metrics).entries()) {
      const valueAt = (start: number) => Math.round(peak * waveAt(start, seed));
      readings.push(...readingsOf({ metric, valueAt, isCounted: kind === "counted" }, last));
    }
  }
  await rows(
    db,
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
  await writeLatencies(db, last);
}

interface Series {
  metric: string;
  isCounted: boolean;
  valueAt(start: number): number;
}

/** Counts add up in the longer spans, levels are averaged. */
function readingsOf({ metric, valueAt, isCounted }: Series, last: number): Reading[] {
  const fine: Reading[] = [];
  for (let start = last - daySeconds; start <= last; start += fineSeconds) {
    fine.push({ metric, resolution: fineSeconds, start, value: valueAt(start) });
  }
  const longer = [hourSeconds, daySeconds].flatMap((resolution) => {
    const spans = new Map<number, number[]>();
    for (const { start, value } of fine) {
      const span = Math.floor(start / resolution) * resolution;
      spans.set(span, [...(spans.get(span) ?? []), value]);
    }
    return [...spans].map(([start, values]) => {
      const sum = values.reduce((total, value) => total + value, 0);
      return { metric, resolution, start, value: isCounted ? sum : sum / values.length };
    });
  });
  return [...fine, ...longer];
}

/** Most messages are handed out within 10^(16/10), that is 40, milliseconds. */
async function writeLatencies(db: Knex, last: number): Promise<void> {
  await rows(
    db,
    `insert into metric_histograms (metric, resolution, bucket_start, node_id, bucket, count)
     select 'delivery_latency', :fineSeconds::int, :last::bigint, :nodeId::text, bucket, 400 - 20 * abs(bucket - 12)
     from generate_series(8, 20) as bucket
     on conflict do nothing`,
    { fineSeconds, last, nodeId },
  );
}

/** Adds devices that registered over the last weeks. They have ids of real keys, which nobody keeps. */
export async function writeDevices(db: Knex, { count, now }: { count: number; now: number }): Promise<void> {
  const keys = Array.from({ length: count }, () => new Uint8Array(randomBytes(32)));
  const spread = 60 * daySeconds;
  await rows(
    db,
    `insert into devices (device_id, public_key, registered_at, last_active, admin_verified, verified_at, spam_reports)
     select id, decode(key, 'hex'), at, least(:now::bigint, at + 3600 * (at % 400)), at % 11 = 0,
            case when at % 11 = 0 then at + 600 end, case when at % 37 = 0 then 1 else 0 end
     from unnest(:ids::text[], :keys::text[], :times::bigint[]) as past (id, key, at)`,
    {
      now,
      ids: keys.map((key) => deviceIdOf(key)),
      keys: keys.map((key) => encodeHex(key)),
      times: keys.map((_, index) => now - Math.floor((spread * (index + 1)) / count)),
    },
  );
}

const peers = [
  { host: "relay.friends.example", delivered: 4_200, rejected: 12, callsFailed: 1 },
  { host: "messages.school.example", delivered: 1_850, rejected: 0, callsFailed: 0 },
  { host: "chat.bulk.example", delivered: 900, rejected: 620, callsFailed: 30 },
  { host: "noisy.example", delivered: 300, rejected: 280, callsFailed: 140 },
] as const;
const listed = ["noisy.example", "chat.bulk.example", "waves-of-spam.example"];

/** Writes the week's traffic of some peers, and the block list that one of them publishes. */
export async function writePeers(db: Knex, now: number): Promise<void> {
  const today = Math.floor(now / daySeconds);
  for (const [index, { host, delivered, rejected, callsFailed }] of peers.entries()) {
    const traffic = {
      host,
      delivered,
      rejected,
      callsFailed,
      today,
      first: now - 90 * daySeconds,
      last: now - 60 * index,
    };
    await rows(
      db,
      `insert into federation_peers
         (host, domain, registrable, first_contact, last_activity, delivered_total, certificate_valid)
       values (:host, :host, :host, :first::bigint, :last::bigint, 10 * :delivered::bigint, true)`,
      traffic,
    );
    await rows(
      db,
      `insert into federation_peer_days (host, day, delivered, rejected, calls, calls_failed, call_millis)
       select :host, day, :delivered::bigint / 7, :rejected::bigint / 7, 200, :callsFailed::bigint, 9000
       from generate_series(:today::int - 6, :today::int) as day`,
      traffic,
    );
  }
  const [publisher] = peers;
  await rows(db, "insert into federation_lists (publisher, fetched_at) values (:host, :now::bigint)", {
    now: now - hourSeconds,
    host: publisher.host,
  });
  await rows(db, "insert into federation_listings (publisher, domain) select :host::text, unnest(:listed::text[])", {
    host: publisher.host,
    listed,
  });
}
