import { randomBytes, randomUUID } from "node:crypto";
import type { Database } from "../../src/database/db.js";

// What only another relay, a failure or the passing of days leaves behind is written, in the forms in which the relay
// writes it. Everything else in the dump is made by requests.

const peer = "peer.example";

/** Writes a row into each table that the requests of the play leave empty. Unix seconds. */
export async function writeRareRows(db: Database, { now, device }: { now: number; device: string }): Promise<void> {
  const later = now + 86_400;
  const day = Math.floor(now / 86_400);
  const transaction = randomUUID();
  const rare: Readonly<Record<string, object>> = {
    alerts: {
      ...{ id: "alert_of_the_dump", condition: "outbox_refused", subject: peer, severity: "warning" },
      ...{ component: "federation", message: "a server refuses messages", started_at: now, details: {} },
    },
    alert_pushes: {
      ...{
        alert_id: "alert_of_the_dump",
        event: "raised",
        channel: "webhook",
        created_at: now,
        next_attempt_at: later,
      },
    },
    backup_state: { watched_since: now },
    backups: { started_at: now, finished_at: now, origin: "command", file: "before.backup", bytes: 1_000 },
    blobs: {
      ...{ name: randomBytes(32), size: 528, part_bytes: 1_048_576, is_complete: true, downloads_left: 3 },
      ...{ upload_hash: randomBytes(32), delete_hash: randomBytes(32), part_requests: 19 },
      ...{ expires_at: later, ends_at: later },
    },
    blob_downloads: { name: randomBytes(32), download: randomBytes(32), ends_at: later },
    block_tombstones: { device_hash: randomBytes(32), blocked_at: now, marked_at: now },
    device_federation: { device_id: device, domain: peer, sent: 3, received: 2, last_day: day },
    federation_origins: { key: randomBytes(16), host: peer, expires_on: day + 30 },
    federation_session_chains: { id: randomBytes(32), chain: randomBytes(600), expires_at: later },
    federation_spam_reporters: { host: peer, reporter_hash: randomBytes(32), reported_at: now },
    federation_transactions: {
      ...{ origin: peer, transaction_id: randomUUID(), digest: randomBytes(32), answer: { accepted: [] } },
      ...{ claim: randomUUID(), node: "0011223344556677", expires_at: later },
    },
    info_package_downloads: { segment: randomUUID(), download: randomBytes(32), ends_at: later },
    ip_bans: { ip_hash: randomBytes(32).toString("hex"), banned_until: later },
    key_package_claims: { claim: randomBytes(32), sealed: randomBytes(100), expires_at: later },
    metrics_snapshot: { taken_at: now, millis: 1, levels: {} },
    outbox_transactions: { domain: peer, id: transaction, created_at: now, positions: [], form: {} },
    outbox_holds: { domain: peer, recipient: randomUUID(), failures: 1, until_millis: 1_000 * later },
    push_services: { service: randomBytes(32), failures: 1, failed_at: now, paused_until: later },
    push_subscriptions: {
      ...{
        device_id: device,
        sealed: randomBytes(200),
        service: randomBytes(32),
        key_id: randomBytes(16).toString("hex"),
      },
      ...{ urgency: "low", created_at: now, code_hash: randomBytes(32), code_expires_at: later },
    },
    sent_totals: { device_id: device, sent: 25 },
    session_cutoffs: { subject: device, cutoff: now - 86_400, expires_at: later },
    used_nonces: { nonce: randomBytes(32), expires_at: later },
  };
  for (const [table, row] of Object.entries(rare)) {
    if ((await db.one(`select 1 as filled from ${table} limit 1`)) === undefined) await insert(db, table, row);
  }
}

async function insert(db: Database, table: string, row: object): Promise<void> {
  const columns = Object.keys(row);
  const values = Object.entries(row).map(([column, value]) => [column, isJson(value) ? JSON.stringify(value) : value]);
  const names = columns.map((column) => `:${column}`).join(", ");
  await db.run(`insert into ${table} (${columns.join(", ")}) values (${names})`, Object.fromEntries(values));
}

function isJson(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Buffer.isBuffer(value) && !Array.isArray(value);
}
