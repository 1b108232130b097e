import { keyedHash } from "../../platform/auth/keyed-hash.js";
import type { Secrets } from "../../platform/auth/secrets.js";
import type { Clock } from "../../platform/cluster/clock.js";
import type { Db } from "../../platform/database/connection.js";
import { upsertSpam } from "../peers/store.js";
import type { Judging } from "../policy/reputation.js";

/** Reports of spam that came from other servers. */
export interface Spam {
  /**
   * Counts a reporter's word against an origin, and lets follow what follows from it, in the caller's transaction. One
   * reporter counts once in the days that a score looks at.
   */
  record(db: Db, report: { origin: string; reporter: string }): Promise<void>;
}

/** The name of its key among the secrets. */
export const spamSecret = "federation-spam";

export function createSpam(deps: {
  clock: Clock;
  secrets: Pick<Secrets, "get">;
  judging: Pick<Judging, "judge">;
}): Spam {
  return {
    async record(db, { origin, reporter }) {
      const reporterHash = keyedHash(await deps.secrets.get(spamSecret), origin, reporter);
      await upsertSpam(db, { host: origin, reporterHash, now: deps.clock.nowSeconds() });
      await deps.judging.judge(db, origin);
    },
  };
}
