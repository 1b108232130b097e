import type { ErrorId } from "../../generated/errors.js";
import type { closeCodes } from "../../generated/frames.js";

/** The reasons for which the server closes a stream. `closeCodes` has the code and the text of each. */
export type CloseReason = keyof typeof closeCodes;

/** Why a stream ends that is refused with this error. */
export function closeReasonAfter(id: ErrorId): CloseReason {
  if (id === "INVALID_TOKEN") return "invalidToken";
  if (id === "DEVICE_NOT_ANNOUNCED") return "notAnnounced";
  return id === "RATE_LIMIT_EXCEEDED" ? "tooManyReplacements" : "unavailable";
}
