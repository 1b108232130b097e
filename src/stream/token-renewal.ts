import { RelayError } from "../protocol/errors.js";
import type { StreamPrincipal } from "./types.js";

/**
 * The token with which a stream continues after another `auth` frame: the one that expires later, or the new one if the present one has
 * been revoked. Throws INVALID_TOKEN if the new one belongs to another device.
 */
export function laterToken(
  current: StreamPrincipal,
  given: StreamPrincipal,
  { isStillValid }: { isStillValid(principal: StreamPrincipal): boolean },
): StreamPrincipal {
  if (given.deviceId !== current.deviceId) throw new RelayError("INVALID_TOKEN", "the token belongs to another device");
  return given.expiresAt >= current.expiresAt || !isStillValid(current) ? given : current;
}
