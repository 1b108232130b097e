import type { Config } from "../platform/config.js";
import type { Schedule } from "../platform/schedule.js";
import type { Expiry } from "./expiry.js";
import type { FederationCounts } from "./federation-counts.js";

const keysEverySeconds = 3_600;
const foldSendsEverySeconds = 3_600;
const foldEverySeconds = 86_400;

/** What the scheduler runs here: the expiry of messages and of the hashes that recognise repetitions. */
export function scheduleMailboxJobs(
  schedule: Pick<Schedule, "every" | "cleanUpEvery">,
  service: Expiry & Pick<FederationCounts, "foldSends" | "foldFederationCounts">,
  limits: Pick<Config, "expiryIntervalSeconds">,
): void {
  schedule.cleanUpEvery("mailbox.expire-messages", limits.expiryIntervalSeconds, async () => {
    await service.expireMessages();
  });
  schedule.cleanUpEvery("mailbox.expire-keys", keysEverySeconds, async () => {
    await service.expireKeys();
  });
  schedule.every("mailbox.fold-sends", foldSendsEverySeconds, () => service.foldSends());
  schedule.cleanUpEvery("mailbox.fold-federation-counts", foldEverySeconds, () => service.foldFederationCounts());
}
