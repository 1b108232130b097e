import type { Schedule } from "../platform/cluster/schedule.js";
import { hourSeconds } from "../protocol/units.js";

const removeEverySeconds = hourSeconds;

/** What the scheduler runs here: reports that count against no device are removed once they are old. */
export function scheduleModerationJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  service: { removeOld(): Promise<number> },
): void {
  schedule.cleanUpEvery("moderation.clean-up", removeEverySeconds, async () => {
    await service.removeOld();
  });
}
