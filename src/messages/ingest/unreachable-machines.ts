import type { Placement } from "../../database/placement.js";
import type { Refused } from "../model/types.js";
import { noRefusals, type Refusals } from "./early-refusals.js";
import { isRemote, isUnknown, type LookedUp, type Parsed, senderOf } from "./model/stages.js";

// If rows are on several machines and one does not answer, the messages that need its rows fail: messages whose sender,
// recipient or address is on that machine, and messages whose keys would be stored there.

type Machines = Pick<Placement, "isDown" | "someAreDown">;

/** The recipient's device, and the place of its keys, are known only after its address has been looked up. */
export function unreachableBeforeLookUp(parsed: readonly Parsed[], placement: Machines): Refusals<Parsed> {
  return placement.someAreDown() ? refuse(parsed, (message) => needsMissing(message, placement)) : noRefusals;
}

/** The same for messages that have been looked up; `holders` are the recipients' device ids by prefix. */
export function unreachableAfterLookUp(
  messages: readonly LookedUp[],
  holders: ReadonlyMap<string, string>,
  placement: Machines,
): Refusals<LookedUp> {
  if (!placement.someAreDown()) return noRefusals;
  return refuse(messages, (message) => {
    const holder = isRemote(message) ? undefined : holders.get(message.envelope.recipient);
    if (holder !== undefined && placement.isDown("device", holder)) return true;
    return !isUnknown(message) && placement.isDown("key", keyBytes(message));
  });
}

/** Refuses the messages that meet the condition, and all envelopes of an all-or-nothing message if one of them does. */
function refuse<Message extends Parsed>(
  messages: readonly Message[],
  isUnreachable: (message: Message) => boolean,
): Refusals<Message> {
  const found = messages.filter(isUnreachable);
  if (found.length === 0) return noRefusals;
  const all = new Set(found);
  const whole = new Set(found.flatMap(({ toMany }) => (toMany?.allOrNothing ? [toMany] : [])));
  for (const message of messages) if (message.toMany !== undefined && whole.has(message.toMany)) all.add(message);
  return new Map([...all].map((message) => [message, unreachableRows]));
}

function needsMissing(message: Parsed, { isDown }: Pick<Placement, "isDown">): boolean {
  const sender = senderOf(message);
  if (sender !== undefined && isDown("device", sender)) return true;
  if (isRemote(message)) return isDown("key", keyBytes(message));
  return isDown("address", uuidBytes(message.envelope.recipient));
}

function keyBytes({ key }: Parsed): Uint8Array {
  return Buffer.from(key, "latin1");
}

function uuidBytes(uuid: string): Uint8Array {
  return Buffer.from(uuid.replaceAll("-", ""), "hex");
}

/** With the Retry-After of its error. */
const unreachableRows: Refused = {
  error: "DATABASE_UNAVAILABLE",
  message: "a part of the database does not answer; sending the message again does no harm",
};
