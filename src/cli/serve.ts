import { Command } from "commander";
import { settingsHelp } from "./settings-help.js";

export function serveCommand(): Command {
  return (
    new Command("serve")
      .description("run the relay until SIGTERM or SIGINT")
      .addHelpText("after", () => `\n${settingsHelp()}`)
      // The whole relay is loaded only where it is run.
      .action(async () => (await import("../main.js")).serve(process.env))
  );
}
