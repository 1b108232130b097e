import { randomBytes, randomInt, randomUUID } from "node:crypto";

/** Source of randomness, passed in so that tests can replace it. */
export interface Random {
  /** Bytes suitable for keys and tokens. */
  bytes(length: number): Uint8Array;
  /** A UUID of version 4 (RFC 9562). */
  uuid(): string;
  /** A number in [0, 1), for jitter. */
  fraction(): number;
}

const fractionSteps = 2 ** 47;

/** The operating system's generator. */
export function createSystemRandom(): Random {
  return {
    bytes: (length) => new Uint8Array(randomBytes(length)),
    uuid: () => randomUUID(),
    fraction: () => randomInt(fractionSteps) / fractionSteps,
  };
}
