import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useConsole } from "./context.js";
import { whenBack } from "./reachability.js";

/** Data that is loaded repeatedly. After a failure the last answer stays. */
export interface Polled<T> {
  data: T | undefined;
  failure: unknown;
  /** When the data came, in Unix seconds of the relay. */
  at: number | undefined;
  reload(): void;
}

interface State<T> {
  key: string;
  data?: T;
  at?: number;
  failure?: unknown;
}

const usualSeconds = 15;
const refreshes = new EventTarget();

/** Loads everything that the view shows again. */
export function refreshView(): void {
  refreshes.dispatchEvent(new Event("refresh"));
}

/**
 * Loads at once, whenever `key` changes, and at a regular interval while the page is visible. A page that comes back
 * into view is updated at once; a failed load is repeated as soon as the relay answers again. An answer for an earlier
 * key is dropped.
 */
export function usePolled<T>(key: string, load: () => Promise<T>, seconds = usualSeconds): Polled<T> {
  const [state, setState] = useState<State<T>>({ key });
  const { session: clock } = useConsole();
  const latest = useRef({ load, key, hasFailed: false });
  latest.current = { load, key, hasFailed: state.key === key && state.failure !== undefined };
  const reload = useCallback(() => {
    const { load: loadNow, key: asked } = latest.current;
    loadNow().then(
      (data) => asked === latest.current.key && setState({ key: asked, data, at: clock.nowSeconds() }),
      (failure) =>
        asked === latest.current.key &&
        setState((old) => (old.key === asked ? { ...old, failure } : { key: asked, failure })),
    );
  }, []);
  // A new key means new data to load.
  useEffect(() => {
    const whenVisible = () => document.visibilityState === "visible" && reload();
    const stopWaiting = whenBack(() => latest.current.hasFailed && whenVisible());
    reload();
    const timer = setInterval(whenVisible, 1000 * seconds);
    document.addEventListener("visibilitychange", whenVisible);
    refreshes.addEventListener("refresh", reload);
    return () => {
      stopWaiting();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", whenVisible);
      refreshes.removeEventListener("refresh", reload);
    };
  }, [key, seconds]);
  const isCurrent = state.key === key;
  const { data, at, failure }: Partial<State<T>> = isCurrent ? state : {};
  return { data, at, failure, reload };
}
