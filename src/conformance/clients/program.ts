// The client under test: a program that the suite starts and talks to in lines.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Broken } from "../harness/assertions.js";
import type { Changes } from "./changes.js";

const maxKept = 10_000;

/** What became of a message that the program was told to send. */
export type Outcome = { sent: true; messageId: string } | { sent: false; error: string };

export interface ClientProgram {
  /** What it has printed, line by line. */
  readonly lines: readonly string[];
  /** Ids of handled messages, in order. */
  readonly handled: readonly string[];
  /** Whether it has ended. */
  hasEnded(): boolean;
  /** Gives it a line. */
  tell(line: string): void;
  /** Tells it to send a message, and waits for what becomes of it. */
  send(address: string, ciphertext: string): Promise<Outcome>;
  stop(): Promise<void>;
}

/** Starts the program and waits until it is ready. */
export async function startProgram(
  command: readonly string[],
  relay: Changes & { url: string; domain: string },
): Promise<ClientProgram> {
  const [file = "", ...args] = command;
  const env = { ...process.env, RELAY_URL: relay.url, RELAY_DOMAIN: relay.domain };
  const child = spawn(file, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const lines: string[] = [];
  const handled: string[] = [];
  const outcomes: Outcome[] = [];
  let isReady = false;
  let ending: string | undefined;
  child.stdin.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => {
    const end = (how: string) => {
      ending = how;
      relay.changed();
      resolve();
    };
    child.once("error", (error) => end(error.message));
    child.once("close", (code, signal) => end(`it ended with ${code ?? signal}`));
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [word, value = ""] = line.trim().split(/\s+/);
    if (lines.length < maxKept) lines.push(line.trim());
    if (word === "ready") isReady = true;
    else if (word === "handled" && handled.length < maxKept) handled.push(value.toLowerCase());
    else if (word === "sent") outcomes.push({ sent: true, messageId: value });
    else if (word === "refused") outcomes.push({ sent: false, error: value });
    relay.changed();
  });
  const demandRunning = () => {
    if (ending !== undefined) throw new Broken(`the program is gone: ${ending}`);
  };
  const program: ClientProgram = {
    lines,
    handled,
    hasEnded: () => ending !== undefined,
    tell: (line) => void child.stdin.write(`${line}\n`),
    async send(address, ciphertext) {
      const before = outcomes.length;
      program.tell(`send ${address} ${ciphertext}`);
      await relay.until(
        () => outcomes.length > before || ending !== undefined,
        "the program did not say what became of a message within a minute",
      );
      demandRunning();
      return outcomes[before] as Outcome;
    },
    async stop() {
      child.stdin.end();
      child.kill();
      const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await ended;
      clearTimeout(timer);
    },
  };
  try {
    await relay.until(() => isReady || ending !== undefined, "the program was not ready within a minute");
    demandRunning();
  } catch (failure) {
    await program.stop();
    throw failure;
  }
  return program;
}
