import { useEffect, useState } from "preact/hooks";
import type { ActionOutcome } from "./action.js";
import { texts } from "./texts.js";

interface OutcomeProps {
  outcome: ActionOutcome | undefined;
  onUndo(): void;
  onClose(): void;
}

/** Long enough to decide, or to read why something failed. Each list has the way back after that. */
const longMillis = 60_000;
/** Long enough to read it, where nothing can be decided. */
const shortMillis = 15_000;

/** Says what was done, and offers to take it back. It goes after a while, but not under the pointer or the focus. */
export function Outcome({ outcome, onUndo, onClose }: OutcomeProps) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (outcome === undefined || isHeld) return undefined;
    const isShort = outcome.undo === undefined && outcome.hasFailed !== true;
    const timer = setTimeout(onClose, isShort ? shortMillis : longMillis);
    return () => clearTimeout(timer);
  }, [outcome, isHeld]);
  // A note that goes takes the pointer's and the focus's events with it.
  useEffect(() => setHeld(false), [outcome]);
  return (
    <div class="outcome" role="status" aria-live="polite">
      {outcome !== undefined && (
        <p
          class={`note ${outcome.hasFailed ? "failure" : "good"}`}
          onPointerEnter={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
          onFocusIn={() => setHeld(true)}
          onFocusOut={() => setHeld(false)}
        >
          {outcome.text}{" "}
          {outcome.undo !== undefined && (
            <button type="button" onClick={onUndo}>
              {texts.undo}
            </button>
          )}
          <button type="button" onClick={onClose} aria-label={texts.close}>
            ✕
          </button>
        </p>
      )}
    </div>
  );
}
