import type { Clock } from "../node/clock.js";
import { createPeriodic } from "../platform/concurrency/periodic.js";
import type { Logger } from "../platform/logger.js";
import { hasNoFileLeft } from "../process/open-files.js";
import type { HealthSettings } from "./config.js";

const everyMillis = 1_000;

/** Whether this node has as many open files as it may have. Each of its connections is one. */
export type OpenFilesWatch = ReturnType<typeof createOpenFilesWatch>;

export function createOpenFilesWatch(deps: {
  clock: Clock;
  logger: Logger;
  config: Pick<HealthSettings, "alertCalmSeconds">;
}) {
  const { clock, logger, config } = deps;
  let isExhausted = false;
  let from = 0;
  let lastSeenAt = 0;

  const periodic = createPeriodic({
    everyMillis,
    async run() {
      const now = clock.nowSeconds();
      isExhausted = await hasNoFileLeft();
      if (isExhausted) {
        if (from === 0)
          logger.error("this node has as many open files as it may have (LimitNOFILE of systemd, ulimit -n)");
        from ||= now;
        lastSeenAt = now;
      } else if (now - lastSeenAt >= config.alertCalmSeconds) from = 0;
    },
    failed: (error) => logger.warn({ err: error }, "the open files could not be checked"),
  });

  return {
    start: periodic.start,
    stop: periodic.stop,
    isExhausted: (): boolean => isExhausted,
    /** Since when, in Unix seconds; 0 unless it is so or was so a moment ago. */
    since: (): number => from,
  };
}
