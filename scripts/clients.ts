import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { toolchains } from "./clients/all-toolchains.js";
import { type ClientContext, openClientContext } from "./clients/context.js";
import type { Toolchain } from "./clients/toolchain.js";

const project = fileURLToPath(new URL("..", import.meta.url));

/** How many generated clients passed and failed, and how many were skipped because a program is missing. */
interface ClientTotals {
  passed: number;
  failed: number;
  skipped: number;
}

/** All, the quick ones whose programs are installed, or two of those, chosen by the day of the commit. */
export type Extent = "all" | "quick" | "share";

interface Choice {
  extent: Extent;
  /** Runs only those whose names contain one of these. */
  only?: readonly string[];
}

/** Generates clients from the contract, compiles them, and runs them against a relay (clients/context.ts). */
export async function runClients(choice: Choice): Promise<ClientTotals> {
  const total: ClientTotals = { passed: 0, failed: 0, skipped: 0 };
  const context = await openClientContext();
  try {
    for (const toolchain of choose(choice)) {
      const reason = toolchain.missing();
      const outcome = reason === undefined ? await runOne(toolchain, context) : "skipped";
      total[outcome] += 1;
      console.log(`${outcome === "passed" ? "ok  " : outcome}  ${toolchain.name}${reason ? `: ${reason}` : ""}`);
    }
  } finally {
    await context.stop();
  }
  console.log(`${total.passed} clients passed, ${total.failed} failed, ${total.skipped} skipped`);
  return total;
}

const clientsPerRun = 2;

function choose({ extent, only = [] }: Choice): readonly Toolchain[] {
  if (only.length > 0) return toolchains.filter(({ name }) => only.some((part) => name.includes(part)));
  if (extent === "all") return toolchains;
  const allQuick = toolchains.filter((toolchain) => !toolchain.long);
  for (const { name, missing } of allQuick) if (missing() !== undefined) console.log(`left out  ${name}: ${missing()}`);
  const quick = allQuick.filter(({ missing }) => missing() === undefined);
  if (extent === "quick") return quick;
  const first = dayOfCommit() * clientsPerRun;
  return quick.slice(0, clientsPerRun).map((_, index) => quick[(first + index) % quick.length] as Toolchain);
}

/** The day of the last commit, so that a commit always runs the same clients; 0 without a Git history. */
function dayOfCommit(): number {
  const { stdout } = spawnSync("git", ["show", "-s", "--format=%ct", "HEAD"], { cwd: project, encoding: "utf8" });
  return Math.floor(Number(stdout?.trim() || 0) / 86_400);
}

async function runOne(toolchain: Toolchain, context: ClientContext): Promise<"passed" | "failed"> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-client-"));
  try {
    await toolchain.run({ project, folder, task: await context.task(folder) });
    return "passed";
  } catch (failure) {
    console.error(failure instanceof Error ? failure.message : failure);
    return "failed";
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const only = process.argv.slice(2).filter((argument) => argument !== "--long");
  const { failed } = await runClients({ extent: process.argv.includes("--long") ? "all" : "share", only });
  if (failed > 0) process.exitCode = 1;
}
