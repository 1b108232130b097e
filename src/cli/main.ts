#!/usr/bin/env node
import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { packageRoot } from "../platform/package-root.js";
import { adminCommand } from "./admin.js";
import { benchCommand, benchProcessCommand } from "./bench.js";
import { demoCommand } from "./demo.js";
import { devicesCommand } from "./devices.js";
import { ipsCommand } from "./ips.js";
import { keysCommand } from "./keys.js";
import { migrateCommand } from "./migrate.js";
import { outboxCommand } from "./outbox.js";
import { describeProblem } from "./problem.js";
import { serveCommand } from "./serve.js";
import { settingsHelp } from "./settings-help.js";

const { version, description } = JSON.parse(await readFile(new URL("package.json", packageRoot()), "utf8"));

const program = new Command("mls-relay")
  .description(description)
  .version(version)
  .addCommand(serveCommand(), { isDefault: false })
  .addCommand(migrateCommand())
  .addCommand(keysCommand())
  .addCommand(adminCommand())
  .addCommand(ipsCommand())
  .addCommand(devicesCommand())
  .addCommand(outboxCommand())
  .addCommand(demoCommand())
  .addCommand(benchCommand())
  .addCommand(benchProcessCommand(), { hidden: true })
  .addHelpText("after", () => `\n${settingsHelp()}`);

try {
  await program.parseAsync();
} catch (problem) {
  console.error(describeProblem(problem));
  process.exitCode = 1;
}
