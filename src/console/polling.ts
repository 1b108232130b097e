import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** Something that is loaded again and again. After a failure the last answer stays. */
export interface Polled<T> {
  data: T | undefined;
  failure: unknown;
  reload(): void;
}

const usualSeconds = 15;

/**
 * Loads at once, whenever `key` changes, and every so many seconds while the page is visible. A page that comes back into
 * view is brought up to date at once. An answer to an earlier key is dropped.
 */
export function usePolled<T>(key: string, load: () => Promise<T>, seconds = usualSeconds): Polled<T> {
  const [state, setState] = useState<{ key: string; data?: T; failure?: unknown }>({ key });
  const latest = useRef({ load, key });
  latest.current = { load, key };
  const reload = useCallback(() => {
    const { load: loadNow, key: asked } = latest.current;
    loadNow().then(
      (data) => asked === latest.current.key && setState({ key: asked, data }),
      (failure) =>
        asked === latest.current.key &&
        setState((old) => (old.key === asked ? { ...old, failure } : { key: asked, failure })),
    );
  }, []);
  // A new key is a new thing to load.
  useEffect(() => {
    const whenVisible = () => document.visibilityState === "visible" && reload();
    reload();
    const timer = setInterval(whenVisible, 1000 * seconds);
    document.addEventListener("visibilitychange", whenVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", whenVisible);
    };
  }, [key, seconds]);
  const isCurrent = state.key === key;
  return { data: isCurrent ? state.data : undefined, failure: isCurrent ? state.failure : undefined, reload };
}
