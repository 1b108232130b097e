/** An answer with an entity tag, which the relay may confirm as unchanged. */
interface KeptAnswer {
  tag: string;
  text: string;
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const maxKept = 60;

/**
 * Keeps the latest answers with an entity tag in memory, and sends the tag with the next request for the same resource.
 * A 304 becomes the stored answer. The browser's cache is not used because it would write answers to disk.
 */
export function fetchingConditionally(fetch: Fetch): { fetch: Fetch; forget(): void } {
  const kept = new Map<string, KeptAnswer>();
  const keep = (url: string, answer: KeptAnswer): void => {
    kept.delete(url);
    kept.set(url, answer);
    const [oldest] = kept.keys();
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  };
  return {
    forget: () => kept.clear(),
    async fetch(url, init) {
      if (init.method !== "GET") return fetch(url, init);
      const known = kept.get(url);
      const headers = new Headers(init.headers);
      if (known !== undefined) headers.set("if-none-match", known.tag);
      const response = await fetch(url, { ...init, headers });
      if (response.status === 304 && known !== undefined) return answerOf(known.text);
      const tag = response.headers.get("etag");
      if (!response.ok || tag === null) return response;
      const text = await response.text();
      keep(url, { tag, text });
      return answerOf(text);
    },
  };
}

function answerOf(text: string): Response {
  return new Response(text, { headers: { "content-type": "application/json" } });
}
