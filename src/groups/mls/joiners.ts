import type { Joiner } from "./changes.js";
import { isSigned, readIdentity } from "./members.js";
import type { Mls } from "./mls.js";

/** Whom a key package adds; undefined if its identity does not have the form of this package, or its user has not signed it. */
export async function joinerOf(
  mls: Mls,
  keyPackage: Uint8Array,
): Promise<(Joiner & { user: string; name: string }) | undefined> {
  try {
    const { identity, initKey, signatureKey } = await mls.readKeyPackage(keyPackage);
    const read = readIdentity(identity);
    if (read === undefined || !isSigned(read, signatureKey)) return undefined;
    const { address, device, user, name } = read;
    return { address, device, keyPackage, initKey, user, name };
  } catch {
    return undefined;
  }
}
