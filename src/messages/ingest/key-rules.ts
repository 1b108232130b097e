import { daylessForm, dayOfKey, longForm, type MessageKey, storedForm } from "./message-key.js";

/** Days, since 1970, until which an upgrade of this database keeps keys in an earlier form. */
export interface EarlierFormDays {
  /** Nodes that know no other form may run until then, so it is stored too. */
  writtenUntil: number;
  /** Until then some messages may have been stored in this form alone, so it is looked for. */
  keptUntil: number;
}

/** What decides where the keys of messages are stored and looked for. */
export interface KeyRules {
  /** Days since 1970. */
  today: number;
  /** For how many days a message is recognised. */
  retentionDays: number;
  /** A distributed database has no partitions by day. */
  hasPartitions: boolean;
  long: EarlierFormDays;
  dayless: EarlierFormDays;
}

/** Where one key, or several, are to be stored, and in which forms they are only looked for. */
export interface Places {
  /** In the partitions by day. */
  partitions: string[];
  /** In the table whose keys have a day of expiry of their own. */
  apart: string[];
  /** Looked for in that table. */
  soughtApart: string[];
}

/**
 * The places of several keys, each once and in order.
 *
 * The partition of a day is dropped a retention period after the day. That is long enough for a message that is accepted
 * on the day of its id, or before. A message with an older id is also stored apart, with an expiry of its own: so it is
 * recognised for the whole period, and yet keeps no partition from being dropped. One whose day comes only after the
 * retention period is stored apart alone, and looked for there until shortly before its day.
 */
export function placesOf(keys: Iterable<MessageKey>, rules: KeyRules): Places {
  const places: Places = { partitions: [], apart: [], soughtApart: [] };
  for (const key of new Set(keys)) addPlaces(places, key, rules);
  places.partitions.sort();
  places.apart.sort();
  places.soughtApart.sort();
  return places;
}

function addPlaces(places: Places, key: MessageKey, rules: KeyRules): void {
  const { today, retentionDays, hasPartitions } = rules;
  const [day, stored] = [dayOfKey(key), storedForm(key)];
  const isInPartitions = hasPartitions && day <= today + retentionDays + 1;
  if (isInPartitions) places.partitions.push(stored);
  if (!isInPartitions || day < today) places.apart.push(stored);
  else if (day > today + 1) places.soughtApart.push(stored);
  if (today <= rules.long.keptUntil) placeFor(places, rules.long, today).push(longForm(key));
  if (today <= rules.dayless.keptUntil) placeFor(places, rules.dayless, today).push(daylessForm(key));
}

function placeFor(places: Places, { writtenUntil }: EarlierFormDays, today: number): string[] {
  return today <= writtenUntil ? places.apart : places.soughtApart;
}
