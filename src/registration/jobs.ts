import type { Knex } from "knex";
import type { Clock } from "../platform/cluster/clock.js";
import type { Schedule } from "../platform/cluster/schedule.js";
import { inBoundedSteps } from "../platform/database/bounded-steps.js";
import { hourSeconds } from "../protocol/units.js";
import { deleteExpiredChallenges } from "./challenge-store.js";
import { deleteExpiredInvites, deleteExpiredUses } from "./invite-store.js";

const cleanUpEverySeconds = 300;
const rowsPerStep = 1000;
/** A proof may still be being checked when its challenge expires; so expired rows stay for a while. */
const keptAfterExpirySeconds = hourSeconds;

/** What the scheduler runs here: challenges and invites go once they have expired. */
export function scheduleRegistrationJobs(
  schedule: Pick<Schedule, "cleanUpEvery">,
  { db, clock }: { db: Knex; clock: Clock },
): void {
  schedule.cleanUpEvery("registration.clean-up", cleanUpEverySeconds, async () => {
    const before = clock.nowSeconds() - keptAfterExpirySeconds;
    for (const deleteExpired of [deleteExpiredChallenges, deleteExpiredInvites, deleteExpiredUses]) {
      await inBoundedSteps(rowsPerStep, (limit) => deleteExpired(db, { before, limit }));
    }
  });
}
