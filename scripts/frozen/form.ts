import { createHash } from "node:crypto";
import type { Random } from "../../src/platform/random.js";

/** A text or bytes that is signed or stored, of which a release fixes a sample. */
export interface Form {
  /** Says what it is; a release names the sample by it, so it is never renamed. */
  name: string;
  /**
   * The sample as this version writes it, of constant input and constant randomness: text, or bytes in base64. A form that
   * is only read any more has none.
   */
  write?: () => string | Promise<string>;
  /** The same for a sample whose bytes differ each time, or with a library's version: it is written for a release, then only read. */
  record?: () => Promise<string>;
  /** What this version reads from a sample. A text that is only signed has none. */
  read?: (sample: string) => unknown;
}

/** 32 constant bytes, other ones for each name. */
export function constantBytes(name: string): Uint8Array {
  return new Uint8Array(createHash("sha256").update(name).digest());
}

/** Constant "randomness", the same for each call of this function. */
export function constantRandom(name: string): Random {
  let calls = 0;
  const next = (length: number): Uint8Array =>
    new Uint8Array(createHash("shake256", { outputLength: length }).update(`${name} ${calls++}`).digest());
  return {
    bytes: next,
    uuid: () => {
      const hex = Buffer.from(next(16)).toString("hex");
      return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join(
        "-",
      );
    },
    fraction: () => 0.5,
  };
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}

export function bytesOf(sample: string): Buffer {
  return Buffer.from(sample, "base64");
}
