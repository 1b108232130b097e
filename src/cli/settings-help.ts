import { describeCommonSettings, describeSettings } from "../platform/config/config.js";
import { describeSeeds } from "../settings/service.js";

/** All environment variables, for `config`. */
export function settingsHelp(): string {
  return `Environment variables\n\n${describeSettings()}\n\n${describeSeeds()}`;
}

/** Those that an operator sets first, for --help. */
export function commonSettingsHelp(): string {
  return `Variables to set first (\`mls-relay config\` lists all):\n${describeCommonSettings()}`;
}
