import { readFile, stat } from "node:fs/promises";
import type { Logger } from "./logger.js";

/** Something made from files, and made anew when they change. */
export interface FileCopy<T> {
  /** Makes it for the first time; throws what reading or making throws. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** What the files made when they last made something. */
  current(): T;
  /** Looks at the files now instead of at the next turn. */
  refresh(): Promise<void>;
}

const lookEveryMillis = 2_000;

/**
 * Looks at the files every two seconds. Files that make nothing, for instance because only one of two has been replaced
 * so far, change nothing and are logged once: the next look tries again.
 */
export function createFileCopy<T>(needs: {
  name: string;
  paths: readonly string[];
  make: (contents: readonly Buffer[]) => T;
  /** Told of every later version. */
  changed?: (made: T) => void;
  logger: Logger;
}): FileCopy<T> {
  let copy: { made: T; state: string } | undefined;
  let complainedOf = "";
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();

  const read = async (): Promise<void> => {
    const state = await stateOf(needs.paths);
    if (state === copy?.state) return;
    const isFirst = copy === undefined;
    const contents = await Promise.all(needs.paths.map((path) => readFile(path)));
    copy = { made: needs.make(contents), state };
    if (!isFirst) needs.changed?.(copy.made);
  };
  const look = async (): Promise<void> => {
    try {
      await read();
      complainedOf = "";
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== complainedOf) {
        needs.logger.warn(
          { files: needs.name, problem },
          "files changed but cannot be used; what they made before holds",
        );
      }
      complainedOf = problem;
    }
  };
  const refresh = (): Promise<void> => {
    looking = looking.then(look);
    return looking;
  };

  return {
    refresh,
    current() {
      if (copy === undefined) throw new Error(`${needs.name} have not been read`);
      return copy.made;
    },
    async start() {
      await read();
      timer = setInterval(() => void refresh(), lookEveryMillis);
    },
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}

async function stateOf(paths: readonly string[]): Promise<string> {
  const states = await Promise.all(paths.map((path) => stat(path)));
  return states.map(({ mtimeMs, size, ino }) => `${mtimeMs}/${size}/${ino}`).join(" ");
}
