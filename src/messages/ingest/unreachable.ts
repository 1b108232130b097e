import type { Shards } from "../../platform/cluster/shards.js";
import type { Refused } from "../types.js";
import { type Item, isRemote, isUnknown, senderOf } from "./item.js";
import { type KeyRules, placesOf } from "./key-rules.js";
import { placedForm } from "./message-key.js";

// Where the database is distributed, a machine that does not answer costs the messages that need its rows: those of senders
// and recipients in its shards, to addresses in them, and those whose keys would be stored there.

/** Refuses items that need rows of a machine that does not answer, and returns the others. */
export function refuseUnreachable(
  items: readonly Item[],
  shards: Pick<Shards, "isDown" | "someAreDown">,
): readonly Item[] {
  if (!shards.someAreDown()) return items;
  const unreachable = items.filter((item) => needsMissing(item, shards));
  if (unreachable.length === 0) return items;
  for (const item of unreachable) item.outcome = unreachableRows;
  refuseWholeMessages(items);
  return items.filter(({ outcome }) => outcome !== unreachableRows);
}

/** Refuses all items of an all-or-nothing message of which one is unreachable. */
export function refuseWholeMessages(items: readonly Item[]): void {
  const unreachable = items.filter(({ outcome }) => outcome === unreachableRows);
  const whole = new Set(unreachable.flatMap(({ toMany }) => (toMany?.allOrNothing ? [toMany] : [])));
  if (whole.size === 0) return;
  for (const item of items) if (item.toMany !== undefined && whole.has(item.toMany)) item.outcome = unreachableRows;
}

/** The recipient's device, and where its keys lie, are known only once its address has been looked up. */
function needsMissing(item: Item, { isDown }: Pick<Shards, "isDown">): boolean {
  const sender = senderOf(item);
  if (sender !== undefined && isDown("device", sender)) return true;
  return isRemote(item)
    ? isDown("hash", Buffer.from(placedForm(item.key), "latin1"))
    : isDown("address", uuidBytes(item.envelope.recipient));
}

/** The same for items whose recipients have been looked up, as far as their keys are concerned, in all forms. */
export function refuseUnreachableKeys(
  items: readonly Item[],
  rules: KeyRules,
  shards: Pick<Shards, "isDown" | "someAreDown">,
): void {
  if (!shards.someAreDown()) return;
  const unreachable = items.filter((item) => !isUnknown(item) && isKeyDown(item, rules, shards));
  for (const item of unreachable) item.outcome = unreachableRows;
  if (unreachable.length > 0) refuseWholeMessages(items);
}

function isKeyDown({ key }: Item, rules: KeyRules, { isDown }: Pick<Shards, "isDown">): boolean {
  const { apart, soughtApart } = placesOf([key], rules);
  return [...apart, ...soughtApart].some((form) => isDown("hash", Buffer.from(form, "latin1")));
}

function uuidBytes(uuid: string): Uint8Array {
  return Buffer.from(uuid.replaceAll("-", ""), "hex");
}

/** Comes with the Retry-After of its error. */
export const unreachableRows: Refused = {
  error: "DATABASE_UNAVAILABLE",
  message: "a part of the database does not answer; sending the message again does no harm",
};
