import type { PeerResponse } from "../federation/model/types.js";
import { decodeBase64 } from "../protocol/encodings.js";
import { type ErrorId, errorCatalogue, RelayError } from "../protocol/errors.js";
import type { ClaimedPackage } from "./claim-id.js";
import type { KeyPackageSettings } from "./config.js";

/** A package, or why an address got none. */
export type ClaimOutcome = ClaimedPackage | RelayError;

type PackageSize = Pick<KeyPackageSettings, "keyPackageMinBytes" | "keyPackageMaxBytes">;

/** Refusals of a peer that are passed on as they are. */
const passedOn: readonly ErrorId[] = ["ADDRESS_NOT_FOUND", "NO_KEY_PACKAGES", "INVALID_ADDRESS", "RATE_LIMIT_EXCEEDED"];
const retrySeconds = 2;
const longestRetrySeconds = 60;
const lastSecond = 253_402_300_799;

/** The outcomes for `count` addresses by a peer's answer. What it does not say in the contract's form is PEER_UNAVAILABLE. */
export function readPeerClaims(answer: PeerResponse, count: number, size: PackageSize): ClaimOutcome[] {
  const { claims, error } = membersOf(answer.body);
  if (answer.status === 200 && Array.isArray(claims) && claims.length === count)
    return claims.map((claim: unknown) => readClaim(membersOf(claim), size));
  const refusal =
    error === errorCatalogue.SERVER_BLOCKED.error
      ? new RelayError("FEDERATION_FAILED", "the other relay does not answer this one")
      : unavailable(answer.headers["retry-after"]);
  return Array.from({ length: count }, () => refusal);
}

function readClaim(claim: Record<string, unknown>, size: PackageSize): ClaimOutcome {
  const { key_package: text, error, last_resort: lastResort } = claim;
  if (typeof text !== "string") return readRefusal(claim, error);
  const bytes = decodeBase64(text);
  if (bytes === undefined || bytes.length < size.keyPackageMinBytes || bytes.length > size.keyPackageMaxBytes)
    return unavailable(undefined);
  return { keyPackage: Buffer.from(bytes), lastResort: lastResort === true };
}

function readRefusal(claim: Record<string, unknown>, error: unknown): RelayError {
  const id = passedOn.find((one) => errorCatalogue[one].error === error);
  if (id === undefined) return unavailable(claim["retry_after"]);
  const { limit, reset_at: resetAt, retry_after: retryAfter } = claim;
  if (id !== "RATE_LIMIT_EXCEEDED") return new RelayError(id, "the other relay has no package for this address");
  if (!isCount(limit) || !isCount(retryAfter) || (resetAt !== null && !isCount(resetAt)))
    return unavailable(retryAfter);
  return new RelayError(id, "a limit of the other relay is used up", {
    extras: { limit, reset_at: resetAt, retry_after: Math.max(1, retryAfter) },
  });
}

function unavailable(retryAfter: unknown): RelayError {
  const asked = Number(retryAfter ?? retrySeconds);
  const seconds = Number.isSafeInteger(asked) ? Math.min(longestRetrySeconds, Math.max(1, asked)) : retrySeconds;
  return new RelayError("PEER_UNAVAILABLE", "the other relay has given no usable answer; repeat the same request", {
    headers: { "Retry-After": String(seconds) },
  });
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= lastSecond;
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
