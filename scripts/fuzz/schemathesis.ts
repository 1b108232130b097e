import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pythonPrograms } from "./python.js";
import type { FuzzedRelay } from "./relay.js";

/** How much is tried. */
export interface Profile {
  /** Generated requests of one operation in one phase; by default as in schemathesis.toml. */
  examples?: number;
  /** Repeats fuzzing and flows until this time is spent; one pass by default. */
  maxSeconds?: number;
  /** Random by default. */
  seed?: number;
  /** Only these operations, by operationId; all if empty. */
  operations?: readonly string[];
  phases?: readonly string[];
  /** Stops at the first failure. */
  hasty?: boolean;
  quiet?: boolean;
}

/** Runs Schemathesis with the hooks and checks of test/fuzz against a relay. Returns its exit code and output. */
export async function runSchemathesis(
  project: string,
  relay: FuzzedRelay,
  profile: Profile,
): Promise<{ code: number; output: string }> {
  const folder = join(project, "test/fuzz");
  const programs = await pythonPrograms(join(folder, "requirements.txt"));
  const child = spawn(join(programs, "schemathesis"), [...argumentsOf(folder, relay, profile)], {
    cwd: project,
    env: {
      ...process.env,
      ...relay.actors,
      FUZZ_URL: relay.url,
      FUZZ_SEED: String(profile.seed ?? ""),
      FUZZ_PARTIAL: profile.operations?.length || profile.phases?.length ? "1" : "",
      PYTHONDONTWRITEBYTECODE: "1",
      SCHEMATHESIS_HOOKS: join(folder, "hooks.py"),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output.push(chunk.toString("utf8"));
      if (!profile.quiet) process.stdout.write(chunk);
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  return { code: code ?? 1, output: output.join("") };
}

function argumentsOf(folder: string, relay: FuzzedRelay, profile: Profile): string[] {
  const { examples, maxSeconds, seed, operations = [], phases = [], hasty } = profile;
  return [
    `--config-file=${join(folder, "schemathesis.toml")}`,
    "run",
    "generated/contract.json",
    `--url=${relay.url}`,
    ...(examples === undefined ? [] : [`--max-examples=${examples}`]),
    ...(maxSeconds === undefined ? [] : [`--max-time=${maxSeconds}`]),
    ...(seed === undefined ? [] : [`--seed=${seed}`]),
    ...(phases.length === 0 ? [] : [`--phases=${phases.join(",")}`]),
    ...(hasty ? ["--max-failures=1"] : []),
    ...operations.map((id) => `--include-operation-id=${id}`),
  ];
}
