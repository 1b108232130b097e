import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { variableNames } from "../composition/config.js";
import { allowSlowAddresses } from "../platform/net/outgoing.js";
import { packageRoot } from "../platform/package-root.js";
import { adminCommand } from "./admin.js";
import { afterRestoreCommand } from "./after-restore.js";
import { backupCommand } from "./backup.js";
import { blobsCommand } from "./blobs.js";
import { clockCommand } from "./clock.js";
import { completionCommand } from "./completion.js";
import { configCommand } from "./config.js";
import { consoleCommand } from "./console.js";
import { devicesCommand } from "./devices.js";
import { distributeCommand } from "./distribute.js";
import { doctorCommand } from "./doctor.js";
import { acceptEnvFile } from "./env-file.js";
import { invitesCommand } from "./invites.js";
import { ipsCommand } from "./ips.js";
import { keysCommand } from "./keys.js";
import { migrateCommand } from "./migrate.js";
import { outboxCommand } from "./outbox.js";
import { peersCommand } from "./peers.js";
import { restoreCommand } from "./restore.js";
import { serveCommand } from "./serve.js";
import { settingsCommand } from "./settings.js";
import { statusCommand } from "./status.js";

/** The command line with all commands. Large modules are loaded only by the commands that use them. */
export async function createProgram(): Promise<Command> {
  allowSlowAddresses();
  const { version, description } = JSON.parse(await readFile(new URL("package.json", packageRoot()), "utf8"));
  const program = new Command("mls-relay")
    .description(description)
    .version(version)
    .addCommand(serveCommand(), { isDefault: false })
    .addCommand(statusCommand())
    .addCommand(doctorCommand())
    .addCommand(configCommand())
    .addCommand(settingsCommand())
    .addCommand(migrateCommand())
    .addCommand(distributeCommand())
    .addCommand(keysCommand())
    .addCommand(adminCommand())
    .addCommand(consoleCommand())
    .addCommand(ipsCommand())
    .addCommand(devicesCommand())
    .addCommand(blobsCommand())
    .addCommand(peersCommand())
    .addCommand(invitesCommand())
    .addCommand(outboxCommand())
    .addCommand(clockCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(afterRestoreCommand())
    .addCommand(completionCommand())
    .addHelpText(
      "after",
      "\nExit codes: 0 success, 1 failure. `mls-relay serve --help` shows the variables to set first.",
    );
  acceptEnvFile(program);
  nameVariables(program);
  return program;
}

/** An option that looks like a variable (`--port`) is answered with the variable's name. */
function nameVariables(command: Command): void {
  command.configureOutput({ outputError: (text, write) => write(`${text}${adviceFor(text)}`) });
  for (const inner of command.commands) nameVariables(inner);
}

function adviceFor(text: string): string {
  const [, option = ""] = /unknown option '--([a-z][a-z0-9-]*)/.exec(text) ?? [];
  const variable = option.replaceAll("-", "_").toUpperCase();
  if (!variableNames().includes(variable)) return "";
  return `Set the environment variable ${variable} instead: ${variable}=… mls-relay serve\n`;
}
