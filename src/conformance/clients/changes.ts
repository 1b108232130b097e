import { Broken } from "../harness/assertions.js";

const waitMillis = 60_000;

/** What others wait for. */
export interface Changes {
  /** Resolves when the condition holds; throws a Broken after a minute, or after this time. */
  until(condition: () => boolean, otherwise: string, millis?: number): Promise<void>;
  /** Says that something has changed. */
  changed(): void;
}

export function createChanges(): Changes {
  const changes = new EventTarget();
  return {
    async until(condition, otherwise, millis = waitMillis) {
      const deadline = performance.now() + millis;
      while (!condition()) {
        const left = deadline - performance.now();
        if (left <= 0) throw new Broken(otherwise);
        await nextChange(changes, Math.min(left, 1_000));
      }
    },
    changed: () => void changes.dispatchEvent(new Event("change")),
  };
}

function nextChange(changes: EventTarget, millis: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      changes.removeEventListener("change", done);
      resolve();
    };
    const timer = setTimeout(done, millis);
    changes.addEventListener("change", done, { once: true });
  });
}
