// Loaded into a measured process before its program. Answers the benchmark's questions over the IPC channel.
import { subscribe } from "node:diagnostics_channel";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** When messages passed their steps. */
const traced = new Map();

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
  /** Notes from now on when messages pass their steps, which costs a relay a few microseconds a message. */
  trace() {
    subscribe("mls-relay.message-steps", ({ messageId, step, at }) => {
      const steps = traced.get(messageId) ?? {};
      traced.set(messageId, steps);
      steps[step] ??= at;
    });
    return null;
  },
  steps: () => [...traced],
};

process.on("message", (question) => process.send?.(answers[question]()));
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
// The channel alone would keep a process running that has stopped.
process.channel?.unref();
