import {
  daylessForm,
  dayOfKey,
  longForm,
  type MessageKey,
  placedForm,
  placelessForm,
  storedForm,
} from "./message-key.js";

/** Days, since 1970, until which an upgrade of this database keeps keys in an earlier form. */
export interface EarlierFormDays {
  /** Nodes that know no other form may run until then, so it is stored too. */
  writtenUntil: number;
  /** Until then some messages may have been stored in this form alone, so it is looked for. */
  keptUntil: number;
}

/** The earlier forms that this database may still hold. */
export interface EarlierForms {
  long: EarlierFormDays;
  dayless: EarlierFormDays;
  /** Until then, in days since 1970, a distributed database has keys that came from its partitions. */
  movedKeptUntil: number;
  /** Until then, one that was restored from a distributed database has keys that were placed there. */
  placelessKeptUntil: number;
}

/** What decides where the keys of messages are stored and looked for. */
export interface KeyRules extends EarlierForms {
  /** Days since 1970. */
  today: number;
  /** For how many days a message is recognised. */
  retentionDays: number;
  /** A distributed database has no partitions by day. */
  hasPartitions: boolean;
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
 *
 * A distributed database stores all keys apart, in the form that says where they lie. Keys that were in partitions before
 * it was distributed lie there in the form that these had, and are looked for until the last of them has expired. So they
 * are where such a database was restored as one that is not distributed.
 */
export function placesOf(keys: Iterable<MessageKey>, rules: KeyRules): Places {
  const places: Places = { partitions: [], apart: [], soughtApart: [] };
  for (const key of new Set(keys)) {
    if (rules.hasPartitions) addPlaces(places, key, rules);
    else places.apart.push(placedForm(key));
    addEarlierPlaces(places, key, rules);
  }
  const [partitions, apart] = [new Set(places.partitions), new Set(places.apart)];
  // Two forms of a key may be the same. What is stored is not looked for as well, or it would be found as its own repetition.
  const soughtApart = new Set(places.soughtApart.filter((form) => !apart.has(form)));
  return { partitions: [...partitions].sort(), apart: [...apart].sort(), soughtApart: [...soughtApart].sort() };
}

function addPlaces(places: Places, key: MessageKey, { today, retentionDays }: KeyRules): void {
  const [day, stored] = [dayOfKey(key), storedForm(key)];
  const isInPartitions = day <= today + retentionDays + 1;
  if (isInPartitions) places.partitions.push(stored);
  if (!isInPartitions || day < today) places.apart.push(stored);
  else if (day > today + 1) places.soughtApart.push(stored);
}

function addEarlierPlaces(places: Places, key: MessageKey, rules: KeyRules): void {
  const { today } = rules;
  if (today <= rules.movedKeptUntil) places.soughtApart.push(storedForm(key));
  if (today <= rules.placelessKeptUntil) places.soughtApart.push(placelessForm(key));
  if (today <= rules.long.keptUntil) placeFor(places, rules.long, today).push(longForm(key));
  if (today <= rules.dayless.keptUntil) placeFor(places, rules.dayless, today).push(daylessForm(key));
}

function placeFor(places: Places, { writtenUntil }: EarlierFormDays, today: number): string[] {
  return today <= writtenUntil ? places.apart : places.soughtApart;
}
