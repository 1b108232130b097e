import { invalidToken } from "../auth/tokens.js";
import { RelayError } from "../protocol/errors.js";
import { mebibyte } from "../protocol/units.js";
import type { SlotSettings } from "./config.js";
import type { Slot, SlotReading } from "./types.js";

/** Slots of this relay are read without a token, by everybody who knows the name. Those of another relay are read for a device only. Throws INVALID_TOKEN. */
export function demandDevice(deviceId: string | undefined): string {
  if (deviceId === undefined) throw invalidToken("reading a commit slot of another relay needs a device's token");
  return deviceId;
}

// Many slots in one request. The contract names these numbers, too.
const slotsPerReading = 100;
/** Each is a call to the peer. */
const peerSlotsPerReading = 16;

/** How much content an answer has; more is left out. */
export const readingBytes = 4 * mebibyte;

/** How many slots a request may read, of this relay and of another one: what their limits allow at all, so that waiting helps. */
export function slotsPerReadingOf(
  config: Pick<SlotSettings, "slotReadsPerIpHour" | "peerSlotReadsPerMinute" | "peerSlotReserved">,
): Record<"own" | "ofPeers", number> {
  return {
    own: Math.min(slotsPerReading, config.slotReadsPerIpHour),
    ofPeers: Math.min(peerSlotsPerReading, config.peerSlotReadsPerMinute, config.peerSlotReserved),
  };
}

/** Room for the content of one answer. The first content always fits, so that asking again always gets further. */
export function createRoom(bytes: number): { takes(bytes: number): boolean } {
  let used = 0;
  return {
    takes(wanted) {
      if (used > 0 && used + wanted > bytes) return false;
      used += wanted;
      return true;
    },
  };
}

/** A slot that nothing has taken, or whose content has expired, is no failure of a request that reads many. */
export async function readingOf(read: () => Slot | Promise<Slot>): Promise<SlotReading> {
  try {
    return { kind: "taken", ...(await read()) };
  } catch (refusal) {
    if (refusal instanceof RelayError && refusal.id === "NOT_FOUND") return { kind: "free" };
    if (refusal instanceof RelayError && refusal.id === "SLOT_EXPIRED") return { kind: "expired" };
    throw refusal;
  }
}
