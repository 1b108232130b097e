import { randomBytes, randomInt, randomUUID } from "node:crypto";

/** Source of randomness, passed in so that tests can replace it. */
export type Random = ReturnType<typeof createSystemRandom>;

const fractionSteps = 2 ** 47;

/** The operating system's generator. */
export function createSystemRandom() {
  return {
    /** Bytes suitable for keys and tokens. */
    bytes: (length: number): Uint8Array => new Uint8Array(randomBytes(length)),
    /** A UUID of version 4 (RFC 9562). */
    uuid: (): string => randomUUID(),
    /** A number in [0, 1), for jitter. */
    fraction: (): number => randomInt(fractionSteps) / fractionSteps,
  };
}
