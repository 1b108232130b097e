import { Command } from "commander";
import { describeCommonSettings, describeSettings, listConstants, listVariables } from "../composition/config.js";
import { describeSeeds, listSeeds } from "../settings/service.js";
import { jsonOption, type ShowOptions, show } from "./output.js";

export function configCommand(): Command {
  return new Command("config")
    .description("list every environment variable with its form, default and meaning")
    .option("--constants", "list the fixed values instead")
    .option(...jsonOption)
    .action((options: ShowOptions & { constants?: true }) => {
      if (options.constants) {
        return show({ constants: listConstants() }, options, () =>
          listConstants().map(({ variable, fallback, description }) => `${variable}=${fallback}  ${description}`),
        );
      }
      return show({ variables: listVariables(), seeds: listSeeds() }, options, () => [
        `Environment variables\n\n${describeSettings()}\n\n${describeSeeds()}`,
      ]);
    });
}

/** The variables that an operator sets first, for `serve --help`. */
export function commonSettingsHelp(): string {
  return `Variables to set first (\`mls-relay config\` lists all):\n${describeCommonSettings()}`;
}
