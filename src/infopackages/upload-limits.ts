import type { Clock } from "../platform/cluster/clock.js";
import type { Db } from "../platform/database/connection.js";
import type { IpWindows } from "../platform/rate-limit/ip-windows.js";
import { RelayError } from "../protocol/errors.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { countUpload, findUploads, type UploadConfig, type UploadWindows } from "./upload-store.js";

/** How much one device, or one network address, may upload. Both count in the caller's transaction. */
export interface UploadLimiter {
  /** Throws INFOPACKAGE_RATE_LIMIT; nothing is counted then. */
  countDevice(db: Db, deviceId: string): Promise<void>;
  /** The same for a network address; the caller rolls back, so that a refusal counts in neither window. */
  countNetwork(db: Db, ip: string): Promise<void>;
}

export function createUploadLimiter(deps: {
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  ipWindows: Pick<IpWindows, "take">;
}): UploadLimiter {
  const { clock, settings, ipWindows } = deps;
  const limitsNow = (): UploadConfig => {
    const { infopackage_uploads_per_hour: perHour, infopackage_uploads_per_day: perDay } =
      settings.current().rate_limiting;
    return { now: clock.nowSeconds(), hourSeconds, daySeconds, perHour, perDay };
  };

  return {
    async countDevice(db, deviceId) {
      const config = limitsNow();
      if (await countUpload(db, deviceId, config)) return;
      throw uploadLimited(resetOf(await findUploads(db, deviceId), config) - config.now);
    },
    async countNetwork(db, ip) {
      const { now, perHour, perDay } = limitsNow();
      const hour = { kind: "info-package-hour", ip, windowSeconds: hourSeconds, limit: perHour };
      const day = { kind: "info-package-day", ip, windowSeconds: daySeconds, limit: perDay };
      // Both are asked, so that the answer names the moment from which an upload succeeds.
      const answers = [await ipWindows.take(db, hour), await ipWindows.take(db, day)];
      const resets = answers.filter(({ granted }) => !granted).map(({ resetAt }) => resetAt);
      if (resets.length > 0) throw uploadLimited(Math.max(...resets) - now);
    },
  };
}

/** When both windows have room again. */
function resetOf(windows: UploadWindows | undefined, config: UploadConfig): number {
  if (windows === undefined) return config.now;
  const { hourStartedAt, hourCount, dayStartedAt, dayCount } = windows;
  const hourEnd = hourCount >= config.perHour ? hourStartedAt + config.hourSeconds : config.now;
  const dayEnd = dayCount >= config.perDay ? dayStartedAt + config.daySeconds : config.now;
  return Math.max(hourEnd, dayEnd);
}

function uploadLimited(waitSeconds: number): RelayError {
  const extras = { retry_after: Math.max(1, waitSeconds) };
  return new RelayError("INFOPACKAGE_RATE_LIMIT", "too many info packages were uploaded", { extras });
}
