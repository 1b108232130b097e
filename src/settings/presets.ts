import { machinePresets } from "../platform/config/machine-presets.js";
import { ConfigError } from "../platform/config/variables.js";
import type { SettingsPatch } from "./table.js";

/** A named set of settings for a kind of relay. Settings that it does not name keep their values. */
export interface Preset {
  description: string;
  settings: SettingsPatch;
}

/** docs/how-to/community.md gives the reasons for each value. */
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
};

/** Throws a ConfigError that names the presets if there is none of this name. */
export function findPreset(name: string): Preset {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (preset !== undefined) return preset;
  throw new ConfigError([
    `PRESET must be one of ${[...Object.keys(presets), ...Object.keys(machinePresets)].join(", ")}`,
  ]);
}
