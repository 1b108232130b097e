import { readFile, stat } from "node:fs/promises";
import { createPeriodic } from "./concurrency/periodic.js";
import { ConfigError } from "./config/variables.js";
import { isOpenToOthers, restrictCommand } from "./key-file-mode.js";
import type { Logger } from "./logger.js";

/** A file that an environment variable names. */
interface NamedFile {
  variable: string;
  path: string;
  /** The file holds a private key: the log warns if others on the machine can read it. */
  holdsKey?: boolean;
}

/** A value made from files, and made again whenever they change. */
export interface FileWatcher<T> {
  /**
   * Makes the value for the first time; throws a ConfigError that names the variables and files that cannot be read or
   * used.
   */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The latest value. */
  current(): T;
  /** Checks the files now instead of at the next interval. */
  refresh(): Promise<void>;
}

const checkEveryMillis = 2_000;

/**
 * Checks the files every two seconds. If the files are unusable, for instance because only one of two has been replaced
 * so far, the value stays and one line is logged; the next check tries again.
 */
export function createFileWatcher<T>(deps: {
  name: string;
  files: readonly NamedFile[];
  make: (contents: readonly Buffer[]) => T;
  /** Called with every later value. */
  changed?: (made: T) => void;
  logger: Logger;
}): FileWatcher<T> {
  let copy: { made: T; state: string } | undefined;
  let reported = "";

  const read = async (): Promise<void> => {
    const states = await Promise.all(deps.files.map((file) => naming(file, () => stat(file.path))));
    const state = states.map(({ mtimeMs, size, ino }) => `${mtimeMs}/${size}/${ino}`).join(" ");
    if (state === copy?.state) return;
    const isFirst = copy === undefined;
    const contents = await Promise.all(deps.files.map((file) => naming(file, () => readFile(file.path))));
    copy = { made: usable(deps.files, () => deps.make(contents)), state };
    for (const [i, file] of deps.files.entries()) warnIfOpen(deps.logger, file, states[i]?.mode ?? 0);
    if (!isFirst) deps.changed?.(copy.made);
  };
  const periodic = createPeriodic({
    everyMillis: checkEveryMillis,
    async run() {
      await read();
      reported = "";
    },
    failed(error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== reported) {
        deps.logger.warn(
          { files: deps.name, problem },
          "changed files cannot be used; their previous contents stay in use",
        );
      }
      reported = problem;
    },
  });

  return {
    refresh: periodic.runNext,
    current() {
      if (copy === undefined) throw new Error(`${deps.name} have not been read`);
      return copy.made;
    },
    async start() {
      await read();
      periodic.start();
    },
    stop: periodic.stop,
  };
}

/** Reads a file; if that fails, the error names the variable. */
async function naming<T>({ variable, path }: NamedFile, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (problem) {
    const reason = (problem as NodeJS.ErrnoException).code ?? String(problem);
    throw new ConfigError([`${variable} ${path} cannot be read (${reason})`]);
  }
}

function usable<T>(files: readonly NamedFile[], make: () => T): T {
  try {
    return make();
  } catch (problem) {
    const named = files.map(({ variable, path }) => `${variable} ${path}`).join(" and ");
    throw new ConfigError([`${named} cannot be used: ${problem instanceof Error ? problem.message : String(problem)}`]);
  }
}

/** The file is used anyway, because another tool may manage it. */
function warnIfOpen(logger: Logger, { variable, path, holdsKey }: NamedFile, mode: number): void {
  if (holdsKey !== true || !isOpenToOthers(mode)) return;
  logger.warn({ variable, path, remedy: restrictCommand(path) }, "a private key can be read by others on this machine");
}
