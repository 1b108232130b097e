import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { cargoTarget } from "../../scripts/clients/tools.js";

const source = fileURLToPath(new URL(".", import.meta.url));

/** Compiles the programs in Rust; the first time downloads OpenMLS and takes minutes. */
export async function buildPrograms(): Promise<void> {
  const place = ["--manifest-path", path.join(source, "Cargo.toml"), "--target-dir", cargoTarget];
  await promisify(execFile)("cargo", ["build", "--quiet", "--locked", ...place], { maxBuffer: 2 ** 26 });
}

/** Starts one of them. It answers each command, a line with a JSON object, with another. */
export function startProgram<Answer>(name: "openmls-member" | "openmls-adapter", args: readonly string[] = []) {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(path.join(cargoTarget, "debug", name), args, {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, "exit");
  const tell = (command: object): void => void child.stdin.write(`${JSON.stringify(command)}\n`);
  return {
    ended,
    tell,
    /** Answers come in the order of the commands, so several may be asked at once. */
    async ask(command: object): Promise<Answer> {
      tell(command);
      const { value, done } = await lines.next();
      if (done === true) throw new Error("the program has ended");
      return JSON.parse(value) as Answer;
    },
    async stop(): Promise<void> {
      child.stdin.end();
      await ended;
    },
  };
}
