import type { Logger } from "../../platform/logger.js";

const everyMillis = 60_000;

/** Logs a line when load shedding begins to refuse requests, then one per minute while it continues. */
export function createOverloadLog(logger: Logger): { refused(operation: string | null): void } {
  let counts = new Map<string, number>();
  let quietUntil = 0;
  return {
    refused(operation) {
      const name = operation ?? "none";
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const now = performance.now();
      if (now < quietUntil) return;
      quietUntil = now + everyMillis;
      logger.warn({ refused: Object.fromEntries(counts) }, "more requests come in than can be answered in time");
      counts = new Map();
    },
  };
}
