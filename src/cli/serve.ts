import { Command } from "commander";
import { serve } from "../main.js";
import { settingsHelp } from "./settings-help.js";

export function serveCommand(): Command {
  return new Command("serve")
    .description("run the relay until SIGTERM or SIGINT")
    .addHelpText("after", () => `\n${settingsHelp()}`)
    .action(() => serve(process.env));
}
