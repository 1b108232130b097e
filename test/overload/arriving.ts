import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Arrived, Arriving } from "./arriving-process.js";

/** Clients in processes of their own, which all open their streams at the same moment. */
interface Arrivers {
  /** Has all of them open their streams; resolves when each has been served. */
  arrive(): Promise<Arrived>;
  /** Closes the streams that are open and ends the processes. */
  leave(): Promise<void>;
}

const program = fileURLToPath(new URL("./arriving-process.ts", import.meta.url));

/** Registers `count` devices in so many processes. */
export async function gatherArrivers(processes: number, given: Arriving): Promise<Arrivers> {
  const share = { ...given, count: given.count / processes, stay: given.stay / processes };
  const children = Array.from({ length: processes }, () => fork(program, [], { execArgv: ["--import", "tsx"] }));
  await Promise.all(children.map((child) => ask(child, share)));
  return {
    async arrive() {
      const parts = await Promise.all(children.map((child) => ask<Arrived>(child, "arrive")));
      const sum = (of: keyof Arrived): number => parts.reduce((total, part) => total + part[of], 0);
      const failed = { turnedAway: sum("turnedAway"), reset: sum("reset"), late: sum("late") };
      return { served: sum("served"), open: sum("open"), ...failed };
    },
    async leave() {
      await Promise.all(
        children.map((child) => {
          const ended = once(child, "exit");
          child.send("leave");
          return ended;
        }),
      );
    },
  };
}

async function ask<T>(child: ChildProcess, question: unknown): Promise<T> {
  child.send(question as object);
  const ended = once(child, "exit").then(() => {
    throw new Error("a process of clients ended");
  });
  const [answer] = await Promise.race([once(child, "message"), ended]);
  return answer as T;
}
