import { useEffect, useState } from "preact/hooks";

// Settings that were changed in the form but not applied. They survive while another view is open.

export type SettingValue = string | number | boolean;
/** Changed settings by `group.name`. */
export type Draft = Readonly<Record<string, SettingValue>>;

let draft: Draft = {};
const changes = new EventTarget();

export function setDraft(next: Draft): void {
  draft = next;
  changes.dispatchEvent(new Event("change"));
}

export function forgetDraft(): void {
  setDraft({});
}

export function useDraft(): Draft {
  const [state, setState] = useState(draft);
  useEffect(() => {
    const update = () => setState(draft);
    update();
    changes.addEventListener("change", update);
    return () => changes.removeEventListener("change", update);
  }, []);
  return state;
}

/** Whether there is a draft. Leaving the page would lose it, so the browser must ask first. */
export function useHasDraft(): boolean {
  const hasDraft = Object.keys(useDraft()).length > 0;
  useEffect(() => {
    if (!hasDraft) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [hasDraft]);
  return hasDraft;
}
