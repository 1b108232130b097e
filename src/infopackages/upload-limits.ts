import type { Clock } from "../platform/cluster/clock.js";
import type { Db } from "../platform/database/connection.js";
import type { IpWindows } from "../platform/rate-limit/ip-windows.js";
import { RelayError } from "../protocol/errors.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { countUpload, findUploads, type UploadLimits, type UploadWindows } from "./store.js";

/** Limits the uploads of a device or of a network address. Both are counted in the caller's transaction. */
export interface UploadLimiter {
  /** Counts an upload of a device. Throws INFOPACKAGE_RATE_LIMIT, and does not count a refused upload. */
  countDevice(db: Db, deviceId: string): Promise<void>;
  /** Counts an upload of a network address. Throws likewise; the caller rolls back, so that neither window counts it. */
  countNetwork(db: Db, ip: string): Promise<void>;
}

export function createUploadLimiter(deps: {
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  ipWindows: Pick<IpWindows, "take">;
}): UploadLimiter {
  const { clock, settings, ipWindows } = deps;
  const currentLimits = (): UploadLimits => {
    const { infopackage_uploads_per_hour: perHour, infopackage_uploads_per_day: perDay } =
      settings.current().rate_limiting;
    return { now: clock.nowSeconds(), hourSeconds, daySeconds, perHour, perDay };
  };

  return {
    async countDevice(db, deviceId) {
      const limits = currentLimits();
      if (await countUpload(db, deviceId, limits)) return;
      throw uploadLimited(resetOf(await findUploads(db, deviceId), limits) - limits.now);
    },
    async countNetwork(db, ip) {
      const { now, perHour, perDay } = currentLimits();
      const hour = { kind: "info-package-hour", ip, windowSeconds: hourSeconds, limit: perHour };
      const day = { kind: "info-package-day", ip, windowSeconds: daySeconds, limit: perDay };
      // Both windows are asked, so that `retry_after` is the time from which an upload succeeds.
      const windows = [await ipWindows.take(db, hour), await ipWindows.take(db, day)];
      const resets = windows.filter(({ granted }) => !granted).map(({ resetAt }) => resetAt);
      if (resets.length > 0) throw uploadLimited(Math.max(...resets) - now);
    },
  };
}

/** When both windows allow an upload again, in Unix seconds. */
function resetOf(windows: UploadWindows | undefined, limits: UploadLimits): number {
  if (windows === undefined) return limits.now;
  const { hourStartedAt, hourCount, dayStartedAt, dayCount } = windows;
  const hourEnd = hourCount >= limits.perHour ? hourStartedAt + limits.hourSeconds : limits.now;
  const dayEnd = dayCount >= limits.perDay ? dayStartedAt + limits.daySeconds : limits.now;
  return Math.max(hourEnd, dayEnd);
}

function uploadLimited(waitSeconds: number): RelayError {
  const extras = { retry_after: Math.max(1, waitSeconds) };
  return new RelayError("INFOPACKAGE_RATE_LIMIT", "too many info packages were uploaded", { extras });
}
