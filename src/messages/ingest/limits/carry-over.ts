import { hasCustomLimit, isBarred } from "../../../protocol/trust-tier.js";

// Carry-over: what a device left unused of its limit may be sent in its next window, up to
// `rate_limiting.burst_allowance` (10 messages). A New device that sent 3 of its 10 messages may send 17 in the next
// window. Only limits of tiers carry over; custom limits do not.

export interface CarryOver {
  /** The limit from which the next window carries over: 0 for custom limits and if there is no limit. */
  windowLimit: number;
  /** The maximum number of messages that this window may take over from the previous one. */
  maxCarried: number;
}

type LimitedDevice = Parameters<typeof hasCustomLimit>[0] & Parameters<typeof isBarred>[0];

export function carryOverOf(device: LimitedDevice, limit: number | null, burstAllowance: number): CarryOver {
  const isTierLimit = limit !== null && !isBarred(device) && !hasCustomLimit(device);
  return { windowLimit: isTierLimit ? limit : 0, maxCarried: isTierLimit ? burstAllowance : 0 };
}

/**
 * The messages that a window takes over, as SQL: `w` is the window before the change, `d` the request, and `o.over`
 * says whether the window has ended. An ended window in which nothing counts passes on what it took over.
 */
export const carriedOver = `
           case when d.sends = 0 then w.carry
                when o.over and w.count > 0
                then least(d.max_carried, greatest(0, w.window_limit + w.carry - w.count))::integer
                else least(d.max_carried, w.carry)
           end`;
