import { readFile } from "node:fs/promises";

/** A process and those that it has started; none if there is no such process. */
export async function processesUnder(pid: number | undefined): Promise<number[]> {
  if (pid === undefined) return [];
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => undefined);
  return children === undefined ? [] : [pid, ...children.split(" ").filter(Boolean).map(Number)];
}

/** Some of them may have ended. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}
