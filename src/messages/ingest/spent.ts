import type { Knex } from "knex";
import { RelayError } from "../../protocol/errors.js";
import type { ServerSettings } from "../../settings/service.js";
import type { Refused } from "../types.js";
import { accountOf, allowanceOf, askOf, refuseSend, refuseZero } from "./rate-limit.js";
import { findMembers } from "./store.js";
import { readWindows } from "./window-store.js";

/**
 * Throws RATE_LIMIT_EXCEEDED where a device may send nothing at the moment, by what can be read without locks. It counts
 * nothing, and a device that passes may still be refused.
 */
export function createSpentCheck(deps: {
  db: Knex;
  now: () => number;
  settings: () => ServerSettings;
  missesPerSend: number;
}): (deviceId: string) => Promise<void> {
  const { db, missesPerSend } = deps;
  return async (deviceId) => {
    const member = (await findMembers(db, [deviceId])).get(deviceId);
    if (member === undefined) return;
    const [now, settings] = [deps.now(), deps.settings()];
    const rules = { now, windowSeconds: settings.rate_limiting.window_seconds, missesPerSend };
    const allowance = allowanceOf(member, { now, settings });
    if (allowance.limit === 0) throw refusal(refuseZero(allowance, rules));
    const [window] = await readWindows(db, [askOf(deviceId, allowance, { sends: 1, misses: 0, rules })], rules);
    const account = window === undefined ? undefined : accountOf(allowance, window, rules);
    if (account !== undefined && account.sentLeft < 1) throw refusal(refuseSend(account, rules));
  };
}

function refusal({ error, message, extras = {} }: Refused): RelayError {
  return new RelayError(error, message, { extras });
}
