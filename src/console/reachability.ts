import { useEffect, useState } from "preact/hooks";

/** A proxy in front of a relay that is away answers with one of these, and so does a relay without its database. */
const awayStatuses = [502, 503, 504];

const changes = new EventTarget();
let isAway = false;

function note(next: boolean): void {
  if (next === isAway) return;
  isAway = next;
  changes.dispatchEvent(new Event("change"));
}

/** Fetches, and notes whether the relay answered. */
export async function fetchAndNote(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await globalThis.fetch(url, init);
    note(awayStatuses.includes(response.status));
    return response;
  } catch (failure) {
    note(true);
    throw failure;
  }
}

/** Whether the relay left the last request unanswered. */
export function useIsAway(): boolean {
  const [state, setState] = useState(isAway);
  useEffect(() => {
    const update = () => setState(isAway);
    update();
    changes.addEventListener("change", update);
    return () => changes.removeEventListener("change", update);
  }, []);
  return state;
}
