import { choice, decimal, flag, integer, type Setting, text } from "./setting.js";
import { day, gibibyte, mebibyte } from "./units.js";

/**
 * The admin configuration tree: every key with its form, range and default, in the order of the wire. The database holds
 * the values; the environment (`SEED_` and the key in capitals) only seeds the first start.
 */
export const settingsTree = {
  "server.server_name": text("Name shown to people", "mls-relay"),
  "server.protocol_version": choice("Protocol version", ["1.0"], "1.0"),
  "server.max_message_size": integer("Largest decoded ciphertext, bytes", {
    default: 10 * mebibyte,
    min: 1024,
    max: 64 * mebibyte,
  }),
  "server.max_retention_days": integer("Days a message is kept", { default: 30, min: 1, max: 365 }),
  "registration.enabled": flag("Whether new devices may register", true),
  "registration.mode": choice("Who may register", ["open", "invite_only", "federation_allowlist"], "open"),
  "registration.require_proof_of_work": flag("Whether a first announcement needs a proof of delay", true),
  "registration.proof_of_work_difficulty": integer("Base iterations of the proof", {
    default: 5_000_000,
    min: 1,
    max: 80_000_000,
  }),
  "registration.allow_time_delay": flag("Whether waiting can take the place of the proof", false),
  "registration.time_delay_seconds": integer("How long that wait is", { default: 120, min: 1, max: 240 }),
  "registration.accept_invites": flag("Whether an invite can take the place of the proof", true),
  "progressive_trust.enabled": flag("Whether limits depend on age; if not, every device is Trusted", true),
  "progressive_trust.new_tier_duration_hours": integer("Age at which New ends", { default: 6, min: 0, max: 8760 }),
  "progressive_trust.established_tier_duration_hours": integer("Age at which Established ends", {
    default: 24,
    min: 0,
    max: 8760,
  }),
  "progressive_trust.new_tier_limit": integer("Messages per window while New", { default: 10, min: 1, max: 1000 }),
  "progressive_trust.established_tier_limit": integer("Messages per window while Established", {
    default: 60,
    min: 1,
    max: 10_000,
  }),
  "progressive_trust.trusted_tier_limit": integer("Messages per window while Trusted", {
    default: 300,
    min: 1,
    max: 100_000,
  }),
  "progressive_trust.spam_report_block_threshold": integer("Reporters at which a device is blocked", {
    default: 5,
    min: 1,
    max: 1000,
  }),
  "progressive_trust.spam_score_threshold": decimal("Spam score above which a device is banned", {
    default: 4,
    min: 0.5,
    max: 1000,
  }),
  "federation.enabled": flag("Whether messages go to and come from other servers", true),
  "federation.allowlist_mode": flag("Whether only servers on the allowlist are peers", false),
  "federation.auto_block_threshold": decimal("Score below which a peer is blocked", { default: 0.3, min: 0, max: 1 }),
  "federation.publish_blocklist": flag("Whether the block list is published", false),
  "federation.certificate_validation": flag("Whether peers' certificates are checked", true),
  "rate_limiting.enabled": flag("Whether sending is limited", true),
  "rate_limiting.window_seconds": integer("Length of the sending window", { default: 3600, min: 1, max: day }),
  "rate_limiting.burst_allowance": integer("Unused messages carried into the next window", {
    default: 10,
    min: 0,
    max: 10_000,
  }),
  "rate_limiting.infopackage_uploads_per_hour": integer("Info packages per device and hour", {
    default: 10,
    min: 1,
    max: 10_000,
  }),
  "rate_limiting.infopackage_uploads_per_day": integer("Info packages per device and day", {
    default: 50,
    min: 1,
    max: 100_000,
  }),
  "storage.message_queue_limit": integer("Messages per queue", { default: 1000, min: 1, max: 1_000_000 }),
  "storage.message_queue_bytes_limit": integer("Bytes per queue", {
    default: 256 * mebibyte,
    min: mebibyte,
    max: 64 * gibibyte,
  }),
  "storage.announcement_retention_hours": integer("Hours an address mapping lives", { default: 24, min: 1, max: 720 }),
  "storage.metadata_retention_days": integer("Days after which an inactive device is removed", {
    default: 30,
    min: 1,
    max: 3650,
  }),
};

export type SettingsKey = keyof typeof settingsTree;

type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** The admin configuration tree as flat dotted keys. */
export type SettingsValues = { readonly [K in SettingsKey]: ValueOf<(typeof settingsTree)[K]> };

/** Values for the first start, only for the keys that the environment names. */
export type Seeds = Partial<SettingsValues>;

/** The variable that seeds a key: `registration.mode` by `SEED_REGISTRATION_MODE`. */
export function seedVariable(key: string): string {
  return `SEED_${key.replace(".", "_").toUpperCase()}`;
}
