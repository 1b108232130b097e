import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { mebibyte } from "../protocol/units.js";

// V8 doubles the space of new objects whenever enough of them survive, up to 100 MB, and gives little of it back. A relay's
// requests are done within milliseconds: a fraction of that is as fast. Command-line flags could limit it, but not for a
// program that is started as `node main.js`; the factor of growth is read at each step, and so can be set at any time.

/** What all new objects of a relay may take, for as fast as it gets; and for as little memory as it gets. */
export const newObjectsBytes = 24 * mebibyte;
export const fewNewObjectsBytes = 3 * mebibyte;

const checkMillis = 100;

/** Keeps the space of new objects from growing until it is limited; called before most of the program is loaded. */
export function keepHeapSmall(): void {
  setGrowth(1);
}

/**
 * Collects the garbage of the start, then lets the space of new objects grow up to about a limit. It takes some 50 ms.
 */
export function settleHeap(limitBytes: number): void {
  collectGarbage();
  let grows = false;
  const check = (): void => {
    const may = 2 * newSpaceBytes() <= limitBytes;
    if (may !== grows) setGrowth(may ? 2 : 1);
    grows = may;
  };
  check();
  setInterval(check, checkMillis).unref();
}

function setGrowth(factor: 1 | 2): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

function newSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  collect();
}
