import { resolve } from "node:path";
import { Command } from "commander";
import { type Config, loadConfig } from "../composition/config.js";
import type { Db } from "../database/db.js";
import { isMigrated } from "../database/migrations/migrate.js";
import { hasDevices } from "../devices/service.js";
import { createSystemClock } from "../node/clock.js";
import { findLivingNodes } from "../node/nodes.js";
import { readServerName, type ServerName } from "../node/server-name.js";
import { readSeeds } from "../settings/service.js";
import { hasDatabase, withCliContext } from "./context.js";
import { checkDatabase } from "./doctor-database.js";
import { adviceForMissing, type Finding, failure, ok, warning } from "./doctor-finding.js";
import { checkDisk, checkKeyFile, checkNode, checkOpenFiles } from "./doctor-machine.js";
import { checkNetwork, findRunningRelay } from "./doctor-network.js";
import { checkVariables } from "./doctor-variables.js";
import { jsonOption, type ShowOptions, show } from "./output.js";
import { describeProblem, explainProblem } from "./problem.js";

export function doctorCommand(): Command {
  return new Command("doctor")
    .description("check configuration, database, disk, blobs, clock, DNS, certificate and reachability, and advise")
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
  const running = await findRunningRelay(config);
  findings.push(await checkKeyFile(config, running), await checkOpenFiles(config));
  findings.push(...(await checkDisk(config, running)));
  if (!(await hasDatabase(config))) return [...findings, unstarted(config, running)];
  const database = await examineDatabase(config, running);
  findings.push(...database.findings);
  const isNamed = isSet("DOMAIN") || isSet("BASE_URL");
  const reached = isNamed ? config : { ...config, ...database.name };
  return [...findings, ...(await checkNetwork(reached, createSystemClock().nowMillis()))];
}

/** Before the first start nothing else can be checked. */
function unstarted({ dataDir }: Config, running: string | null): Finding {
  if (running !== null) {
    const message = `a relay runs at ${running}, but its database is not in ${resolve(dataDir)}`;
    return failure("database", message, adviceForMissing("DATA_DIR or DATABASE_URL", running));
  }
  return warning(
    "database",
    `there is none in ${resolve(dataDir)} yet`,
    "the first start creates it: `mls-relay serve`. If the relay has started before, correct DATA_DIR or DATABASE_URL",
  );
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

/** What the database shows, and the name of its relay if it has one. `given` is the configuration of the environment. */
async function examineDatabase(
  given: Config,
  running: string | null,
): Promise<{ findings: Finding[]; name?: ServerName }> {
  const findings: Finding[] = [];
  let name: ServerName | undefined;
  try {
    await withCliContext(
      async (context) => {
        findings.push(...(await checkDatabase(context, running)));
        if (!(await isMigrated(context.db))) return;
        name = await readServerName(context.db);
        if (name !== undefined) findings.push(await checkName(context.db, { name, given }));
      },
      { anySchema: true },
    );
  } catch (problem) {
    const { message, next = usualAdvice } = explainProblem(problem);
    findings.push(failure("database", message, next));
  }
  return { findings, ...(name && { name }) };
}

/** Whether `serve` starts in this environment without taking the devices' addresses away. */
async function checkName(db: Db, { name, given }: { name: ServerName; given: Config }): Promise<Finding> {
  const { domain } = name;
  if (given.domain === domain) return ok("domain", domain);
  const isElsewhere = !isSet("DOMAIN") && (await findLivingNodes(db, given)).length > 0;
  if (isElsewhere || !(await hasDevices(db))) return ok("domain", `${domain} in the database, ${given.domain} here`);
  return failure(
    "domain",
    `it is ${given.domain} here, but devices have addresses at ${domain}`,
    `set DOMAIN=${domain}: \`serve\` refuses to start with another one`,
  );
}

function isSet(variable: string): boolean {
  return (process.env[variable] ?? "").trim() !== "";
}

const signs = { ok: "ok     ", warning: "WARNING", failure: "FAILURE" } as const;

function describe({ check, state, message, advice }: Finding): string[] {
  const line = `${signs[state]}  ${check.padEnd(18)} ${message}`;
  return advice === undefined ? [line] : [line, `${" ".repeat(28)}-> ${advice}`];
}
