import { type LimitRequest, type LimitSubject, limitRequest } from "../limits/limit-request.js";
import type { ServerSettings } from "../settings/service.js";

/** How many packages a device, or a network address without one, may upload in an hour and in a day. */
export function uploadLimits(uploader: LimitSubject, { rate_limiting: settings }: ServerSettings): LimitRequest[] {
  return [
    limitRequest("info_package_uploads_hour", uploader, settings),
    limitRequest("info_package_uploads_day", uploader, settings),
  ];
}
