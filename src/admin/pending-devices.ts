import type { Database } from "../database/db.js";
import type { ModerationService } from "../moderation/service.js";
import type { Clock } from "../node/clock.js";
import { hourSeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { countCandidates, type PendingDevice, readPending } from "./read-model.js";
import { type TrustState, trustStateOf } from "./trust.js";

interface PendingQuery {
  minAgeHours: number;
  maxAgeHours: number;
  minMessages: number;
  maxSpamReports: number;
  limit: number;
}

type SuggestedAction = "verify" | "monitor" | "block";

/** A recent device, and what the relay suggests to do about it. */
export interface PendingView {
  device: PendingDevice;
  trustState: TrustState;
  flagged: boolean;
  suggestedAction: SuggestedAction;
}

interface PendingList {
  devices: PendingView[];
  /** The number of devices that match, among those that were examined. */
  total: number;
  /** True if every device of the requested age was examined. */
  complete: boolean;
}

export const maxPendingExamined = 2_000;
const reportsToBlock = 3;

/** Recent devices that no administrator has decided about. */
export type PendingDevices = ReturnType<typeof createPendingDevices>;

export function createPendingDevices(deps: {
  db: Database;
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  moderation: Pick<ModerationService, "spamStatusOf">;
}) {
  const { db, clock, settings, moderation } = deps;
  return {
    async list(query: PendingQuery): Promise<PendingList> {
      const now = clock.nowSeconds();
      const filter = {
        ...query,
        now,
        registeredFrom: now - query.maxAgeHours * hourSeconds,
        registeredUntil: now - query.minAgeHours * hourSeconds,
        maxExamined: maxPendingExamined,
      };
      const [{ devices: found, total }, candidates] = await Promise.all([
        readPending(db, filter),
        countCandidates(db, { ...filter, upTo: maxPendingExamined + 1 }),
      ]);
      const at = { now, settings: settings.current() };
      const ids = found.map(({ deviceId }) => deviceId);
      const spam = await moderation.spamStatusOf(db, ids);
      const devices = found.map((device, i) => ({
        device,
        trustState: trustStateOf(device, at),
        flagged: spam[i]?.flagged === true,
        suggestedAction: suggestedAction(device.spamReports),
      }));
      return { devices, total, complete: candidates <= maxPendingExamined };
    },
  };
}

function suggestedAction(spamReports: number): SuggestedAction {
  if (spamReports >= reportsToBlock) return "block";
  return spamReports === 0 ? "verify" : "monitor";
}
