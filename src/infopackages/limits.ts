import { type LimitRequest, type LimitSubject, limitRequest } from "../limits/limit-request.js";
import { RelayError } from "../protocol/errors.js";
import type { ServerSettings } from "../settings/service.js";
import type { InfoPackageSettings } from "./config.js";

/** How many packages a device, or a network address without one, may upload in an hour and in a day. */
export function uploadLimits(uploader: LimitSubject, { rate_limiting: settings }: ServerSettings): LimitRequest[] {
  return [
    limitRequest("info_package_uploads_hour", uploader, settings),
    limitRequest("info_package_uploads_day", uploader, settings),
  ];
}

/** Throws MESSAGE_TOO_LARGE. */
export function checkSize(bytes: number, { infoPackageBytes }: Pick<InfoPackageSettings, "infoPackageBytes">): void {
  if (bytes <= infoPackageBytes) return;
  throw new RelayError("MESSAGE_TOO_LARGE", `the ciphertext has ${bytes} bytes; the limit is ${infoPackageBytes}`);
}
