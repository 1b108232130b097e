import { Command } from "commander";
import { settingsHelp } from "./settings-help.js";

export function configCommand(): Command {
  return new Command("config")
    .description("list every variable of the environment with its form, default and meaning")
    .action(() => console.log(settingsHelp()));
}
