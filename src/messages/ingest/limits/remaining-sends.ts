import type { Database } from "../../../database/db.js";
import type { LimitObserver, LimitState } from "../../../protocol/rate-limit.js";
import type { ServerSettings } from "../../../settings/service.js";
import { findDeviceProfiles } from "../../model/read-model.js";
import { refusalError } from "../../model/types.js";
import { allowanceOf } from "./hourly-limit.js";
import { limitStates, refuseSend, refuseZero, remainingOf, zeroStates } from "./sender-remaining.js";
import { readWindows, type WindowGrant } from "./sending-windows-store.js";
import { requestOf } from "./window-requests.js";

/** What a device may still send, as far as can be read without locks. Counts nothing. */
interface RemainingSends {
  /** Throws RATE_LIMIT_EXCEEDED if the device may send nothing. A device that passes may still be refused later. */
  refuseSpent(deviceId: string, observer?: LimitObserver): Promise<void>;
  /** Empty for a device without a limit and for an unregistered device. */
  remainingSends(deviceId: string): Promise<LimitState[]>;
}

export function createRemainingSends(deps: {
  db: Database;
  now: () => number;
  settings: () => ServerSettings;
  missesPerSend: number;
}): RemainingSends {
  const { db, missesPerSend } = deps;
  const read = async (deviceId: string) => {
    const [now, settings] = [deps.now(), deps.settings()];
    const rules = { now, windowSeconds: settings.rate_limiting.window_seconds, missesPerSend };
    const profile = (await findDeviceProfiles(db, [deviceId])).get(deviceId);
    if (profile === undefined) return undefined;
    const allowance = allowanceOf(profile, { now, settings });
    if (allowance.limit === 0)
      return { rules, states: zeroStates(allowance, rules), refusal: refuseZero(allowance, rules) };
    const request = requestOf(deviceId, allowance, { sends: 1, misses: 1, rules });
    const [grant] = await readWindows(db, [request], rules);
    const remaining = remainingOf(allowance, grant ?? emptyWindows(deviceId), rules);
    const isSpent = grant !== undefined && remaining.sends < 1;
    return {
      rules,
      states: limitStates(remaining, rules),
      refusal: isSpent ? refuseSend(remaining, rules) : undefined,
    };
  };
  return {
    async refuseSpent(deviceId, observer) {
      const found = await read(deviceId);
      if (found === undefined) return;
      observer?.observeLimits(found.states, found.rules.now);
      if (found.refusal !== undefined) throw refusalError(found.refusal);
    },
    remainingSends: async (deviceId) => (await read(deviceId))?.states ?? [],
  };
}

/** The windows of a device that has none. */
function emptyWindows(device_id: string): WindowGrant {
  const windows = { started_at: 0, count: 0, carry: 0, misses_started_at: 0, misses_count: 0 };
  return { device_id, ...windows, granted: 0, misses_granted: 0 };
}
