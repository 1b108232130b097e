import type { LRUCache } from "lru-cache";
import type { Pipeline } from "../../database/db.js";
import { placeKey } from "../../database/key-placement.js";
import { together } from "../../database/pipelines.js";
import type { Placement } from "../../database/placement.js";
import type { ServerSettings } from "../../settings/service.js";
import { type DeviceProfile, findDeviceProfiles, findRecipients } from "../model/read-model.js";
import { type Allowance, allowanceOf, type SenderContext } from "./limits/hourly-limit.js";
import { type Item, isRemote, senderOf, unique } from "./model/item.js";
import { refuseWholeMessages, unreachableRows } from "./unreachable.js";

/** The values that hold for all items of a flush. */
export interface Context extends SenderContext {
  now: number;
  settings: ServerSettings;
}

/**
 * What was found last: device ids by the prefixes at which they were found, and profiles by device. It saves round
 * trips but decides nothing: everything is read again before anything is stored.
 */
export interface Remembered {
  holders: LRUCache<string, string>;
  profiles: LRUCache<string, DeviceProfile>;
}

interface LookUpDeps {
  known: Omit<Context, "allowances">;
  remembered: Remembered;
}

interface Found {
  /** Device ids by prefix. */
  holders: ReadonlyMap<string, string>;
  profiles: ReadonlyMap<string, DeviceProfile>;
}

/**
 * Finds the recipients of items and the allowances of their senders with two lock-free reads that are sent together: of
 * the holders of the addresses, and of the devices that probably are these holders. Devices that were not guessed are
 * read afterwards. Items whose recipients cannot be read are refused.
 */
export async function lookUp(
  db: Pipeline,
  items: readonly Item[],
  { known, remembered, placement }: LookUpDeps & { placement: Pick<Placement, "isDown" | "someAreDown"> },
): Promise<Context> {
  const isDown = (id: string): boolean => placement.isDown("device", id);
  const prefixes = prefixesOf(items);
  const guessed = prefixes.map((prefix) => remembered.holders.get(prefix)).filter((id) => id !== undefined);
  const read = new Set([...sendersOf(items), ...guessed].filter((id) => !isDown(id)));
  const { holders, profiles } = await readAll(db, { prefixes, ids: [...read], now: known.now });
  const missing = unique([...holders.values()].filter((id) => !read.has(id) && !isDown(id)));
  const more = missing.length === 0 ? [] : await findDeviceProfiles(db, missing);
  const found = { holders, profiles: new Map([...profiles, ...more]) };
  for (const [prefix, id] of found.holders) remembered.holders.set(prefix, id);
  for (const [id, profile] of found.profiles) remembered.profiles.set(id, profile);
  const context = contextOf(items, found, known);
  if (placement.someAreDown()) refuseUnreachable(items, found, isDown);
  return context;
}

function refuseUnreachable(items: readonly Item[], { holders }: Found, isDown: (id: string) => boolean): void {
  for (const item of items) {
    const holder = isRemote(item) ? undefined : holders.get(item.envelope.recipient);
    if (holder !== undefined && isDown(holder)) item.outcome = unreachableRows;
  }
  refuseWholeMessages(items);
}

/** A context from memory, and what it relies on. */
interface Recalled {
  context: Context;
  found: Found;
}

/** The same from memory alone; undefined if a recipient or a sender is not remembered. */
export function recall(items: readonly Item[], { known, remembered }: LookUpDeps): Recalled | undefined {
  const [holders, profiles] = [new Map<string, string>(), new Map<string, DeviceProfile>()];
  for (const prefix of prefixesOf(items)) {
    const id = remembered.holders.get(prefix);
    if (id === undefined) return undefined;
    holders.set(prefix, id);
  }
  for (const id of [...sendersOf(items), ...holders.values()]) {
    const profile = remembered.profiles.get(id);
    if (profile === undefined) return undefined;
    profiles.set(id, profile);
  }
  const found = { holders, profiles };
  return { context: contextOf(items, found, known), found };
}

/** Reads whether what was recalled still holds; forgets what does not. */
export async function confirmRecalled(
  db: Pipeline,
  { found: { holders, profiles }, context }: Recalled,
  remembered: Remembered,
): Promise<boolean> {
  const [prefixes, ids] = [[...holders.keys()], [...profiles.keys()]];
  const now = await readAll(db, { prefixes, ids, now: context.now });
  const moved = prefixes.filter((prefix) => now.holders.get(prefix) !== holders.get(prefix));
  const changed = ids.filter((id) => !areEqual(now.profiles.get(id), profiles.get(id)));
  for (const prefix of moved) remembered.holders.delete(prefix);
  for (const id of changed) remembered.profiles.delete(id);
  return moved.length === 0 && changed.length === 0;
}

async function readAll(
  db: Pipeline,
  { prefixes, ids, now }: { prefixes: readonly string[]; ids: readonly string[]; now: number },
): Promise<Found> {
  const [holders, profiles] = await together([
    prefixes.length === 0 ? Promise.resolve(new Map<string, string>()) : findRecipients(db, { prefixes, now }),
    ids.length === 0 ? Promise.resolve(new Map<string, DeviceProfile>()) : findDeviceProfiles(db, ids),
  ]);
  return { holders, profiles };
}

function contextOf(items: readonly Item[], { holders, profiles }: Found, known: Omit<Context, "allowances">): Context {
  for (const item of items) {
    item.outcome = undefined;
    item.recipient = isRemote(item) ? undefined : profiles.get(holders.get(item.envelope.recipient) ?? "");
    if (item.recipient !== undefined) item.key = placeKey(item.key, item.recipient.device_id);
  }
  const allowances = new Map<string, Allowance>();
  for (const id of sendersOf(items)) {
    const profile = profiles.get(id);
    if (profile !== undefined) allowances.set(id, allowanceOf(profile, known));
  }
  return { ...known, allowances };
}

function prefixesOf(items: readonly Item[]): string[] {
  return unique(items.filter((item) => !isRemote(item)).map((item) => item.envelope.recipient));
}

function sendersOf(items: readonly Item[]): string[] {
  return unique(items.map(senderOf).filter((id) => id !== undefined));
}

function areEqual(one: DeviceProfile | undefined, other: DeviceProfile | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return (Object.keys(one) as (keyof DeviceProfile)[]).every((name) => one[name] === other[name]);
}
