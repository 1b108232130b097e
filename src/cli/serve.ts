import cluster from "node:cluster";
import { availableParallelism } from "node:os";
import { Command, InvalidArgumentError } from "commander";
import { loadConfig } from "../composition/config.js";
import { refuseTakenPorts } from "../platform/net/taken-ports.js";
import { commonSettingsHelp } from "./config.js";

const maxWorkers = 256;

export function serveCommand(): Command {
  return new Command("serve")
    .description("run the relay until a signal stops it (Ctrl-C)")
    .option("--workers <n>", "processes on one port, each a separate node; `cores` for one per core", count, 1)
    .option("--preset <name>", "settings to begin with: see `mls-relay settings presets`")
    .option("--change-domain", "start although DOMAIN differs from the database's: all devices lose their addresses")
    .addHelpText("after", () => `\n${commonSettingsHelp()}`)
    .action(({ workers, preset, changeDomain }: ServeOptions) => {
      if (preset !== undefined) process.env["PRESET"] = preset;
      return serve(workers, { changeDomain: changeDomain === true });
    });
}

interface ServeOptions {
  workers: number;
  preset?: string;
  changeDomain?: boolean;
}

/** A worker is started with the same command line as the process that started it. */
async function serve(workers: number, options: { changeDomain: boolean }): Promise<void> {
  if (!cluster.isWorker) await refuseTakenPorts(loadConfig(process.env));
  // Other commands do not load the whole relay.
  if (workers === 1 || cluster.isWorker) return (await import("./relay-process.js")).serve(process.env, options);
  return (await import("./workers.js")).serveWithWorkers(workers, process.env);
}

function count(text: string): number {
  if (text === "cores") return availableParallelism();
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= maxWorkers) return number;
  throw new InvalidArgumentError(`It must be a number from 1 to ${maxWorkers}, or \`cores\`.`);
}
