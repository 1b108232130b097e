import type { Joiner } from "./changes.js";
import { isSigned, readIdentity } from "./members.js";
import type { Mls } from "./mls.js";
import { keysOf } from "./user-keys.js";

/** Whom a key package adds. */
export interface Added {
  added: Joiner;
  address: string;
  user: string;
  /** All keys of the user. */
  userKeys: string[];
  name: string;
  signatureKey: Uint8Array;
  replaces: Uint8Array | undefined;
}

/** Undefined if its identity does not have the form of this package, or its user has not signed it. */
export async function joinerOf(mls: Mls, keyPackage: Uint8Array): Promise<Added | undefined> {
  try {
    const { identity, initKey, signatureKey, replaces } = await mls.readKeyPackage(keyPackage);
    const read = readIdentity(identity);
    if (read === undefined || !isSigned(read, signatureKey)) return undefined;
    const { address, device, user, name } = read;
    const added = { address, device, keyPackage, initKey, user };
    return { added, address, user, userKeys: keysOf(read), name, signatureKey, replaces };
  } catch {
    return undefined;
  }
}
