import { open, readFile } from "node:fs/promises";
import { isOutOfFiles } from "../platform/out-of-files.js";

// Every connection and every file that is read takes one of the open files that a process may have.

/** Files and connections besides those of callers: of the program, the database and other servers. */
const ownFiles = 200;

/** How many open files this process may have; null if the system does not say it. */
export async function readOpenFilesLimit(): Promise<number | null> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? null : Number(soft);
}

/** The problem if the variables require more open files than the limit; undefined if it suffices. */
export function beyondOpenFiles(
  limit: number | null,
  { connectionsPerNode, streamsPerNode }: { connectionsPerNode: number; streamsPerNode: number },
): { message: string; advice: string } | undefined {
  const wanted = Math.max(connectionsPerNode, streamsPerNode) + ownFiles;
  if (limit === null || wanted <= limit) return undefined;
  return {
    message:
      `the process may have ${limit} open files, fewer than CONNECTIONS_PER_NODE=${connectionsPerNode} and ` +
      `STREAMS_PER_NODE=${streamsPerNode} need (${wanted})`,
    advice: "raise the limit (LimitNOFILE of systemd, ulimit -n), or lower the variables",
  };
}

/** Whether no further file can be opened now. */
export async function hasNoFileLeft(): Promise<boolean> {
  try {
    await (await open(process.execPath)).close();
    return false;
  } catch (error) {
    return isOutOfFiles(error);
  }
}
