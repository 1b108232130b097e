/** One key of the configuration tree: what values it takes, what it starts with, what it does. */
export interface SettingRule<T> {
  readonly kind: "text" | "flag" | "integer" | "number" | "choice";
  readonly initial: T;
  readonly description: string;
  /** Bounds of a number, or of the length of a text. */
  readonly minimum?: number;
  readonly maximum?: number;
  readonly choices?: readonly string[];
}

/**
 * The configuration tree that administrators read and change (specification, "Server configuration tree", with the
 * additions recorded in spec/decisions). Groups and keys are spelled as on the wire, in the order they are shown.
 * The table alone drives validation, seeding and the type of the settings.
 */
export const settingsTable = {
  server: {
    server_name: text("MLS relay", [1, 100], "Name shown to users."),
    protocol_version: choice("1.0", ["1.0"], "Protocol version that the server speaks."),
    max_message_size: integer(10_485_760, [1_024, 20_971_520], "Most bytes of a decoded ciphertext."),
    max_retention_days: integer(30, [1, 365], "Days after which a queued message expires."),
  },
  registration: {
    enabled: flag(true, "Whether devices unknown to the server may register."),
    mode: choice("open", ["open", "invite_only", "federation_allowlist"], "Who may register."),
    require_proof_of_work: flag(true, "Whether a first announcement needs a proof of delay or one of its substitutes."),
    proof_of_work_difficulty: integer(5_000_000, [1, 80_000_000], "Steps of a proof of delay before load raises them."),
    allow_time_delay: flag(false, "Whether a challenge of sufficient age stands in for a proof."),
    time_delay_seconds: integer(120, [1, 240], "Age at which a challenge stands in for a proof."),
    accept_invites: flag(true, "Whether an invite stands in for a proof."),
  },
  progressive_trust: {
    enabled: flag(true, "Whether tiers apply; off, every device counts as Trusted."),
    new_tier_duration_hours: integer(6, [0, 8_760], "Age at which a device leaves the New tier."),
    established_tier_duration_hours: integer(24, [0, 8_760], "Age since registration at which a device is Trusted."),
    new_tier_limit: integer(10, [1, 1_000], "Messages per window in the New tier."),
    established_tier_limit: integer(60, [1, 1_000_000], "Messages per window in the Established tier."),
    trusted_tier_limit: integer(300, [1, 1_000_000], "Messages per window when Trusted or Verified."),
    spam_report_block_threshold: integer(5, [1, 1_000], "Distinct reporters at which a device is blocked."),
    spam_score_threshold: decimal(4, [0.5, 1_000], "Spam score of the last 7 days above which a device is banned."),
  },
  federation: {
    enabled: flag(true, "Whether messages are exchanged with other servers."),
    allowlist_mode: flag(false, "Whether only servers on the allowlist are peers."),
    auto_block_threshold: decimal(0.3, [0, 1], "Reputation below which a peer is blocked."),
    publish_blocklist: flag(false, "Whether the block list is published."),
    certificate_validation: flag(true, "Whether peers must prove their domain by a valid certificate."),
  },
  rate_limiting: {
    enabled: flag(true, "Whether message limits apply."),
    window_seconds: integer(3_600, [1, 86_400], "Length of the window of the message limit."),
    burst_allowance: integer(10, [0, 100_000], "Most unused messages carried over into the next window."),
    recipients_per_message: integer(
      25,
      [1, 1_000],
      "Recipients of a message to many that count as one message when Trusted or Verified.",
    ),
    infopackage_uploads_per_hour: integer(10, [1, 100_000], "Info packages that a user may upload in an hour."),
    infopackage_uploads_per_day: integer(50, [1, 1_000_000], "Info packages that a user may upload in a day."),
  },
  storage: {
    message_queue_limit: integer(1_000, [1, 1_000_000], "Most messages in the queue of a device."),
    message_queue_bytes_limit: integer(268_435_456, [1_048_576, 1_099_511_627_776], "Most bytes in a queue."),
    announcement_retention_hours: integer(24, [1, 8_760], "Hours for which an announced address lives."),
    metadata_retention_days: integer(30, [1, 3_650], "Days of inactivity after which a device is removed."),
  },
};

type Table = typeof settingsTable;

/** Settings as on the wire: group, then key. */
export type ServerSettings = {
  readonly [G in keyof Table]: { readonly [K in keyof Table[G]]: Table[G][K] extends SettingRule<infer T> ? T : never };
};

/** Some groups with some of their keys. */
export type SettingsPatch = { [G in keyof ServerSettings]?: Partial<ServerSettings[G]> };

export type SettingValue = string | number | boolean;

/** Every rule under its dotted name, for instance `registration.mode`, in the order of the table. */
export const rulesByName: ReadonlyMap<string, SettingRule<SettingValue>> = new Map(
  Object.entries(settingsTable).flatMap(([group, rules]) =>
    Object.entries(rules).map(([key, rule]) => [`${group}.${key}`, rule as SettingRule<SettingValue>] as const),
  ),
);

function text(initial: string, lengths: [number, number], description: string): SettingRule<string> {
  return { kind: "text", initial, minimum: lengths[0], maximum: lengths[1], description };
}

function flag(initial: boolean, description: string): SettingRule<boolean> {
  return { kind: "flag", initial, description };
}

function integer(initial: number, bounds: [number, number], description: string): SettingRule<number> {
  return { kind: "integer", initial, minimum: bounds[0], maximum: bounds[1], description };
}

function decimal(initial: number, bounds: [number, number], description: string): SettingRule<number> {
  return { kind: "number", initial, minimum: bounds[0], maximum: bounds[1], description };
}

function choice<const T extends string>(initial: NoInfer<T>, choices: readonly T[], about: string): SettingRule<T> {
  return { kind: "choice", initial, choices, description: about };
}
