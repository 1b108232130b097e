import { spawn } from "node:child_process";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { spawnOptions } from "./user.js";

// A process id means nothing in another PID namespace, and a path nothing in another mount namespace. A kernel
// lock on a file in the data folder therefore proves that a server runs on it. The server inherits the open file from its
// parent, and its own processes inherit it too; the kernel releases the lock when the last of them has ended. Node.js
// cannot lock a file, but the program flock locks the open file that it inherits, and the lock stays when it ends.

/** For a person who takes the file for one that a crash has left behind. */
const advice = `The embedded PostgreSQL holds a kernel lock on this file while it runs, so that no second server destroys its files.
Do not delete it. It never keeps a relay from starting: the lock ends with the processes that hold it, after a crash too.
`;

/** The file that a server keeps locked, opened. */
export async function openLockFile(data: string): Promise<FileHandle> {
  const file = await open(path.join(path.dirname(data), "server.lock"), "a", 0o600);
  // The lock does not depend on the words: a disk may be full.
  if ((await file.stat()).size === 0) await file.writeFile(advice).catch(() => undefined);
  return file;
}

/**
 * Locks an open file. False if others hold the lock; undefined where there is no flock, as on macOS.
 *
 * @throws Error on Linux without flock: nothing else could tell a server that runs from one that has ended
 */
export async function tryLock(file: FileHandle, kind: "exclusive" | "shared"): Promise<boolean | undefined> {
  const code = await new Promise<number | null>((resolve) => {
    const child = spawn("flock", [kind === "exclusive" ? "-x" : "-s", "-n", "3"], {
      ...spawnOptions(undefined),
      stdio: ["ignore", "ignore", "ignore", file.fd],
    });
    child.on("error", () => resolve(null));
    child.on("close", resolve);
  });
  if (code === 0) return true;
  if (code === 1) return false;
  if (process.platform !== "linux") return undefined;
  throw new Error(
    "the embedded PostgreSQL needs the program flock (Debian's package util-linux), and could not use it",
  );
}

/** Whether a server may be running on the folder; undefined if only its process id can tell. Those who ask do not disturb each other. */
export async function isLocked(data: string): Promise<boolean | undefined> {
  const file = await openLockFile(data);
  try {
    const locked = await tryLock(file, "shared");
    return locked === undefined ? undefined : !locked;
  } finally {
    await file.close();
  }
}
