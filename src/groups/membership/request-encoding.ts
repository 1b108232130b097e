// The encoding of a request to be added. A member that has lost the group uses the door of the last epoch that it knows; its key package names the
// leaf that it replaces, with that leaf's signature key.

import { sha256 } from "@noble/hashes/sha2.js";
import { decodeBase64, encodeBase64, encodeHex, utf8 } from "../../protocol/encodings.js";

/** A request to be added. */
export interface JoinRequest {
  keyPackage: Uint8Array;
  /** The epoch of the group that the device knows, if it was a member. */
  epoch?: number;
  /** A signature by the private key of an invitation, in hex. */
  signature?: string;
}

interface Asked {
  group: string;
  to: readonly string[];
  by:
    | {
        door: Uint8Array;
        /** The leaf that this device replaces, or the signature by the user's recovery key. */
        replaces: Uint8Array;
        /** What the key package is for, if the device does not know the group. */
        asked?: { group: string; name: string };
      }
    | {
        invitation: string;
        /** Of the group, by the link. */
        name: string;
        secret: Uint8Array;
        /** The epoch that it knows. */
        epoch?: number | undefined;
      };
}

/** Asks members to be added. */
export type Ask = (request: Asked) => Promise<void>;

/** The text that an invitation's private key signs: members and former members, who know only the public key, cannot use the invitation. */
export function invitedText(
  { group, invitation }: { group: string; invitation: string },
  keyPackage: Uint8Array,
): Uint8Array {
  return utf8(`mls-relay groups invitation\n${group}\n${invitation}\n${encodeHex(sha256(keyPackage))}\n`);
}

export function encodeRequest({ keyPackage, epoch, signature }: JoinRequest): Uint8Array {
  return utf8(JSON.stringify({ type: "join", key_package: encodeBase64(keyPackage), epoch, signature }));
}

export function readRequest(bytes: Uint8Array): JoinRequest | undefined {
  try {
    const { type, key_package: text, epoch, signature } = JSON.parse(new TextDecoder().decode(bytes));
    const keyPackage = typeof text === "string" ? decodeBase64(text) : undefined;
    if (type !== "join" || keyPackage === undefined) return undefined;
    return {
      keyPackage: Uint8Array.from(keyPackage),
      ...(Number.isSafeInteger(epoch) && { epoch }),
      ...(typeof signature === "string" && { signature }),
    };
  } catch {
    return undefined;
  }
}
