import { useEffect, useState } from "preact/hooks";
import type { Group, Message } from "../groups/index.js";
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
        .map((group) => hitsIn(group, query.toLowerCase(), search.signal)),
    ).then((found) => {
      if (search.signal.aborted) return;
      const newest = found.flat().sort((one, other) => other.message.sentAtMillis - one.message.sentAtMillis);
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
          <Row
            key={hit.message.id}
            name={hit.group.name}
            last={hit.message}
            onClick={() => onChoose(hit.group.id, hit)}
          />
        ))}
      </ul>
    </>
  );
}

async function hitsIn(group: Group, query: string, signal: AbortSignal): Promise<Hit[]> {
  const hits: Hit[] = [];
  let before: number | undefined;
  while (!signal.aborted && hits.length < maxHits) {
    const page = await group.messages({ limit: pageSize, ...(before !== undefined && { before }) });
    for (const message of page.toReversed()) {
      const { text, file, from } = message;
      if (`${text}\n${file?.name ?? ""}\n${from.name}`.toLowerCase().includes(query)) hits.push({ group, message });
    }
    if (page.length < pageSize) break;
    before = page[0]?.seq;
  }
  return hits;
}
