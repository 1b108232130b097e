import { useEffect, useState } from "preact/hooks";

/** The view and its state, as the address bar has them: `#/devices?id=…`. */
interface Place {
  path: string;
  query: Readonly<Record<string, string>>;
}

function readPlace(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return { path, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** An address within the console. Empty and missing values are left out. */
export function hrefOf(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const kept = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return `#/${path}${kept.length === 0 ? "" : `?${new URLSearchParams(kept)}`}`;
}

/** Takes the code of a sign-in link out of the address bar, so that it stays in no history. */
export function takeLinkCode(): string | undefined {
  const { path, query } = readPlace(location.hash);
  if (path !== "link") return undefined;
  history.replaceState(null, "", hrefOf(""));
  return query["code"];
}

/** Follows the address bar. */
export function usePlace(): Place {
  const [place, setPlace] = useState(() => readPlace(location.hash));
  useEffect(() => {
    const update = () => setPlace(readPlace(location.hash));
    addEventListener("hashchange", update);
    // Effects run after the page is painted, and the address may have changed meanwhile.
    update();
    return () => removeEventListener("hashchange", update);
  }, []);
  return place;
}

/** The address of an item in a view; if that view is open, its lists stay as they are. */
export function hrefWithin(place: Place, path: string, query: Readonly<Record<string, string>>): string {
  return hrefOf(path, place.path === path ? { ...place.query, ...query } : query);
}

/**
 * Changes some of the view's state. It replaces the entry in the history, because typing in a filter is not a
 * navigation step.
 */
export function changeQuery(change: Readonly<Record<string, string | undefined>>): void {
  const { path, query } = readPlace(location.hash);
  history.replaceState(null, "", hrefOf(path, { ...query, ...change }));
  dispatchEvent(new HashChangeEvent("hashchange"));
}
