import { Command } from "commander";
import { describeCommonSettings, describeSettings } from "../platform/config/config.js";
import { describeSeeds } from "../settings/service.js";

export function configCommand(): Command {
  return new Command("config")
    .description("list every environment variable with its form, default and meaning")
    .action(() => console.log(`Environment variables\n\n${describeSettings()}\n\n${describeSeeds()}`));
}

/** The variables that an operator sets first, for `serve --help`. */
export function commonSettingsHelp(): string {
  return `Variables to set first (\`mls-relay config\` lists all):\n${describeCommonSettings()}`;
}
