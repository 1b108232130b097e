import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { toolchains } from "./clients/all-toolchains.js";
import { type ClientGround, openClientGround } from "./clients/ground.js";
import type { Toolchain } from "./clients/toolchain.js";

const project = fileURLToPath(new URL("..", import.meta.url));

/** How many generated clients did what they should, how many did not, and how many could not be tried. */
export interface ClientTally {
  passed: number;
  failed: number;
  skipped: number;
}

/** Generates clients from the contract, compiles them, and lets them announce, send, poll and acknowledge at a relay. */
export async function tryClients({
  long,
  only = [],
}: {
  long: boolean;
  only?: readonly string[];
}): Promise<ClientTally> {
  const tally: ClientTally = { passed: 0, failed: 0, skipped: 0 };
  const ground = await openClientGround();
  try {
    for (const toolchain of toolchains.filter(
      ({ name }) => only.length === 0 || only.some((part) => name.includes(part)),
    )) {
      const reason = toolchain.long && !long ? "only with --long" : toolchain.missing();
      const outcome = reason === undefined ? await tryOne(toolchain, ground) : "skipped";
      tally[outcome] += 1;
      console.log(`${outcome === "passed" ? "ok  " : outcome}  ${toolchain.name}${reason ? `: ${reason}` : ""}`);
    }
  } finally {
    await ground.stop();
  }
  console.log(`${tally.passed} clients passed, ${tally.failed} failed, ${tally.skipped} skipped`);
  return tally;
}

async function tryOne(toolchain: Toolchain, ground: ClientGround): Promise<"passed" | "failed"> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-client-"));
  try {
    await toolchain.run({ project, folder, task: await ground.task(folder) });
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
  const { failed } = await tryClients({ long: process.argv.includes("--long") || only.length > 0, only });
  if (failed > 0) process.exitCode = 1;
}
