import type { KeypackagesHandlers } from "../../generated/handlers.js";
import type { components } from "../../generated/openapi-types.js";
import { decodeHex, encodeBase64 } from "../protocol/encodings.js";
import { errorCatalogue, RelayError } from "../protocol/errors.js";
import type { ClaimOutcome, KeyPackagesService } from "./service.js";

/** Key packages on the wire. */
export function createKeyPackagesHandlers({ keyPackages }: { keyPackages: KeyPackagesService }): KeypackagesHandlers {
  return {
    async uploadKeyPackages(call) {
      const { body } = call;
      const request = {
        deviceId: body.device_id,
        keyPackages: body.key_packages,
        signature: body.signature,
        timestamp: body.timestamp,
        replace: body.replace,
        lastResortKeyPackage: body.last_resort_key_package,
        audience: body.audience,
        address: body.address,
      };
      const stored = await keyPackages.upload(call.principal.deviceId, request, call);
      return call.reply({
        status: 200,
        body: {
          device_id: body.device_id.toLowerCase(),
          uploaded_count: stored.uploaded,
          available_count: stored.available,
          expires_at: stored.expiresAt,
        },
      });
    },
    async fetchKeyPackage(call) {
      const { device_id: deviceId } = call.query;
      const { "x-claim-id": claimId } = call.headers;
      const wanted = { deviceId, claimId: claimId === undefined ? undefined : readId(claimId) };
      const fetched = await keyPackages.fetch(call.principal.deviceId, wanted, call);
      const { keyPackage, remaining, lastResort } = fetched;
      return call.reply({
        status: 200,
        headers: noStore,
        body: {
          device_id: deviceId.toLowerCase(),
          key_package: encodeBase64(keyPackage),
          remaining,
          ...(lastResort && { last_resort: true }),
        },
      });
    },
    async getKeyPackageStatus(call) {
      const status = await keyPackages.status(call.principal.deviceId, call.query.address);
      return call.reply({
        status: 200,
        body: {
          available_count: status.available,
          total_consumed: status.totalConsumed,
          next_expiry: status.nextExpiry,
          has_last_resort: status.hasLastResort,
        },
      });
    },
    async claimKeyPackages(call) {
      const { claim_id: id, addresses } = call.body;
      const request = { claimId: readId(id), addresses };
      const outcomes = await keyPackages.claims.claim(call.principal.deviceId, request, call);
      return call.reply({ status: 200, headers: noStore, body: showClaims(addresses, outcomes) });
    },
    async claimKeyPackagesForPeer(call) {
      const { body, headers, principal } = call;
      const { addresses } = body;
      const request = {
        caller: principal.domain,
        originHeader: headers["x-origin-server"],
        originServer: body.origin_server,
        claimId: readId(body.claim_id),
        addresses,
      };
      const outcomes = await keyPackages.claims.claimForPeer(request, call);
      return call.reply({ status: 200, headers: noStore, body: showClaims(addresses, outcomes) });
    },
  };
}

const noStore = { "Cache-Control": "no-store" } as const;

/** The contract has checked the form. */
function readId(text: string): Uint8Array {
  return decodeHex(text) ?? new Uint8Array();
}

function showClaims(
  addresses: readonly string[],
  outcomes: readonly ClaimOutcome[],
): components["schemas"]["ClaimedKeyPackages"] {
  return { claims: outcomes.map((outcome, i) => ({ address: addresses[i] ?? "", ...showOutcome(outcome) })) };
}

function showOutcome(outcome: ClaimOutcome) {
  if (!(outcome instanceof RelayError)) {
    const { keyPackage, lastResort } = outcome;
    return { key_package: encodeBase64(keyPackage), ...(lastResort && { last_resort: true }) };
  }
  const { error, code } = errorCatalogue[outcome.id];
  const { limit, reset_at: resetAt, retry_after: retryAfter } = outcome.extras;
  const wait = outcome.headers["Retry-After"];
  return {
    error,
    code,
    ...(typeof limit === "number" && { limit, reset_at: resetAt as number | null, retry_after: retryAfter as number }),
    ...(wait !== undefined && { retry_after: Number(wait) }),
  };
}
