import { useEffect, useState } from "preact/hooks";
import { errorCatalogue } from "../../generated/errors.js";

/** Why requests stay unanswered. */
type Outage = "relay" | "database";

/** A proxy in front of a relay that is down answers with one of these, and so does a relay without its database. */
const awayStatuses = [502, 503, 504];

const changes = new EventTarget();
/**
 * The outage that the last request to each address met. Some addresses are answered while others are not: health needs
 * no database.
 */
const outages = new Map<string, Outage>();
let shown: Outage | undefined;
/** Counts the views. What a view that was left had asked is not asked again, so its outages would stay for ever. */
let view = 0;

function note(url: string, outage: Outage | undefined, begunIn: number): void {
  if (outage !== undefined && begunIn !== view) return;
  const before = outages.size;
  outages.delete(url);
  if (outage !== undefined) outages.set(url, outage);
  else forgetRelayOutages();
  if (outage === undefined && outages.size < before) {
    // What is still shown is asked again, and notes what it meets then.
    outages.clear();
    noteBack();
  }
  if (currentOutage() === shown) return;
  shown = currentOutage();
  changes.dispatchEvent(new Event("change"));
}

/** After an answer the relay is reachable, whatever failed before, perhaps for a view that no longer sends requests. */
function forgetRelayOutages(): void {
  for (const [url, outage] of outages) if (outage === "relay") outages.delete(url);
}

/** Failed requests are worth repeating now. */
export function noteBack(): void {
  changes.dispatchEvent(new Event("back"));
}

/** Calls `again` when a request is answered after a failure: others may now be answered, too. */
export function whenBack(again: () => void): () => void {
  changes.addEventListener("back", again);
  return () => changes.removeEventListener("back", again);
}

function currentOutage(): Outage | undefined {
  return [...outages.values()].at(-1);
}

/** The next view sends other requests; the outage that is shown changes with its first answer. */
export function forgetOutages(): void {
  view += 1;
  outages.clear();
}

/** Fetches, and records whether the relay answered. */
export async function fetchAndNote(url: string, init: RequestInit): Promise<Response> {
  const [address = url] = url.split("?", 1);
  const begunIn = view;
  try {
    const response = await globalThis.fetch(url, init);
    note(address, await outageOf(response), begunIn);
    return response;
  } catch (failure) {
    note(address, "relay", begunIn);
    throw failure;
  }
}

async function outageOf(response: Response): Promise<Outage | undefined> {
  if (!awayStatuses.includes(response.status)) return undefined;
  const body = (await response
    .clone()
    .json()
    .catch(() => undefined)) as { code?: unknown } | undefined;
  return body?.code === errorCatalogue.DATABASE_UNAVAILABLE.code ? "database" : "relay";
}

/** Why the last requests of this view were not answered, if so. */
export function useOutage(): Outage | undefined {
  const [state, setState] = useState(shown);
  useEffect(() => {
    const update = () => setState(shown);
    update();
    changes.addEventListener("change", update);
    return () => changes.removeEventListener("change", update);
  }, []);
  return state;
}
