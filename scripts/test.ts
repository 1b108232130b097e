import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runChecks } from "./check.js";

/** How many tests passed and failed; a check counts as a test. */
interface Tally {
  passed: number;
  failed: number;
}

/**
 * What `npm test` runs: every check, then every test. With arguments, only the tests that they select
 * (`npm test -- test/platform`). The last line counts: `123 passed, 0 failed`.
 */
async function main(selection: readonly string[]): Promise<Tally> {
  const checks = selection.length === 0 ? await countChecks() : { passed: 0, failed: 0 };
  const tests = await countTests(selection);
  return { passed: checks.passed + tests.passed, failed: checks.failed + tests.failed };
}

async function countChecks(): Promise<Tally> {
  const outcomes = await runChecks();
  const passed = outcomes.filter(({ problems }) => problems.length === 0).length;
  return { passed, failed: outcomes.length - passed };
}

async function countTests(selection: readonly string[]): Promise<Tally> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-report-"));
  const report = join(folder, "report.json");
  try {
    const args = ["run", "--reporter=dot", "--reporter=json", `--outputFile.json=${report}`, ...selection];
    const code = await runVitest(args);
    return tally(await readFile(report, "utf8").catch(() => "{}"), code);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runVitest(args: readonly string[]): Promise<number> {
  return new Promise((settle, fail) => {
    const child = spawn("node_modules/.bin/vitest", args, { stdio: ["ignore", "inherit", "inherit"] });
    child.on("error", fail);
    child.on("close", (code) => settle(code ?? 1));
  });
}

/** A test that was skipped is a failure: nothing is left out silently. So is a run that ends badly with all tests well. */
function tally(report: string, code: number): Tally {
  const { numPassedTests = 0, numTotalTests = 0 } = JSON.parse(report) as Record<string, number>;
  const failed = numTotalTests - numPassedTests;
  return { passed: numPassedTests, failed: failed === 0 && code !== 0 ? 1 : failed };
}

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { passed, failed } = await main(process.argv.slice(2));
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0 || passed === 0) process.exitCode = 1;
