import type { LRUCache } from "lru-cache";
import type { Shards } from "../../platform/cluster/shards.js";
import type { Pipeline } from "../../platform/database/connection.js";
import { together } from "../../platform/database/pipelines.js";
import type { ServerSettings } from "../../settings/service.js";
import { type DeviceProfile, findDeviceProfiles, findRecipients } from "../read-model.js";
import type { EarlierKeys } from "./deduplication.js";
import { type Item, isRemote, senderOf, unique } from "./item.js";
import { type Allowance, allowanceOf, type SenderContext } from "./rate-limit.js";
import { refuseWholeMessages, unreachableRows } from "./unreachable.js";

/** The values that hold for all items of a flush. */
export interface Context extends SenderContext {
  now: number;
  settings: ServerSettings;
  earlierKeys: EarlierKeys;
  /** Whether the database consists of several machines. */
  isDistributed: boolean;
}

/** Device ids by the prefixes at which they were last found. A guess saves a round trip and decides nothing. */
export type GuessedRecipients = LRUCache<string, string>;

/**
 * Finds the recipients of items and the allowances of their senders by two reads without locks that are sent at once: of
 * the holders of the addresses, and of the devices that probably are these holders. Devices that were not guessed are
 * read afterwards. Items whose recipients cannot be read are refused.
 */
export async function lookUp(
  db: Pipeline,
  items: readonly Item[],
  {
    known,
    guesses,
    shards,
  }: { known: Omit<Context, "allowances">; guesses: GuessedRecipients; shards: Pick<Shards, "isDown" | "someAreDown"> },
): Promise<Context> {
  const { now, settings } = known;
  const isDown = (id: string): boolean => shards.isDown("device", id);
  const prefixes = unique(items.filter((item) => !isRemote(item)).map((item) => item.envelope.recipient));
  const senders = unique(items.map(senderOf).filter((id) => id !== undefined));
  const guessed = prefixes.map((prefix) => guesses.get(prefix)).filter((id) => id !== undefined);
  const read = new Set([...senders, ...guessed].filter((id) => !isDown(id)));
  const [holders, profiles] = await together([
    prefixes.length === 0 ? Promise.resolve(new Map<string, string>()) : findRecipients(db, { prefixes, now }),
    read.size === 0 ? Promise.resolve(new Map<string, DeviceProfile>()) : findDeviceProfiles(db, [...read]),
  ]);
  for (const [prefix, id] of holders) guesses.set(prefix, id);
  const missing = unique([...holders.values()].filter((id) => !read.has(id) && !isDown(id)));
  if (missing.length > 0) for (const [id, profile] of await findDeviceProfiles(db, missing)) profiles.set(id, profile);
  for (const item of items) {
    item.outcome = undefined;
    const holder = isRemote(item) ? undefined : holders.get(item.envelope.recipient);
    item.recipient = profiles.get(holder ?? "");
    if (holder !== undefined && isDown(holder)) item.outcome = unreachableRows;
  }
  if (shards.someAreDown()) refuseWholeMessages(items);
  const allowances = new Map<string, Allowance>();
  for (const id of senders) {
    const profile = profiles.get(id);
    if (profile !== undefined) allowances.set(id, allowanceOf(profile, { now, settings }));
  }
  return { ...known, allowances };
}
