// The keys of one user, in the order in which they have followed each other. The first stays the user's name, so that roles, contacts and bans hold on; the last
// signs the user's devices. So a device that was lost with an earlier key can sign nothing that counts where the last one is known.

import { deviceKeysOf, signCiphertext } from "../../client/index.js";
import { encodeHex, utf8 } from "../../protocol/encodings.js";

/** A key that follows another one. */
export interface Successor {
  /** Ed25519, in hex. */
  key: string;
  /** Of all keys up to this one, by the one before it, in hex. */
  signature: string;
}

export interface UserKeys {
  /** The first key. */
  user: string;
  successors: readonly Successor[];
}

/** Each leaf of the user has all of them, and everybody who reads it checks them. */
const maxSuccessors = 32;

export function keysOf({ user, successors }: UserKeys): string[] {
  return [user, ...successors.map(({ key }) => key)];
}

/** The key that signs the user's devices. */
export function lastKeyOf(keys: UserKeys): string {
  return keysOf(keys).at(-1) as string;
}

/** What a key signs that hands over to the last of these. */
export function successorText(keys: readonly string[]): Uint8Array {
  return utf8(`mls-relay user successor\n${keys.join("\n")}`);
}

/** Replaces the last key, with whose secret key it is signed, by another one. */
export function succeed(keys: UserKeys, { last, next }: { last: Uint8Array; next: Uint8Array }): Successor[] {
  const { successors } = keys;
  if (successors.length >= maxSuccessors)
    throw new RangeError(`a user's key is replaced at most ${maxSuccessors} times`);
  const key = encodeHex(deviceKeysOf(next).publicKey);
  const signature = encodeHex(signCiphertext(last, successorText([...keysOf(keys), key])));
  return [...successors, { key, signature }];
}

/** Undefined if it has another form. */
export function readSuccessors(value: unknown = []): Successor[] | undefined {
  if (!Array.isArray(value) || value.length > maxSuccessors) return undefined;
  const read = value.map((one) => Object(one) as Successor).map(({ key, signature }) => ({ key, signature }));
  const hasForm = ({ key, signature }: Successor) => isHex(key, 64) && isHex(signature, 128);
  return read.every(hasForm) ? read : undefined;
}

function isHex(value: unknown, length: number): boolean {
  return typeof value === "string" && value.length === length && /^[0-9a-f]+$/.test(value);
}

/**
 * Whether the devices of a user take these keys in place of those that they have. All take the same: two devices may have replaced the key at the same
 * time.
 */
export function areNewer(keys: readonly string[], than: readonly string[]): boolean {
  const at = than.findIndex((key, place) => keys[place] !== key);
  if (at < 0) return keys.length > than.length;
  return (keys[at] ?? "~") < (than[at] as string);
}

/** Whether keys are the beginning of others. */
export function areBefore(keys: readonly string[], later: readonly string[]): boolean {
  return keys.length < later.length && later.includes(keys.at(-1) as string);
}
