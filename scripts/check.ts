import { fileURLToPath, pathToFileURL } from "node:url";
import { compiler } from "./build/compiler.js";
import { checkExports } from "./check-exports.js";
import { findStale } from "./check-generated.js";
import { checkLimits } from "./check-limits.js";
import { checkModules } from "./check-modules.js";
import { checkReferences } from "./check-references.js";
import { checkStyle } from "./check-style.js";
import { describeOutcome, type Outcome, program, runStep, type Step } from "./layout/step.js";
import { describeViolation } from "./layout/violation.js";

const project = fileURLToPath(new URL("..", import.meta.url));
/** It starts a PostgreSQL. test/database/schema.test.ts shows the same on one that runs. */
export const schemaCheck = "test/schema.sql is fresh";

const steps: readonly Step[] = [
  { name: "modules", run: async () => (await checkModules(project)).map(describeViolation) },
  { name: "exports", run: async () => (await checkExports(project)).map(describeViolation) },
  { name: "references", run: async () => (await checkReferences(project)).map(describeViolation) },
  { name: "style", run: async () => (await checkStyle(project)).map(describeViolation) },
  {
    name: "generated files are fresh",
    run: async () => (await findStale(project)).map((name) => `${name} is stale: npm run generate`),
  },
  { name: "limits", run: () => checkLimits(project) },
  tsx("contract", "scripts/check-contract.ts"),
  tsx("nothing released is broken silently", "scripts/check-compatibility.ts"),
  tsx("nothing released is changed", "scripts/check-frozen.ts"),
  program("types", compiler, ["--noEmit", "--incremental", "--tsBuildInfoFile", "dist/check.tsbuildinfo"]),
  program("lint and format", "node_modules/.bin/biome", [
    "check",
    "--colors=off",
    "--reporter=concise",
    "--max-diagnostics=500",
    "--error-on-warnings",
    ".",
  ]),
  tsx(schemaCheck, "scripts/dump-schema.ts", "--check"),
];

/** Runs every check but those that are left out, two at a time, and prints a line for each as it ends. */
export async function runChecks({ without = [] }: { without?: readonly string[] } = {}): Promise<Outcome[]> {
  const waiting = steps.filter(({ name }) => !without.includes(name));
  const outcomes: Outcome[] = [];
  const work = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const outcome = await runStep(step);
      console.log(describeOutcome(outcome));
      outcomes.push(outcome);
    }
  };
  await Promise.all([work(), work()]);
  return outcomes;
}

function tsx(name: string, ...args: string[]): Step {
  return program(name, "node_modules/.bin/tsx", args);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.chdir(project);
  const outcomes = await runChecks();
  if (outcomes.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
}
