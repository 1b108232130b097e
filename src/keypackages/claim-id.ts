import { keyedHash } from "../auth/keyed-hash.js";
import { createMasterKey } from "../auth/master-key.js";
import type { Random } from "../platform/random.js";
import { comparedDomain } from "../protocol/address.js";
import { encodeHex } from "../protocol/encodings.js";
import type { Prefix } from "../protocol/identifiers.js";
import { daySeconds, hourSeconds } from "../protocol/units.js";

/** A package that a claim got for an address. */
export interface ClaimedPackage {
  keyPackage: Buffer;
  lastResort: boolean;
}

/** What a claim's id is needed for. The id itself is neither stored nor logged. */
export type ClaimId = ReturnType<typeof createClaimId>;

export interface ClaimAnswer {
  /** The name of the stored answer, 32 bytes. */
  name: Buffer;
  seal(taken: ClaimedPackage): Buffer;
  open(sealed: Buffer): ClaimedPackage;
}

/**
 * `claimant` is the device or the relay that claims: nobody else gets the stored answers, even with the same id. Names and keys are
 * keyed hashes under the id.
 */
export function createClaimId(id: Uint8Array, claimant: string, random: Random) {
  return {
    /** The claimant's id for another relay, in hex. It does not tell this one, nor those for third relays. */
    forRelay: (domain: string) => encodeHex(keyedHash(id, "claim at a relay", claimant, comparedDomain(domain))),
    /** The answer for one address of this relay, or for a device by its id. */
    answerFor(target: Prefix | { deviceId: string }): ClaimAnswer {
      const of = typeof target === "string" ? [target] : ["device", target.deviceId];
      const name = keyedHash(id, "name of an answer", claimant, ...of);
      const key = createMasterKey(keyedHash(id, "key of an answer", claimant, ...of), random);
      return {
        name,
        seal: ({ keyPackage, lastResort }) => key.seal(purpose, Buffer.concat([lastResort ? one : zero, keyPackage])),
        open(sealed) {
          const [flag, ...rest] = splitFlag(key.open(purpose, sealed));
          return { keyPackage: Buffer.concat(rest), lastResort: flag === 1 };
        },
      };
    },
  };
}

/** Until when an answer is kept: about a day. Rounded up, so that the times of a claim's rows do not tell which belong together. */
export function claimExpiry(now: number): number {
  return Math.ceil((now + daySeconds) / hourSeconds) * hourSeconds;
}

const purpose = "answer to a claim of key packages";
const [zero, one] = [Buffer.from([0]), Buffer.from([1])];

function splitFlag(plain: Uint8Array): [number, Uint8Array] {
  return [plain[0] ?? 0, plain.subarray(1)];
}
