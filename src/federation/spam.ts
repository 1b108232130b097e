import type { Knex } from "knex";
import type { Clock } from "../platform/clock.js";
import { keyedHash } from "../platform/keyed-hash.js";
import type { Secrets } from "../platform/secrets.js";
import type { Judging } from "./judging.js";
import { upsertSpam } from "./peer-store.js";

/** Reports of spam that came from other servers. */
export interface Spam {
  /** Counts a reporter's word against an origin; one reporter counts once in the days that a score looks at. */
  record(report: { origin: string; reporter: string }): Promise<void>;
}

const secretName = "federation-spam";

export function createSpam(needs: {
  db: Knex;
  clock: Clock;
  secrets: Pick<Secrets, "get">;
  judging: Pick<Judging, "judge">;
}): Spam {
  return {
    async record({ origin, reporter }) {
      const reporterHash = keyedHash(await needs.secrets.get(secretName), origin, reporter);
      await upsertSpam(needs.db, { host: origin, reporterHash, now: needs.clock.nowSeconds() });
      await needs.judging.judge(origin);
    },
  };
}
