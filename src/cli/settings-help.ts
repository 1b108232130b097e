import { describeSettings } from "../platform/config.js";
import { describeSeeds } from "../settings/service.js";

/** All environment variables, for --help. */
export function settingsHelp(): string {
  return `Environment variables\n\n${describeSettings()}\n\n${describeSeeds()}`;
}
