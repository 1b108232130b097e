import type { ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { noRoom } from "./refusals.js";
import { hasLeft, whenClosed } from "./request-context.js";

// Requests of an operation that comes in faster than it is answered would wait ever longer, most of the time where nothing
// of ours sees them. So what may be under way is bounded by time: how long an answer takes, divided by how many were under
// way when its request came, is the time that each of them takes up; and as many may be under way as are answered within
// the longest wait. That follows the machine, the database and what else goes on, and needs no state to be left again:
// the next answer makes room for the next request.
//
//   room = max(always taken, longest wait / time that each takes up)

export interface LoadSheddingBounds {
  /** Requests that may be under way however long they take. */
  alwaysTaken: number;
  /** A request is refused where those before it would make it wait for longer. */
  waitMillis: number;
}

/** The requests of one operation that have been read and are not answered yet. */
export interface LoadShedder {
  /** Whether a request is to be refused, best before any of it is read. */
  isFull(): boolean;
  /**
   * Counts a request until its answer has ended. Called once its body is there, so that nobody takes up room by sending
   * slowly; many may have been let in by then, so it throws OVERLOADED where the room has become full.
   */
  enter(res: ServerResponse): void;
}

/** What is learnt of one answer counts this part of what is known. */
const weightOfOne = 1 / 128;
/** Fewer at once than this part of those always taken wait for one another little: they tell at most that it is faster. */
const worthLearning = 0.5;
/** Where nothing is known yet, so many times as many as are always taken may come. */
const roomAtFirst = 2;
const firstRefusal = 300;

export function createLoadShedder({ alwaysTaken, waitMillis }: LoadSheddingBounds): LoadShedder {
  let underWay = 0;
  let millisOfEach = waitMillis / (alwaysTaken * roomAtFirst);

  const learn = (together: number, millis: number): void => {
    const more = millis / together - millisOfEach;
    if (more < 0 || together >= alwaysTaken * worthLearning) millisOfEach += more * weightOfOne;
  };

  const isFull = (): boolean => underWay >= alwaysTaken && underWay * millisOfEach >= waitMillis;

  return {
    isFull,
    enter(res) {
      if (isFull()) throw noRoom();
      underWay += 1;
      const together = underWay;
      const since = performance.now();
      whenClosed(res, () => {
        underWay -= 1;
        // A refusal takes no time; it says nothing of how long the others take.
        if (res.statusCode < firstRefusal && hasLeft(res)) learn(together, performance.now() - since);
      });
    },
  };
}
