import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/** A server in a process started here. */
export interface Served {
  port: number;
  child: ChildProcess;
  /** Rejects when the process ends. */
  ended: Promise<never>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const keptCharacters = 10_000;

/** Starts Node.js with these arguments and waits until the server prints its port, as `mls-relay serve` does. */
export async function startServed(
  args: readonly string[],
  { env, node = process.execPath }: { env: NodeJS.ProcessEnv; node?: string },
): Promise<Served> {
  const child = spawn(node, args, { env, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let written = "";
  const exited = once(child, "exit");
  const ended = exited.then(() => {
    throw new Error(`the server ended: ${written}`);
  });
  ended.catch(() => undefined);
  const printed = new Promise<number>((settle) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      written = (written + text).slice(-keptCharacters);
      const [, port] = / serves \S+ at \S+:(\d+)\s/.exec(written) ?? [];
      if (port !== undefined) settle(Number(port));
    });
  });
  return {
    port: await Promise.race([printed, ended]),
    ...{ child, ended },
    async stop(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
}
