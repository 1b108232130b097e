import type { PeerResponse } from "../federation/model/types.js";
import { comparedDomain, parseAddress } from "../protocol/address.js";
import { decodeBase64 } from "../protocol/encodings.js";
import { type ErrorId, errorCatalogue, RelayError } from "../protocol/errors.js";
import { readRetryAfter } from "../protocol/retry-after.js";
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

/**
 * The outcomes for these addresses by a peer's answer, by the addresses that it names: a package must not reach the wrong
 * person. What it does not say in the contract's form is PEER_UNAVAILABLE.
 */
export function readPeerClaims(
  answer: PeerResponse,
  { addresses, nowMillis, size }: { addresses: readonly string[]; nowMillis: number; size: PackageSize },
): ClaimOutcome[] {
  const { claims, error } = membersOf(answer.body);
  if (answer.status === 200 && Array.isArray(claims) && claims.length === addresses.length) {
    const rest = claims.map(membersOf);
    return addresses.map((address) => {
      const at = rest.findIndex((claim) => isFor(claim, address));
      const [claim] = at < 0 ? [] : rest.splice(at, 1);
      return claim === undefined ? unavailable(null) : readClaim(claim, size);
    });
  }
  const refusal =
    error === errorCatalogue.SERVER_BLOCKED.error
      ? new RelayError("FEDERATION_FAILED", "the other relay does not answer this one")
      : unavailable(readRetryAfter(answer.headers["retry-after"], nowMillis));
  return addresses.map(() => refusal);
}

/** Whether a claim names this address, in any spelling. */
function isFor({ address }: Record<string, unknown>, wanted: string): boolean {
  return typeof address === "string" && comparedAddress(address) === comparedAddress(wanted);
}

/** The form in which addresses are compared. */
export function comparedAddress(text: string): string {
  const address = parseAddress(text, { privateAllowed: true });
  return address === undefined ? text : `${address.prefix}@${comparedDomain(address.domain)}`;
}

function readClaim(claim: Record<string, unknown>, size: PackageSize): ClaimOutcome {
  const { key_package: text, error, last_resort: lastResort } = claim;
  if (typeof text !== "string") return readRefusal(claim, error);
  const bytes = decodeBase64(text);
  if (bytes === undefined || bytes.length < size.keyPackageMinBytes || bytes.length > size.keyPackageMaxBytes)
    return unavailable(null);
  return { keyPackage: Buffer.from(bytes), lastResort: lastResort === true };
}

function readRefusal(claim: Record<string, unknown>, error: unknown): RelayError {
  const id = passedOn.find((one) => errorCatalogue[one].error === error);
  if (id === undefined) return unavailable(isCount(claim["retry_after"]) ? claim["retry_after"] : null);
  const { limit, reset_at: resetAt, retry_after: retryAfter } = claim;
  if (id !== "RATE_LIMIT_EXCEEDED") return new RelayError(id, "the other relay has no package for this address");
  if (!isCount(limit) || !isCount(retryAfter) || (resetAt !== null && !isCount(resetAt)))
    return unavailable(isCount(retryAfter) ? retryAfter : null);
  return new RelayError(id, "a limit of the other relay is used up", {
    extras: { limit, reset_at: resetAt, retry_after: Math.max(1, retryAfter) },
  });
}

function unavailable(askedSeconds: number | null): RelayError {
  const seconds = Math.min(longestRetrySeconds, Math.max(1, askedSeconds ?? retrySeconds));
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
