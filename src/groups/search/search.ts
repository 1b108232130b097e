// Finds stored messages by their words. The index grows with the store: it has the words of each span of numbers that no new message gets, and says which spans to
// read. The messages themselves decide, so nothing is found that is gone. A message that changes removes the words of its span, which the next search notes again.

import type { Message } from "../store/events.js";
import type { Ledger } from "../store/ledger.js";
import { searchKey, searchSpan } from "../store/messages.js";
import { inGroup, messagePrefix, numbered } from "../store/record-keys.js";
import { entriesOf, folded, isIn, type Term, termsOf } from "./words.js";

interface Sought {
  query: string;
  groups: readonly string[];
  limit: number;
  nowMillis: number;
  signal?: AbortSignal | undefined;
}

interface Query {
  /** Without words, such as of punctuation: any part of a text. */
  text: string;
  terms: readonly Term[];
}

/** The newest first. */
export async function findMessages(ledger: Ledger, { query, groups, ...sought }: Sought): Promise<Message[]> {
  const [text, terms] = [folded(query).trim(), termsOf(query)];
  if (text === "") return [];
  const hits: Message[] = [];
  for (const group of groups) hits.push(...(await hitsIn(ledger, { group, query: { text, terms }, ...sought })));
  return hits.sort((one, other) => other.receivedAtMillis - one.receivedAtMillis).slice(0, sought.limit);
}

async function hitsIn(
  ledger: Ledger,
  { group, query, limit, nowMillis, signal }: Omit<Sought, "query" | "groups"> & { group: string; query: Query },
): Promise<Message[]> {
  const hits: Message[] = [];
  let newest: number | undefined;
  for (let before = Number.MAX_SAFE_INTEGER; hits.length < limit; ) {
    signal?.throwIfAborted();
    const span = await spanBefore(ledger, group, before);
    if (span === undefined) break;
    newest ??= span;
    if (span === newest || mayHave(await wordsOf(ledger, group, span), query.terms)) {
      const messages = (await messagesIn(ledger, group, span)).reverse();
      const isThere = ({ disappearsAtMillis = nowMillis + 1 }: Message) => disappearsAtMillis > nowMillis;
      const hit = messages.filter((message) => isThere(message) && matches(message, query));
      hits.push(...hit.flatMap((message) => ledger.people.shownOf(message) ?? []));
    }
    before = span * searchSpan;
  }
  return hits;
}

/** The span of the last message before a number. */
async function spanBefore(ledger: Ledger, group: string, number: number): Promise<number | undefined> {
  const prefix = inGroup(messagePrefix, group);
  const end = number === Number.MAX_SAFE_INTEGER ? {} : { before: numbered(prefix, number) };
  const [last] = await ledger.store.list({ prefix, ...end, limit: 1, last: true });
  return last && Math.floor(Number(last[0].slice(prefix.length)) / searchSpan);
}

async function messagesIn(ledger: Ledger, group: string, span: number): Promise<Message[]> {
  const prefix = inGroup(messagePrefix, group);
  const bounds = {
    after: numbered(prefix, span * searchSpan - 1),
    before: numbered(prefix, (span + 1) * searchSpan),
  };
  const first = span === 0 ? { before: bounds.before } : bounds;
  return (await ledger.readAll(prefix, first)).map(([, message]) => message);
}

/** As they are kept, or are noted now. */
async function wordsOf(ledger: Ledger, group: string, span: number): Promise<string> {
  const key = searchKey(group, span * searchSpan);
  const kept = await ledger.read(key);
  if (kept !== undefined) return kept.words;
  // In turn: a message that changes meanwhile would be noted as it was.
  return ledger.inTurn(async (transaction) => {
    const terms = (await messagesIn(ledger, group, span)).flatMap((message) => termsOf(textOf(message)));
    const words = `\n${[...new Set(terms.flatMap(entriesOf))].join("\n")}\n`;
    transaction.set(key, { words });
    await transaction.commit();
    return words;
  });
}

function mayHave(words: string, terms: readonly Term[]): boolean {
  return terms.every((term) => {
    if (!term.isRun) return words.includes(`\n${term.text}`);
    const entries = entriesOf(term);
    const [needed] = [entries.length === 1 ? entries : entries.filter((entry) => [...entry].length === 2)];
    return needed.every((entry) => words.includes(`\n${entry}\n`));
  });
}

function matches(message: Message, { text, terms }: Query): boolean {
  if (terms.length === 0) return folded(textOf(message)).includes(text);
  const found = termsOf(textOf(message));
  return terms.every((term) => isIn(term, found));
}

function textOf({ text, file, from }: Message): string {
  return `${text}\n${file?.name ?? ""}\n${from.name}`;
}
