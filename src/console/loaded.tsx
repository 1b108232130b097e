import type { ComponentChildren } from "preact";
import { FailureNote } from "./failure-note.js";
import { formatTime } from "./format.js";
import type { Polled } from "./polling.js";
import { texts } from "./texts.js";

/** The state of something that is polled: loading, failed at first, or there, perhaps no longer fresh. */
export function Loaded<T>({ polled, children }: { polled: Polled<T>; children: (data: T) => ComponentChildren }) {
  const { data, failure, at } = polled;
  return (
    <>
      {failure !== undefined && <FailureNote failure={failure} />}
      {failure !== undefined && at !== undefined && <p class="hint">{texts.asOf(formatTime(at))}</p>}
      {data === undefined && failure === undefined && <p class="loading">{texts.loading}</p>}
      {data !== undefined && children(data)}
    </>
  );
}
