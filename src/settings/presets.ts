import { ConfigError } from "../platform/config/variables.js";
import { machinePresets } from "./machine-presets.js";
import type { SettingsPatch } from "./table.js";

/** A named set of settings for a kind of relay. Settings that it does not name keep their values. */
export interface Preset {
  description: string;
  settings: SettingsPatch;
  /** Environment variables, read at each start; a variable that is set keeps its value. */
  variables?: Readonly<Record<string, string>>;
}

const unlimited = "1000000";

/** docs/how-to/community.md and docs/how-to/presets.md give the reasons for each value. */
export const presets: Readonly<Record<string, Preset>> = {
  community: {
    description: "Some hundred people who know each other: registration by invite, room for large groups",
    settings: {
      registration: { mode: "invite_only", accept_invites: true },
      progressive_trust: {
        new_tier_duration_hours: 1,
        new_tier_limit: 1_000,
        established_tier_limit: 10_000,
        trusted_tier_limit: 30_000,
      },
      rate_limiting: { burst_allowance: 5_000 },
      storage: {
        message_queue_limit: 20_000,
        announcement_retention_hours: 720,
        metadata_retention_days: 180,
      },
    },
  },
  messenger: {
    description: "A messenger: addresses that last, groups of 100 from the first hour, an address for each contact",
    settings: {
      progressive_trust: { new_tier_limit: 500, established_tier_limit: 3_000, trusted_tier_limit: 10_000 },
      rate_limiting: { burst_allowance: 500 },
      storage: { message_queue_limit: 10_000, announcement_retention_hours: 720 },
    },
    variables: {
      ANNOUNCEMENTS_PER_HOUR: "120",
      NEW_ADDRESSES_PER_DAY: "200",
      MAX_ADDRESSES_PREFIX_FLOW: "1000",
      MAX_ADDRESSES_REGISTRATION_FLOW: "1000",
      CHALLENGES_PER_IP_HOUR: "100",
      FIRST_ANNOUNCEMENTS_PER_IP_HOUR: "30",
      FIRST_ANNOUNCEMENTS_PER_IP_DAY: "100",
      PROVISIONING_PER_IP_HOUR: "60",
    },
  },
  development: {
    description:
      "A relay to develop against: no limits by network address, proofs that take no time, and the messenger. Never for others",
    settings: {
      registration: { proof_of_work_difficulty: 1 },
      progressive_trust: { new_tier_limit: 1_000 },
      storage: { announcement_retention_hours: 720 },
    },
    variables: {
      APP: "on",
      ANNOUNCEMENTS_PER_HOUR: "1000",
      NEW_ADDRESSES_PER_DAY: "1000",
      CHALLENGES_PER_IP_HOUR: unlimited,
      FIRST_ANNOUNCEMENTS_PER_IP_HOUR: unlimited,
      FIRST_ANNOUNCEMENTS_PER_IP_DAY: unlimited,
      PROVISIONING_PER_IP_HOUR: unlimited,
      INVALID_PROOF_BAN_SECONDS: "0",
    },
  },
};

/** Throws a ConfigError that names the presets if there is none of this name. */
export function findPreset(name: string): Preset {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (preset !== undefined) return preset;
  throw new ConfigError([
    `PRESET must be one of ${[...Object.keys(presets), ...Object.keys(machinePresets)].join(", ")}`,
  ]);
}
