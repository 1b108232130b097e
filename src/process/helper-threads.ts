import { accessSync, constants } from "node:fs";
import { availableParallelism } from "node:os";

// V8 compiles and collects garbage on threads beside the program's. Node.js starts four of them whatever the machine has, and
// where there are few processors, they take time from the event loop (spec/decisions/0174-performance-experiments.md). Only the command
// line of Node.js can say how many: they run before any program does.

const usual = 4;
const option = /--v8[-_]pool[-_]size/;

/**
 * Options of Node.js for as many helper threads as there are processors to spare. Empty if the usual number stays, or one that the
 * operator has chosen.
 */
export function helperThreadOptions(): string[] {
  const isChosen = [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].some((given) => option.test(given));
  const spare = Math.max(1, availableParallelism() - 1);
  return isChosen || spare >= usual ? [] : [`--v8-pool-size=${spare}`];
}

/** Since Node.js 22.15, not on Windows; the types are those of Node.js 20. */
type Execve = (file: string, args: string[]) => never;

/**
 * Restarts Node.js with these options in the same process: supervisors, terminals and signals notice nothing. Returns if that is not
 * needed or not possible.
 */
export function limitHelperThreads(): void {
  const options = helperThreadOptions();
  const { execve } = process as typeof process & { execve?: Execve };
  // A channel to the parent would not survive.
  if (options.length === 0 || execve === undefined || process.send !== undefined) return;
  try {
    // Node.js aborts if the file is not there.
    accessSync(process.execPath, constants.X_OK);
    // `--` keeps Node.js from reading `--env-file` itself.
    const args = [process.argv0, ...options, ...process.execArgv, "--", ...process.argv.slice(1)];
    execve(process.execPath, args);
  } catch {
    // Forbidden by a permission of Node.js, for example: four threads do as well.
  }
}
