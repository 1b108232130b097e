import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { mebibyte } from "../protocol/units.js";

// V8 doubles the space of new objects whenever enough of them survive, up to 100 MB, and collects old ones late: it takes what
// it may. A relay's requests are done within milliseconds, so less is enough. Command-line flags could limit it, but not for a
// program that is started as `node main.js`; the factor of growth is read at each step, and so can be set at any time.
//
// What it saves and costs: anonymous memory of a relay on Node.js 20, and its processor time up to the last column, in one run
// on a busy machine.
//
//                    3 s after the start   after 1,500 registrations   10 s later
//   default          51 MiB                75 MiB                      58 MiB, 12 s of processor time
//   default without  78 MiB                90 MiB                      90 MiB,  9 s
//   small            52 MiB                53 MiB                      52 MiB, 21 s
//   small without    80 MiB                70 MiB                      56 MiB, 15 s

/** How much memory a process may use for garbage. */
interface HeapBounds {
  /** Approximate size of the space for new objects. */
  newObjectsBytes: number;
  /** How much the heap may grow before all of it is collected; null leaves the decision to V8. */
  garbageBytes: number | null;
  /** Whether functions that run often are compiled again to faster code. */
  optimizes: boolean;
}

/** The smallest heap that takes no extra processor time. */
export const usualHeap: HeapBounds = { newObjectsBytes: 24 * mebibyte, garbageBytes: null, optimizes: true };
export const smallHeap: HeapBounds = { newObjectsBytes: 3 * mebibyte, garbageBytes: 4 * mebibyte, optimizes: false };

/**
 * V8 of Node.js 24 and later has a mode that saves memory: it collects early and returns freed memory to the system.
 */
const firstWithSaver = 13;
/** Turns off the optimizing compilers, whose memory is never returned to the system. Maglev is on since Node.js 22. */
const notOptimizing = ["--no-opt", "--no-maglev"];
const newSpaceCheckMillis = 100;
const garbageCheckMillis = 1_000;

/** Keeps the space of new objects small until the heap is bounded; called before most of the program is loaded. */
export function keepHeapSmall(): void {
  setGrowth(1);
}

/**
 * Returns the garbage of the start to the system, which takes some 100 ms, and bounds the heap for the life of the
 * process.
 */
export function boundHeap({ newObjectsBytes, garbageBytes, optimizes }: HeapBounds): void {
  const collect = collector();
  collect({ type: "major", execution: "sync", flavor: "last-resort" });
  boundNewObjects(newObjectsBytes);
  if (!optimizes) for (const flag of notOptimizing) setFlagsFromString(flag);
  if (garbageBytes === null) return;
  if (Number.parseInt(process.versions.v8, 10) >= firstWithSaver) setFlagsFromString("--memory-saver-mode");
  boundGarbage(garbageBytes, collect);
}

function boundNewObjects(limitBytes: number): void {
  let grows = false;
  const check = (): void => {
    const mayGrow = 2 * newSpaceBytes() <= limitBytes;
    if (mayGrow !== grows) setGrowth(mayGrow ? 2 : 1);
    grows = mayGrow;
  };
  check();
  setInterval(check, newSpaceCheckMillis).unref();
}

function boundGarbage(limitBytes: number, collect: Collect): void {
  let kept = getHeapStatistics().used_heap_size;
  const check = (): void => {
    const used = getHeapStatistics().used_heap_size;
    kept = Math.min(kept, used);
    if (used - kept < limitBytes) return;
    collect();
    kept = getHeapStatistics().used_heap_size;
  };
  setInterval(check, garbageCheckMillis).unref();
}

function setGrowth(factor: 1 | 2): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

function newSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;
}

/** V8's own function; versions that do not know a flavor ignore it. */
type Collect = (options?: { type: "major"; execution: "sync"; flavor: "last-resort" }) => void;

function collector(): Collect {
  setFlagsFromString("--expose-gc");
  const collect: Collect = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return collect;
}
