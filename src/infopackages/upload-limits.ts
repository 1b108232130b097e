import type { Db } from "../database/db.js";
import { RelayError } from "../protocol/errors.js";
import { type LimitObserver, secondsUntil } from "../protocol/rate-limit.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";
import type { LimitRequest, LimitSubject } from "../rate-limit/limits.js";
import type { RateLimiter } from "../rate-limit/rate-limiter.js";
import type { SettingsService } from "../settings/service.js";

const message = "too many info packages were uploaded";

/** Limits the uploads of a device or of a network address. */
export function createUploadLimiter(deps: {
  settings: Pick<SettingsService, "current">;
  rateLimiter: Pick<RateLimiter, "take">;
}) {
  const limitsOf = (subject: LimitSubject): LimitRequest[] => {
    const { infopackage_uploads_per_hour: perHour, infopackage_uploads_per_day: perDay } =
      deps.settings.current().rate_limiting;
    const shared = { subject, message };
    return [
      { ...shared, name: "info_package_uploads_hour", windowSeconds: hourSeconds, limit: perHour },
      { ...shared, name: "info_package_uploads_day", windowSeconds: daySeconds, limit: perDay },
    ];
  };

  return {
    /** The limits of an uploader: an hour's and a day's. */
    limitsOf,
    /** Counts an upload in the caller's transaction. Throws INFOPACKAGE_RATE_LIMIT, and does not count a refused upload. */
    async count(db: Db, uploader: LimitSubject, observer?: LimitObserver): Promise<void> {
      const { refused, now } = await deps.rateLimiter.take(db, limitsOf(uploader), observer);
      if (refused === undefined) return;
      const extras = { retry_after: secondsUntil(refused.resetAt, now) };
      throw new RelayError("INFOPACKAGE_RATE_LIMIT", message, { extras });
    },
  };
}
