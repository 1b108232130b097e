import type { Knex } from "knex";
import type { ServerSettings } from "../settings/service.js";
import { type Allowance, allowanceOf, refuseZero, type WindowRules } from "./allowances.js";
import type { Refused } from "./envelope.js";
import { findMembers, findRecipients } from "./intake-store.js";
import { type Item, isRemote, senderOf } from "./item.js";

/** What holds for all items of a flush. */
export interface Context {
  now: number;
  settings: ServerSettings;
  rules: WindowRules;
  /** What each sender of this server may send. */
  allowances: ReadonlyMap<string, Allowance>;
}

export type Frame = Omit<Context, "allowances">;

/** Finds the recipients of items and what their senders may do. Two reads for all of them, without locks. */
export async function lookUp(db: Knex, items: readonly Item[], frame: Frame): Promise<Context> {
  const { now, settings } = frame;
  const prefixes = unique(items.filter((item) => !isRemote(item)).map((item) => item.envelope.recipient));
  const devices = prefixes.length === 0 ? new Map<string, string>() : await findRecipients(db, { prefixes, now });
  const senders = unique(items.map(senderOf).filter((id) => id !== undefined));
  const ids = unique([...senders, ...devices.values()]);
  const members = ids.length === 0 ? new Map() : await findMembers(db, ids);
  for (const item of items) {
    item.outcome = undefined;
    item.recipient = isRemote(item) ? undefined : members.get(devices.get(item.envelope.recipient) ?? "");
  }
  const known = senders.filter((id) => members.has(id));
  return { ...frame, allowances: new Map(known.map((id) => [id, allowanceOf(members.get(id), { now, settings })])) };
}

/** Refuses what nothing else can change: senders that are gone or may send nothing, and what no peer would be sent. */
export function refuseEarly(
  items: readonly Item[],
  { allowances, rules }: Context,
  { federates }: { federates: boolean },
): void {
  for (const item of items) {
    const sender = senderOf(item);
    const allowance = sender === undefined ? undefined : allowances.get(sender);
    if (sender !== undefined && allowance === undefined) item.outcome = deviceGone;
    else if (allowance?.limit === 0) item.outcome = refuseZero(allowance, rules);
    else if (isRemote(item) && !federates) item.outcome = noFederation;
  }
}

/** Each value once, in order of first occurrence. */
export function unique<T>(values: Iterable<T>): T[] {
  return [...new Set(values)];
}

const deviceGone: Refused = { error: "INVALID_TOKEN", message: "the device of this token is not registered any more" };
const noFederation: Refused = {
  error: "FEDERATION_DISABLED",
  message: "this server exchanges no messages with other servers",
};
