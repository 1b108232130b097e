// Attempts of an epoch's commit slot, as a member takes them whose library was changed.

import { epochKeysOf, sealEnvelope } from "../../../src/client/index.js";
import { commitSlotKey, type TakingKey } from "../../../src/client/slots/slot-names.js";
import type { SlotRelay } from "../../../src/client/slots/slot-receipts.js";
import { takenInTurn } from "../../../src/client/slots/user-attempts.js";
import { tsMls } from "../../../src/groups/index.js";
import { takersOf } from "../../../src/groups/mls/commit-replacement.js";
import { groupContextType, readGroupContext } from "../../../src/groups/mls/group-context.js";
import { decodeBase64, encodeBase64, encodeHex } from "../../../src/protocol/encodings.js";
import type { Mallory } from "./mallory.js";

const mls = tsMls();

export type Attacker = Pick<Mallory, "carrier" | "state" | "secrets">;

export function contextOf(state: unknown) {
  const context = readGroupContext(mls.view(state).extension(groupContextType));
  if (context === undefined) throw new Error("there is no context");
  return context;
}

export async function take(
  carrier: Mallory["carrier"],
  { state, bytes, attempt }: { state: unknown; bytes: Uint8Array; attempt: number },
): Promise<boolean> {
  const content = sealEnvelope(await epochKeysOf(mls.exporterOf(state)), bytes);
  return takeOpen({ carrier, state }, content, attempt);
}

/** Puts content into an attempt that anybody in the group can take. */
export async function takeOpen(
  { carrier, state }: Pick<Mallory, "carrier" | "state">,
  content: Uint8Array,
  attempt: number,
) {
  const { slots } = contextOf(state);
  const key = await commitSlotKey(slots, { exporter: mls.exporterOf(state), attempt });
  return (await put(carrier, slots, key, content)).won;
}

function put({ device }: Mallory["carrier"], { slotKey }: SlotRelay, { slot, sign }: TakingKey, content: Uint8Array) {
  const body = { content: encodeBase64(content), slot_key: encodeHex(slotKey), ...sign(content) };
  return device.call("takeSlot", { path: { slot }, body });
}

/** Puts content into an attempt that each user can take once. `before`: the users who have taken those before it. */
export async function takeInTurn({ carrier, state, secrets }: Attacker, content: Uint8Array, before: number[] = []) {
  const { slots } = contextOf(state);
  const takers = { users: () => takersOf(mls.view(state)), secretKey: secrets.deviceSecret };
  const next = (await takenInTurn(slots, mls.exporterOf(state), takers)).attempt(2 + before.length, before);
  return next?.key && { taken: await put(carrier, slots, next.key, content), ...next };
}

/** Puts content into the first attempt after the commit's own that the attacker can take. */
export async function takeNext(attacker: Attacker, content: Uint8Array): Promise<void> {
  if (await takeOpen(attacker, content, 1)) return;
  const before: number[] = [];
  for (;;) {
    const next = await takeInTurn(attacker, content, before);
    if (next === undefined) throw new Error("the attacker has had their attempt");
    if (next.taken.won) return;
    const taken = decodeBase64(next.taken.content ?? "") as Uint8Array;
    before.push(next.takenBy(next.taken.taker, taken) as number);
  }
}
