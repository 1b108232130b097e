import { performance } from "node:perf_hooks";
import { tooManyRequests } from "../answer/refusals.js";
import { type RequestContext, wasReceived, whenClosed } from "../request/request-context.js";

// Requests of an operation that arrive faster than they are answered would wait longer and longer, mostly where this
// process does not see them. So the number of requests under way is bounded by time. The time per request is how long an
// answer takes, divided by the number of requests under way when its request came. As many requests may be under way as
// are answered within the longest wait. This follows the machine, the database and all other load, and there is no
// overload state to leave: the next answer makes room for the next request.
//
//   most under way = max(always taken, longest wait / time per request)

export interface LoadSheddingBounds {
  /** Requests that may be under way however long they take. */
  alwaysTaken: number;
  /** A request is refused where those before it would make it wait for longer. */
  waitMillis: number;
}

/** Counts the requests of one operation that have been read and are not answered yet. */
export interface LoadShedder {
  /** Whether the next request has to be refused. Ask before any of it is read. */
  isFull(): boolean;
  /**
   * Counts a request until its answer has ended. Called when its body has arrived, so that slow senders do not count. Many
   * requests may have been let in by then, so it throws OVERLOADED where there are too many now.
   */
  enter(context: RequestContext): void;
}

/** The weight of one answer in the moving average. */
const weightOfOne = 1 / 128;
/** Fewer requests at once than this part of `alwaysTaken` hardly wait for one another: they can only lower the average. */
const meaningfulPart = 0.5;
/** Before the first answer, this many times `alwaysTaken` requests may be under way. */
const initialFactor = 2;
const firstRefusal = 300;

export function createLoadShedder({ alwaysTaken, waitMillis }: LoadSheddingBounds): LoadShedder {
  let underWay = 0;
  let millisPerRequest = waitMillis / (alwaysTaken * initialFactor);

  const learn = (together: number, millis: number): void => {
    const more = millis / together - millisPerRequest;
    if (more < 0 || together >= alwaysTaken * meaningfulPart) millisPerRequest += more * weightOfOne;
  };

  const isFull = (): boolean => underWay >= alwaysTaken && underWay * millisPerRequest >= waitMillis;

  return {
    isFull,
    enter(context) {
      if (isFull()) throw tooManyRequests();
      underWay += 1;
      const together = underWay;
      const since = performance.now();
      whenClosed(context, () => {
        underWay -= 1;
        const { res } = context;
        // A refusal takes no time, and so says nothing about how long the others take.
        if (res.statusCode < firstRefusal && wasReceived(res)) learn(together, performance.now() - since);
      });
    },
  };
}
