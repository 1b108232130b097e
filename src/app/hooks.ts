import { useEffect, useReducer, useRef } from "preact/hooks";
import { observe } from "./session.js";
import { inBackground } from "./tasks.js";

/** Draws the component again after every change of the session. */
export function useChanges(): number {
  const [version, redraw] = useReducer<number, void>((count) => count + 1, 0);
  useEffect(() => observe(() => redraw()), []);
  return version;
}

/** Reads once more after each change, one reading at a time: many changes in a row must not hold it up. */
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
