import { Command } from "commander";
import { type Config, loadConfig } from "../composition/config.js";
import { createSystemClock } from "../node/clock.js";
import { readSeeds } from "../settings/service.js";
import { withCliContext } from "./context.js";
import { checkDatabase } from "./doctor-database.js";
import { type Finding, failure, ok } from "./doctor-finding.js";
import { checkDisk, checkKeyFile, checkNode } from "./doctor-machine.js";
import { checkNetwork } from "./doctor-network.js";
import { checkVariables } from "./doctor-variables.js";
import { jsonOption, type ShowOptions, show } from "./output.js";
import { describeProblem, explainProblem } from "./problem.js";

export function doctorCommand(): Command {
  return new Command("doctor")
    .description("check configuration, database, disk, clock, DNS, certificate and reachability, and advise")
    .option(...jsonOption)
    .addHelpText("after", "\nExit codes: 0 no failures (there may be warnings), 1 failures.")
    .action(async (options: ShowOptions) => {
      const findings = await examine();
      show(findings, options, () => findings.flatMap(describe));
      if (findings.some(({ state }) => state === "failure")) process.exitCode = 1;
    });
}

async function examine(): Promise<Finding[]> {
  const configuration = readConfiguration();
  const findings = [await checkNode()];
  if ("check" in configuration) return [...findings, configuration];
  const config = configuration;
  findings.push(ok("configuration", "every variable is valid"), ...checkVariables(process.env));
  findings.push(await checkKeyFile(config));
  findings.push(...(await checkDisk(config)), ...(await examineDatabase()));
  return [...findings, ...(await checkNetwork(config, createSystemClock().nowMillis()))];
}

function readConfiguration(): Config | Finding {
  try {
    const config = loadConfig(process.env);
    readSeeds(config.seeds);
    return config;
  } catch (problem) {
    return failure(
      "configuration",
      describeProblem(problem),
      "correct these variables; `mls-relay config` lists all of them",
    );
  }
}

const usualAdvice = "check DATABASE_URL or DATA_DIR, and that PostgreSQL runs and accepts this account";

async function examineDatabase(): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    await withCliContext(async (context) => void findings.push(...(await checkDatabase(context))), { anySchema: true });
  } catch (problem) {
    const { message, next = usualAdvice } = explainProblem(problem);
    findings.push(failure("database", message, next));
  }
  return findings;
}

const signs = { ok: "ok     ", warning: "WARNING", failure: "FAILURE" } as const;

function describe({ check, state, message, advice }: Finding): string[] {
  const line = `${signs[state]}  ${check.padEnd(18)} ${message}`;
  return advice === undefined ? [line] : [line, `${" ".repeat(28)}-> ${advice}`];
}
