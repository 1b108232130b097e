import type { ErrorName } from "../../../generated/errors.js";
import { decodeBase64, encodeHex } from "../../protocol/encodings.js";
import type { CallOptions, Schemas } from "../connection/calls.js";
import type { DeviceClient } from "../device/client.js";
import { demandAddress, demandArray, demandBytes, demandClient, demandOptions, ifGiven } from "../runtime/arguments.js";
import { demandParsed } from "../runtime/json-shape.js";

export interface ClaimOptions extends CallOptions {
  /**
   * 32 secret random bytes; new ones by default. Store them before the call, and pass them again after a crash or a lost answer: the
   * same packages come for a day.
   */
  claimId?: Uint8Array | undefined;
}

/** What a claim got for one address. */
export type ClaimedKeyPackage =
  | {
      address: string;
      keyPackage: Uint8Array;
      /** The relay may give the same package to others. */
      isLastResort: boolean;
    }
  | {
      address: string;
      /** Why there is none. After `PEER_UNAVAILABLE`, repeat the claim with the same id. */
      error: ErrorName;
      retryAfterSeconds: number | undefined;
    };

/** Maximum number of addresses in a request, and of other relays among them (specification of the operation). */
const maxAddresses = 100;
const maxRelays = 16;
const maxAddressesInAll = 10_000;
const idBytes = 32;

/**
 * Claims a key package for each of these addresses, which may be of several relays, to add their owners to a group. The outcomes are in
 * the order of the addresses. Several requests are sent if there are more than 100 addresses, or more than 16 relays.
 */
export async function claimKeyPackages(
  device: DeviceClient,
  addresses: readonly string[],
  { claimId, ...options }: ClaimOptions = {},
): Promise<ClaimedKeyPackage[]> {
  demandClient(device, "device");
  demandOptions(options, "options");
  demandArray(addresses, { what: "addresses", max: maxAddressesInAll }, demandAddress);
  ifGiven(claimId, (id) => demandBytes(id, "claimId", idBytes));
  const id = encodeHex(claimId ?? device.connection.runtime.randomBytes(idBytes));
  const claimed: ClaimedKeyPackage[] = [];
  for (const part of partsOf(addresses)) {
    const body = { claim_id: id, addresses: part };
    const { claims } = await device.call("claimKeyPackages", { ...options, body });
    claimed.push(...claims.map(readClaim));
  }
  return claimed;
}

/** Cuts the addresses, in order, into what single requests may have. */
function partsOf(addresses: readonly string[]): string[][] {
  const parts: string[][] = [];
  let relays = new Set<string>();
  for (const address of addresses) {
    const relay = address.slice(address.indexOf("@") + 1).toLowerCase();
    const part = parts.at(-1);
    const fits = part !== undefined && part.length < maxAddresses && (relays.has(relay) || relays.size < maxRelays);
    if (fits) part.push(address);
    else {
      parts.push([address]);
      relays = new Set();
    }
    relays.add(relay);
  }
  return parts;
}

function readClaim(claim: Schemas["ClaimedKeyPackage"]): ClaimedKeyPackage {
  const { address, key_package: text, error = "NO_KEY_PACKAGES", retry_after: retryAfterSeconds } = claim;
  if (text === undefined) return { address, error, retryAfterSeconds };
  const keyPackage = demandParsed(text, decodeBase64, "the key package");
  return { address, keyPackage, isLastResort: claim.last_resort ?? false };
}
