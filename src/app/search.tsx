import { useEffect, useState } from "preact/hooks";
import type { Group, Message } from "../groups/index.js";
import { Apart } from "./parts.js";
import { Row } from "./row.js";
import { me } from "./session.js";
import { fill, t } from "./texts.js";

/** A message that was searched for. */
export interface Hit {
  group: Group;
  message: Message;
}

/** Opens a group, perhaps at a message. */
export type Choose = (group: string, hit?: Hit) => void;

const pageSize = 500;
const maxHits = 50;

/** The newest messages on this device that have a text. */
export function Found({ query, onChoose }: { query: string; onChoose: Choose }) {
  const [hits, setHits] = useState<Hit[] | undefined>(undefined);
  useEffect(() => {
    const search = new AbortController();
    void Promise.all(
      me()
        .groups()
        .map((group) => hitsIn(group, folded(query), search.signal)),
    ).then((found) => {
      if (search.signal.aborted) return;
      const newest = found.flat().sort((one, other) => other.message.receivedAtMillis - one.message.receivedAtMillis);
      setHits(newest.slice(0, maxHits));
    });
    return () => search.abort();
  }, [query]);
  return (
    <>
      <p class="hint pad" role="status">
        {hits && fill(hits.length === 1 ? t.foundOne : t.found, { count: hits.length })}
      </p>
      <ul>
        {hits?.map((hit) => (
          <Apart key={`${hit.group.id} ${hit.message.id}`}>
            <Row name={hit.group.name} last={hit.message} onClick={() => onChoose(hit.group.id, hit)} />
          </Apart>
        ))}
      </ul>
    </>
  );
}

/** Marks over letters: of Latin, Greek and Cyrillic, and of those scripts in which they are often left out. */
const marks = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670]/g;

/** A text without what people leave out, or write in another way, when they search. */
function folded(text: string): string {
  // By way of capitals, because some letters share one only there.
  const bare = text.normalize("NFKD").replace(marks, "");
  return bare.toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFC");
}

async function hitsIn(group: Group, query: string, signal: AbortSignal): Promise<Hit[]> {
  const hits: Hit[] = [];
  let before: number | undefined;
  while (!signal.aborted && hits.length < maxHits) {
    const page = await group.messages({ limit: pageSize, ...(before !== undefined && { before }) });
    for (const message of page.toReversed()) {
      const { text, file, from } = message;
      if (folded(`${text}\n${file?.name ?? ""}\n${from.name}`).includes(query)) hits.push({ group, message });
    }
    if (page.length < pageSize) break;
    before = page[0]?.seq;
  }
  return hits;
}
