import { useEffect, useState } from "preact/hooks";
import type { Group, Message } from "../groups/index.js";
import { Row } from "./chat-row.js";
import { Apart } from "./error-boundary.js";
import { me } from "./session.js";
import { inBackground } from "./tasks.js";
import { fill, t } from "./texts.js";

/** A search result. */
export interface Hit {
  group: Group;
  message: Message;
}

/** Opens a group, perhaps at a message. */
export type Choose = (group: string, hit?: Hit) => void;

const maxHits = 50;

/** The newest messages on this device that match. */
export function Found({ query, onChoose }: { query: string; onChoose: Choose }) {
  const [hits, setHits] = useState<Hit[] | undefined>(undefined);
  useEffect(() => {
    const search = new AbortController();
    const { signal } = search;
    inBackground(async () => {
      const found = await me()
        .search(query, { limit: maxHits, signal })
        .catch((problem: unknown) => {
          if (!signal.aborted) throw problem;
        });
      if (!signal.aborted && found) setHits(found.flatMap(hitOf));
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
            <Row group={hit.group} last={hit.message} onClick={() => onChoose(hit.group.id, hit)} />
          </Apart>
        ))}
      </ul>
    </>
  );
}

function hitOf(message: Message): Hit[] {
  const group = me().group(message.group);
  return group === undefined ? [] : [{ group, message }];
}
