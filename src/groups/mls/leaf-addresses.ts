// Which address the leaf of a device may claim.

import { readIdentity } from "./members.js";
import type { GroupView, SignedCommit } from "./mls.js";

/** Whether no new leaf claims an address that another leaf has: what is sent to one member would go to another. */
export function leavesAddressesAlone(view: GroupView, { committer, proposals, leaf }: SignedCommit): boolean {
  const removed = proposals.flatMap((one) => (one.kind === "remove" ? [one.leaf] : []));
  const addressesOf = (leaves: readonly { identity: Uint8Array }[]) =>
    leaves.flatMap(({ identity }) => mailboxOf(readIdentity(identity)?.address ?? "") || []);
  const present = view.leaves.filter(({ index }) => !removed.includes(index));
  const kept = addressesOf(present.filter(({ index }) => leaf === undefined || index !== committer));
  const claimed = addressesOf([
    ...(leaf ? [leaf] : []),
    ...proposals.flatMap((one) => (one.kind === "add" ? [one] : [])),
  ]);
  return new Set(claimed).size === claimed.length && !claimed.some((address) => kept.includes(address));
}

/** The same for all spellings of an address: of its prefix with and without hyphens, of its domain in capitals, with a dot at its end, and with a port. */
function mailboxOf(address: string): string {
  const [prefix = "", domain = ""] = address.toLowerCase().split("@");
  return address && `${prefix.replaceAll("-", "")}@${domain.replace(/\.?(:[0-9]*)?$/, "")}`;
}
