import { RelayError } from "../protocol/errors.js";
import type { SlotKey } from "./receipt.js";

/** A request names the slot key that its group trusts. After a restore the relay has another one. Throws SLOTS_RESTARTED. */
export function demandPresentKey(present: SlotKey, named: Uint8Array): void {
  if (present.sameAs(named)) return;
  throw new RelayError(
    "SLOTS_RESTARTED",
    "this relay has another slot key, which its discovery document names; the group continues as a new group",
  );
}
