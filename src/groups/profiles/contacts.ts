// Who is a contact: somebody whom the user knows from more than a group of both. contact-names.ts, which is loaded later, names them.

import { directChatWith } from "../membership/direct-chats.js";
import type { Membership } from "../membership/membership.js";
import type { DeviceCore } from "../sending/device-core.js";

/** Whether the user has named or verified somebody, or has a direct chat with them. Users are contacts of themselves; nobody who is blocked is one. */
export function isContact(
  { ledger: { people }, account, users }: DeviceCore,
  memberships: ReadonlyMap<string, Membership>,
  user: string,
): boolean {
  if (people.blocked.has(user)) return false;
  const isKnown = user === account.user || people.called.has(user) || users.isVerified(user);
  return isKnown || directChatWith(memberships.values(), user) !== undefined;
}
