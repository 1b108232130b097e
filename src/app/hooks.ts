import { useEffect, useReducer, useRef } from "preact/hooks";
import { observe } from "./session.js";
import { inBackground } from "./tasks.js";

/** Renders the component again after every change of the session. */
export function useChanges(): number {
  const [version, redraw] = useReducer<number, void>((count) => count + 1, 0);
  useEffect(() => observe(() => redraw()), []);
  return version;
}

/** Reads again after each change, but runs one read at a time, so that many changes in a row do not queue up reads. */
export function useReading(read: () => Promise<unknown>, after: readonly unknown[]): void {
  const newest = useRef(read);
  newest.current = read;
  const { current: state } = useRef({ isStale: false, isReading: false });
  useEffect(() => {
    state.isStale = true;
    if (state.isReading) return;
    state.isReading = true;
    inBackground(async () => {
      try {
        while (state.isStale) {
          state.isStale = false;
          await newest.current();
        }
      } finally {
        state.isReading = false;
      }
    });
  }, after);
}
