import type { LRUCache } from "lru-cache";
import type { Pipeline } from "../../platform/database/connection.js";
import { together } from "../../platform/database/pipelines.js";
import type { ServerSettings } from "../../settings/service.js";
import { type DeviceProfile, findDeviceProfiles, findRecipients } from "../read-model.js";
import { type Item, isRemote, senderOf, unique } from "./item.js";
import { type Allowance, allowanceOf, type SenderContext } from "./rate-limit.js";

/** The values that hold for all items of a flush. */
export interface Context extends SenderContext {
  now: number;
  settings: ServerSettings;
}

/** Device ids by the prefixes at which they were last found. A guess saves a round trip and decides nothing. */
export type GuessedRecipients = LRUCache<string, string>;

/**
 * Finds the recipients of items and the allowances of their senders by two reads without locks that are sent at once: of
 * the holders of the addresses, and of the devices that probably are these holders. Devices that were not guessed are
 * read afterwards.
 */
export async function lookUp(
  db: Pipeline,
  items: readonly Item[],
  { known, guesses }: { known: Omit<Context, "allowances">; guesses: GuessedRecipients },
): Promise<Context> {
  const { now, settings } = known;
  const prefixes = unique(items.filter((item) => !isRemote(item)).map((item) => item.envelope.recipient));
  const senders = unique(items.map(senderOf).filter((id) => id !== undefined));
  const guessed = prefixes.map((prefix) => guesses.get(prefix)).filter((id) => id !== undefined);
  const read = new Set([...senders, ...guessed]);
  const [holders, profiles] = await together([
    prefixes.length === 0 ? Promise.resolve(new Map<string, string>()) : findRecipients(db, { prefixes, now }),
    read.size === 0 ? Promise.resolve(new Map<string, DeviceProfile>()) : findDeviceProfiles(db, [...read]),
  ]);
  for (const [prefix, id] of holders) guesses.set(prefix, id);
  const missing = unique([...holders.values()].filter((id) => !read.has(id)));
  if (missing.length > 0) for (const [id, profile] of await findDeviceProfiles(db, missing)) profiles.set(id, profile);
  for (const item of items) {
    item.outcome = undefined;
    item.recipient = isRemote(item) ? undefined : profiles.get(holders.get(item.envelope.recipient) ?? "");
  }
  const allowances = new Map<string, Allowance>();
  for (const id of senders) {
    const profile = profiles.get(id);
    if (profile !== undefined) allowances.set(id, allowanceOf(profile, { now, settings }));
  }
  return { ...known, allowances };
}
