import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { accessFaults } from "../test/faults/access.js";
import type { Fault } from "../test/faults/fault.js";
import { promiseFaults } from "../test/faults/promises.js";
import { ruleFaults } from "../test/faults/rules.js";
import { EndedEarly, type FuzzContext, openFuzzContext } from "./fuzz/relay.js";
import { runSchemathesis } from "./fuzz/schemathesis.js";

const project = fileURLToPath(new URL("..", import.meta.url));
const faults: readonly Fault[] = [...accessFaults, ...promiseFaults, ...ruleFaults];

/** One of each kind, found by fuzzing: the portion of `npm test`. */
const portion = [
  "signatures of tokens are not verified",
  "an info package has a use too many",
  "errors lack their code",
];

/** At least this share of all planted faults must be found. */
const minShare = 0.95;
const parts = ["src", "generated", "spec", "test", "scripts", "package.json", "tsconfig.json", "vitest.config.ts"];

/**
 * Plants faults, one at a time, into a copy of the server and reports which are found. First, the tests must find
 * nothing in the unchanged copy. Returns how many faults were found and the names of the others.
 */
async function plantFaults(chosen: readonly Fault[]): Promise<{ found: number; missed: string[] }> {
  const copy = await copyProject();
  const context = await openFuzzContext();
  const missed: string[] = [];
  try {
    await listenToTheSound(chosen, copy, context);
    for (const fault of chosen) {
      const isFound = await withFault(fault, copy, () => alarm(fault, copy, context));
      if (!isFound) missed.push(fault.name);
      console.log(`${isFound ? "found " : "MISSED"}  ${fault.name} (${describe(fault)})`);
    }
  } finally {
    await context.stop();
    await rm(copy, { recursive: true, force: true });
  }
  return { found: chosen.length - missed.length, missed };
}

/** What `npm test` plants. */
export function plantPortion(): Promise<{ found: number; missed: string[] }> {
  return plantFaults(faults.filter(({ name }) => portion.includes(name)));
}

async function copyProject(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "mls-relay-faults-"));
  for (const part of parts) await cp(join(project, part), join(copy, part), { recursive: true });
  await symlink(join(project, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Throws if the tests for these faults fail although nothing is wrong. */
async function listenToTheSound(chosen: readonly Fault[], copy: string, context: FuzzContext): Promise<void> {
  const operations = chosen.flatMap(({ foundBy }) => ("test" in foundBy ? [] : foundBy.operations));
  const tests = chosen.flatMap(({ foundBy }) => ("test" in foundBy ? [foundBy.test] : []));
  const runs = [
    ...(operations.length > 0 ? [await runFuzzing([...new Set(operations)], copy, context)] : []),
    ...(tests.length > 0 ? [await runTests(copy, [...new Set(tests)])] : []),
  ];
  const alarms = runs.filter(({ code }) => code !== 0).map(({ output }) => output);
  if (alarms.length > 0) throw new Error(`something is found where no fault is planted:\n${alarms.join("\n")}`);
}

async function withFault<T>(fault: Fault, copy: string, act: () => Promise<T>): Promise<T> {
  const file = join(copy, fault.file);
  const sound = await readFile(file, "utf8");
  const pieces = sound.split(fault.find);
  if (pieces.length !== 2) throw new Error(`${fault.file}: "${fault.find}" occurs ${pieces.length - 1} times`);
  await writeFile(file, pieces.join(fault.replace));
  return act().finally(() => writeFile(file, sound));
}

/** Whether a test finds the fault. */
async function alarm({ foundBy }: Fault, copy: string, context: FuzzContext): Promise<boolean> {
  const ended = "test" in foundBy ? runTests(copy, [foundBy.test]) : runFuzzing(foundBy.operations, copy, context);
  return (await ended).code !== 0;
}

interface Run {
  code: number;
  output: string;
}

/** A relay that does not start also counts as found. */
async function runFuzzing(operations: readonly string[], copy: string, context: FuzzContext): Promise<Run> {
  const relay = await context.start(copy).catch((error: unknown) => {
    if (error instanceof EndedEarly) return error;
    throw error;
  });
  if (relay instanceof EndedEarly) return { code: 1, output: String(relay) };
  const profile = { operations, phases: ["examples", "coverage", "fuzzing"], seed: 20260101, examples: 4 };
  const run = runSchemathesis(project, relay, { ...profile, hasty: true, quiet: true });
  return run.finally(() => relay.stop());
}

async function runTests(copy: string, tests: readonly string[]): Promise<Run> {
  const args = ["node_modules/vitest/vitest.mjs", "run", ...tests];
  const child = spawn(process.execPath, args, { cwd: copy, stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => output.push(chunk));
  const [code] = (await once(child, "close")) as [number | null];
  return { code: code ?? 1, output: Buffer.concat(output).toString("utf8") };
}

function describe({ foundBy }: Fault): string {
  return "test" in foundBy ? foundBy.test : `fuzzing ${foundBy.operations.join(", ")}`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.chdir(project);
  const words = process.argv.slice(2);
  const named = words.filter((word) => !word.startsWith("--"));
  const chosen = faults.filter(({ name, file }) =>
    named.length > 0
      ? named.some((part) => name.includes(part) || file.includes(part))
      : words.includes("--long") || portion.includes(name),
  );
  const { found, missed } = await plantFaults(chosen);
  const share = found / chosen.length;
  console.log(`${found} of ${chosen.length} planted faults were found (${(100 * share).toFixed(0)} %)`);
  if (missed.length > 0) console.log(`Missed: ${missed.join("; ")}`);
  if (chosen.length === 0 || share < minShare) process.exitCode = 1;
}
