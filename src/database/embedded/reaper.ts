import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, rmSync, writeSync } from "node:fs";
import path from "node:path";

// A relay that is killed cannot stop its PostgreSQL. Beside each server runs a reaper: a shell that waits on a pipe
// which every process that uses the server holds open. The kernel closes the pipe for a process that dies. When no
// process holds it, the reaper waits for a grace period, in which a restarted relay finds its server running, and then
// stops the server.

/** Tells the reaper that this process uses the server. */
export interface Hold {
  /** This process no longer uses the server. */
  release(): void;
  /** This process has stopped the server; the reaper leaves nothing in its folder. */
  remove(): void;
}

export const graceSeconds = 10;
const maxAttempts = 3;

// Its working directory is the server's data folder. It holds the writing end of the pipe until its starter does. Each
// user writes a line, so that a user that came during the grace period is noticed.
const script = `
pid=$1 grace=$2 pipe=$3
runs_here() {
  read -r found < postmaster.pid && [ "$found" = "$pid" ] && { [ ! -d /proc/self ] || [ "/proc/$pid/cwd" -ef . ]; }
}
for old in "\${pipe%.*}".*; do [ "$old" = "$pipe" ] || rm -f "$old"; done
draft=$pipe-$$
mkfifo -m 600 "$draft" && exec 3<>"$draft" 4<"$draft" && ln "$draft" "$pipe"
claimed=$?
rm -f "$draft"
[ $claimed = 0 ] || exit
echo ready
read -r _
exec 3>&-
while :; do
  while read -r _ <&4; do :; done
  for second in $(seq "$grace"); do
    runs_here || break 2
    sleep 1
  done
  read -r _ <&4 && continue
  runs_here && kill -INT "$pid"
  break
done
rm -f "$pipe"
`;

interface HeldServer {
  data: string;
  pid: number;
  /** Whether the server runs in this PID namespace. Only there a reaper can stop it, but a pipe reaches into all of them. */
  isHere: boolean;
  graceSeconds: number;
}

/**
 * Keeps the reaper of that server from stopping it, and starts a reaper if there is none. Returns undefined if there can
 * be none, because there is no shell or there are no named pipes.
 */
export async function holdServer(deps: HeldServer): Promise<Hold | undefined> {
  const pipe = path.join(path.dirname(deps.data), `users.${deps.pid}`);
  if (!deps.isHere) return openPipe(pipe);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const opened = openPipe(pipe);
    if (opened !== undefined) return opened;
    const reaper = await startReaper(pipe, deps);
    const hold = openPipe(pipe);
    reaper?.();
    if (hold !== undefined) return hold;
  }
  return undefined;
}

/** Succeeds only while somebody reads the pipe. A pipe without a reader is left by a reaper that was killed. */
function openPipe(pipe: string): Hold | undefined {
  try {
    const file = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    writeSync(file, "\n");
    let isOpen = true;
    const release = (): void => {
      if (isOpen) closeSync(file);
      isOpen = false;
    };
    const remove = (): void => {
      rmSync(pipe, { force: true });
      release();
    };
    return { release, remove };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENXIO") rmSync(pipe, { force: true });
    return undefined;
  }
}

/**
 * Returns a function that lets it begin, once the pipe exists; undefined if it ended, because another reaper may be
 * faster.
 */
async function startReaper(
  pipe: string,
  { data, pid, graceSeconds: grace }: HeldServer,
): Promise<(() => void) | undefined> {
  const child: ChildProcess = spawn("/bin/sh", ["-c", script, "mls-relay-reaper", String(pid), String(grace), pipe], {
    cwd: data,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    // Runs in a separate session, so that closing the relay's terminal does not end it.
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) return undefined;
  for (const stream of [stdin, stdout]) stream.on("error", () => undefined);
  const ended = once(child, "close").catch(() => undefined);
  const isReady = await Promise.race([once(stdout, "data").then(() => true), ended.then(() => false)]);
  const begin = (): void => {
    stdin.end("\n");
    stdout.destroy();
    child.unref();
  };
  if (isReady) return begin;
  return undefined;
}
