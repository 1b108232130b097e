// The poll token of a provisioning address: only its holder gets the blob.

import { createHash, timingSafeEqual } from "node:crypto";
import type { Random } from "../platform/random.js";
import { RelayError } from "../protocol/errors.js";
import type { Address } from "./store.js";

const pollTokenBytes = 32;

export function newPollToken(random: Pick<Random, "bytes">): Uint8Array {
  return random.bytes(pollTokenBytes);
}

/** Throws UNAUTHORIZED. */
export function demandPollToken({ pollTokenHash }: Pick<Address, "pollTokenHash">, pollToken: Uint8Array): void {
  if (!timingSafeEqual(hashOf(pollToken), pollTokenHash))
    throw new RelayError("UNAUTHORIZED", "the poll token does not belong to the address");
}

/** A plain hash is enough: nobody can guess random bytes. */
export function hashOf(random: Uint8Array): Buffer {
  return createHash("sha256").update(random).digest();
}
