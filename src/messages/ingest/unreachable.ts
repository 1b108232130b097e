import type { Placement } from "../../database/placement.js";
import type { Refused } from "../model/types.js";
import { type Item, isRemote, isUnknown, senderOf } from "./model/item.js";

// If rows are on several machines and one does not answer, the messages that need its rows fail: messages whose sender,
// recipient or address is on that machine, and messages whose keys would be stored there.

/** Refuses items that need rows of a machine that does not answer, and returns the others. */
export function refuseUnreachable(
  items: readonly Item[],
  placement: Pick<Placement, "isDown" | "someAreDown">,
): readonly Item[] {
  if (!placement.someAreDown()) return items;
  const unreachable = items.filter((item) => needsMissing(item, placement));
  if (unreachable.length === 0) return items;
  for (const item of unreachable) item.outcome = unreachableRows;
  refuseWholeMessages(items);
  return items.filter(({ outcome }) => outcome !== unreachableRows);
}

/** Refuses all items of an all-or-nothing message if one of them is unreachable. */
export function refuseWholeMessages(items: readonly Item[]): void {
  const unreachable = items.filter(({ outcome }) => outcome === unreachableRows);
  const whole = new Set(unreachable.flatMap(({ toMany }) => (toMany?.allOrNothing ? [toMany] : [])));
  if (whole.size === 0) return;
  for (const item of items) if (item.toMany !== undefined && whole.has(item.toMany)) item.outcome = unreachableRows;
}

/** The recipient's device, and the place of its keys, are known only after its address has been looked up. */
function needsMissing(item: Item, { isDown }: Pick<Placement, "isDown">): boolean {
  const sender = senderOf(item);
  if (sender !== undefined && isDown("device", sender)) return true;
  return isRemote(item) ? isDown("key", keyBytes(item)) : isDown("address", uuidBytes(item.envelope.recipient));
}

/** The same check of keys for items whose recipients have been looked up. */
export function refuseUnreachableKeys(
  items: readonly Item[],
  placement: Pick<Placement, "isDown" | "someAreDown">,
): void {
  if (!placement.someAreDown()) return;
  const unreachable = items.filter((item) => !isUnknown(item) && placement.isDown("key", keyBytes(item)));
  for (const item of unreachable) item.outcome = unreachableRows;
  if (unreachable.length > 0) refuseWholeMessages(items);
}

function keyBytes({ key }: Item): Uint8Array {
  return Buffer.from(key, "latin1");
}

function uuidBytes(uuid: string): Uint8Array {
  return Buffer.from(uuid.replaceAll("-", ""), "hex");
}

/** With the Retry-After of its error. */
export const unreachableRows: Refused = {
  error: "DATABASE_UNAVAILABLE",
  message: "a part of the database does not answer; sending the message again does no harm",
};
