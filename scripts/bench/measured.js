// Loaded into a measured process before its program. Answers the benchmark's questions over the IPC channel.
import { subscribe } from "node:diagnostics_channel";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The moments at which messages passed their steps. */
let traced = new Map();
/** Of each batcher: for what its jobs wait, since when, and how long they have waited for what. */
const batchers = new Map();

function batcherOf(name) {
  const found = batchers.get(name) ?? { wait: undefined, at: 0, waits: { pace: 0, "other flush": 0, turn: 0 } };
  batchers.set(name, found);
  return found;
}

function waitsAt(name, at) {
  const batcher = batcherOf(name);
  if (batcher.wait !== undefined) batcher.waits[batcher.wait] += at - batcher.at;
  batcher.at = at;
  return batcher.waits;
}

const answers = {
  /** Microseconds of processor time so far. */
  processor() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  /** Bytes of memory, after a garbage collection. */
  memory() {
    setFlagsFromString("--expose-gc");
    runInNewContext("gc")();
    return process.memoryUsage();
  },
  /** Notes from now on when every second message passes its steps, which costs a few microseconds. */
  trace() {
    subscribe("mls-relay.flush-waits", ({ batcher, wait, at }) => {
      waitsAt(batcher, at);
      batcherOf(batcher).wait = wait;
    });
    subscribe("mls-relay.message-steps", ({ messageId, step, at, backend }) => {
      if (messageId.charCodeAt(messageId.length - 1) % 2 !== 0) return;
      const steps = traced.get(messageId) ?? {};
      traced.set(messageId, steps);
      const waits = waitsAt(step.startsWith("ack") ? "acknowledgements" : "messages", at);
      steps[step] ??= { at, idle: performance.eventLoopUtilization().idle, waits: { ...waits }, backend };
    });
    return null;
  },
  steps() {
    const steps = [...traced];
    traced = new Map();
    return steps;
  },
};

process.on("message", (question) => process.send?.(answers[question]()));
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
// The channel alone would keep a process running that has stopped.
process.channel?.unref();
