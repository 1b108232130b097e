// When the user's recovery key ends.

import type { Account } from "../store/records.js";
import type { DeviceMessage } from "./device-messages.js";

/**
 * The key ends when a device is unlinked, because anyone who has that device may have made the key, or seen it. With `publicKey`, another device has
 * ended this one, and a newer key stays. Returns what all other devices are told: the unlinked one may have made the key when one of them had not heard
 * yet that it was unlinked, and another one may have heard of the key later than of that. Undefined if no key ends.
 */
export function endOfRecoveryKey(
  { recovery }: Pick<Account, "recovery">,
  publicKey?: string,
): DeviceMessage | undefined {
  const present = recovery?.publicKey;
  if (present === undefined || (publicKey ?? present) !== present) return undefined;
  return { type: "recoveryEnded", publicKey: present };
}
