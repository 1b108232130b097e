import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { programs } from "./programs.js";
import { transpiled } from "./transpiled.js";

/** A command that was started in the foreground of a separate terminal. */
interface Terminal {
  /** The command's process id. */
  pid: number;
  /** Presses Ctrl-C, which signals every process in the foreground. */
  interrupt(): void;
  /** Closes the terminal. Unread output of the command is lost. */
  close(): void;
  /** Resolves when the command's process has ended. */
  ended: Promise<unknown>;
}

// Node.js cannot open a pseudo-terminal. The command's output is read and dropped, so that it never waits for a reader.
const script = `
import os, pty, select, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
print(pid, flush=True)
inputs = [terminal, 0]
while terminal in inputs:
    for ready in select.select(inputs, [], [])[0]:
        try:
            data = os.read(ready, 65536)
        except OSError:
            data = b""
        if ready == terminal and data == b"":
            inputs.remove(terminal)
        if ready == 0 and data.startswith(b"interrupt"):
            os.write(terminal, b"\\x03")
        if ready == 0 and data.startswith(b"close"):
            os.close(terminal)
            inputs.remove(terminal)
os.waitpid(pid, 0)
`;

export async function openTerminal(
  command: readonly string[],
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): Promise<Terminal> {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    programs.python3.find() ?? "python3",
    ["-c", script, ...command],
    { cwd, env, stdio: ["pipe", "pipe", "inherit"] },
  );
  const ended = once(child, "exit");
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return {
    pid: Number(line.toString()),
    interrupt: () => void child.stdin.write("interrupt\n"),
    close: () => void child.stdin.write("close\n"),
    ended,
  };
}

/**
 * Everything that a command of the relay writes on a terminal of 80 columns, until it ends. Once it has written what `answer` waits for,
 * the answer is typed.
 */
export function onTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  answer?: { seen: string; typed: string },
): Promise<string> {
  const program = [process.execPath, transpiled("src/cli/main.ts"), ...args].map((word) => `'${word}'`).join(" ");
  const command = `stty cols 80 rows 24; ${program}`;
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
  });
  return new Promise((resolve, reject) => {
    let written = "";
    let isTyped = answer === undefined;
    child.stdout.on("data", (chunk: Buffer) => {
      written += chunk.toString();
      if (isTyped || answer === undefined || !written.includes(answer.seen)) return;
      isTyped = true;
      child.stdin.write(answer.typed);
    });
    child.on("error", reject);
    child.on("close", () => resolve(written));
  });
}
