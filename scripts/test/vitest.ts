import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type ProgramName, programs } from "../../test/support/programs.js";
import { failure, isCi, leaveOut, passes, sum, type Totals } from "./totals.js";

const project = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Programs that no package of the usual distributions contains: CI cannot install them and may leave these tests out.
 */
const reasonsOfFiles: Readonly<Record<string, string>> = {
  "test/crash/disk-full.test.ts": "mounting a small disk takes root, which a container may not give",
  "test/node/database-machines.test.ts": "needs a PostgreSQL with Citus",
};

/** How many of the slowest files are named. */
const namedFiles = 20;

interface Options {
  env?: NodeJS.ProcessEnv;
  /** Number of processes that run test files at once; by default as in vitest.config.ts. */
  workers?: number;
  /** Names the slowest files. */
  namesLongest?: boolean;
  /** Files that are not run. */
  without?: readonly string[];
}

/** Runs the test files that the selection names, all if it is empty. */
export async function countTests(selection: readonly string[], options: Options = {}): Promise<Totals> {
  const { env = {}, workers, namesLongest = false, without = [] } = options;
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-report-"));
  const file = join(folder, "report.json");
  try {
    const excluded = excludedFiles();
    const args = [
      ...["run", "--reporter=dot", "--reporter=./scripts/test/name-failures.ts"],
      ...["--reporter=json", `--outputFile.json=${file}`],
      ...(workers === undefined ? [] : [`--maxWorkers=${workers}`]),
      ...[...without, ...excluded.map(({ file: excludedFile }) => excludedFile)].map((name) => `--exclude=${name}`),
      ...selection,
    ];
    const code = await runVitest(args, env);
    const report = JSON.parse(await readFile(file, "utf8").catch(() => "{}")) as Report;
    if (namesLongest) console.log(describeLongest(report));
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

/** The part of Vitest's report that is read here. */
interface Report {
  testResults?: TestFile[];
}

interface TestFile {
  name: string;
  status: string;
  message: string;
  startTime: number;
  endTime: number;
  assertionResults: TestResult[];
}

interface TestResult {
  fullName: string;
  status: string;
  failureMessages?: string[];
}

/**
 * A skipped test counts as failed unless a program that it needs is missing: nothing is left out silently. A file that
 * could not be loaded counts as a failed test, and so does a run that fails although every test passed.
 */
function countReport({ testResults = [] }: Report, code: number): Totals {
  const total = sum(testResults.map(countFile));
  if (total.failed > 0 || code === 0) return total;
  return sum([total, failure(`the test run ended with code ${code}`)]);
}

function countFile({ name, status, message, assertionResults }: TestFile): Totals {
  const file = relative(project, name);
  const skipped = assertionResults.filter((test) => test.status === "skipped").length;
  const reason = skipped > 0 ? reasonToSkip(file) : undefined;
  const failed = assertionResults.filter(
    (test) => test.status !== "passed" && (reason === undefined || test.status !== "skipped"),
  );
  const failures = failed.map((test) => describeFailure(`${file}: ${test.fullName}`, test.failureMessages?.[0]));
  if (failures.length === 0 && status === "failed") failures.push(describeFailure(file, message));
  const leftOut = reason === undefined ? [] : [`${skipped} tests of ${file}: ${reason}`];
  const passed = passes(assertionResults.filter((test) => test.status === "passed").length);
  return sum([passed, failure(...failures), { ...passes(0), leftOut }]);
}

function describeFailure(what: string, message = "not run"): string {
  const first = message.split("\n").slice(0, 5);
  return [what, ...first.map((line) => `    ${line.slice(0, 1000)}`)].join("\n");
}

function describeLongest({ testResults = [] }: Report): string {
  const files = testResults.map(({ name, startTime, endTime }) => ({
    file: relative(project, name),
    seconds: (endTime - startTime) / 1000,
  }));
  const longest = files.sort((one, other) => other.seconds - one.seconds).slice(0, namedFiles);
  const lines = longest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${file}`);
  return [`The ${longest.length} test files that took longest:`, ...lines].join("\n");
}

/** Why tests of a file may be skipped on this machine. In CI no program that it can install may be missing. */
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
      const { install, tests, wholeFiles = [] } = programs[name];
      return { tests, wholeFiles, advice: `needs ${name} (${install})` };
    });
}
