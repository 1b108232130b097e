import type { LRUCache } from "lru-cache";
import type { Pipeline } from "../../platform/database/connection.js";
import { together } from "../../platform/database/pipelines.js";
import type { ServerSettings } from "../../settings/service.js";
import type { Refused } from "../types.js";
import type { EarlierKeys } from "./earlier-keys.js";
import { type Item, isRemote, senderOf } from "./item.js";
import { type Allowance, allowanceOf, refuseZero, type WindowRules } from "./rate-limit.js";
import { findMembers, findRecipients, type Member } from "./store.js";

/** What holds for all items of a flush. */
export interface Context {
  now: number;
  settings: ServerSettings;
  rules: WindowRules;
  earlierKeys: EarlierKeys;
  /** What each sender of this server may send. */
  allowances: ReadonlyMap<string, Allowance>;
}

export type Frame = Omit<Context, "allowances">;

/** Devices by the addresses they were last found at. A guess spares a way to the database and decides nothing. */
export type Guesses = LRUCache<string, string>;

/**
 * Finds the recipients of items and what their senders may do, by two reads without locks that are sent at once: of the
 * devices that are probably meant and of who has the addresses. What was guessed wrong is read after them.
 */
export async function lookUp(
  db: Pipeline,
  items: readonly Item[],
  { frame, guesses }: { frame: Frame; guesses: Guesses },
): Promise<Context> {
  const { now, settings } = frame;
  const prefixes = unique(items.filter((item) => !isRemote(item)).map((item) => item.envelope.recipient));
  const senders = unique(items.map(senderOf).filter((id) => id !== undefined));
  const guessed = prefixes.map((prefix) => guesses.get(prefix)).filter((id) => id !== undefined);
  const asked = new Set([...senders, ...guessed]);
  const [devices, members] = await together([
    prefixes.length === 0 ? Promise.resolve(new Map<string, string>()) : findRecipients(db, { prefixes, now }),
    asked.size === 0 ? Promise.resolve(new Map<string, Member>()) : findMembers(db, [...asked]),
  ]);
  for (const [prefix, id] of devices) guesses.set(prefix, id);
  const missing = unique([...devices.values()].filter((id) => !asked.has(id)));
  if (missing.length > 0) for (const [id, member] of await findMembers(db, missing)) members.set(id, member);
  for (const item of items) {
    item.outcome = undefined;
    item.recipient = isRemote(item) ? undefined : members.get(devices.get(item.envelope.recipient) ?? "");
  }
  const allowances = new Map<string, Allowance>();
  for (const id of senders) {
    const member = members.get(id);
    if (member !== undefined) allowances.set(id, allowanceOf(member, { now, settings }));
  }
  return { ...frame, allowances };
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
