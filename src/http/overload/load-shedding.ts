import { performance } from "node:perf_hooks";
import { tooManyRequests } from "../answer/refusals.js";
import { type RequestContext, wasReceived, whenClosed } from "../request/request-context.js";

// If requests of an operation arrive faster than they are answered, they wait longer and longer, mostly where this
// process does not see them. So the number of requests in progress is bounded by time. The time per request is how long
// an answer takes, divided by the number of requests in progress when its request came. As many requests may be in
// progress as are answered within the longest wait. This adapts to the machine, the database and all other load, and
// there is no overload state to leave: the next answer makes room for the next request.
//
//   maximum in progress = max(always taken, longest wait / time per request)

export interface LoadSheddingBounds {
  /** Requests that may be in progress however long they take. */
  alwaysTaken: number;
  /** A request is refused if the requests before it would make it wait longer than this. */
  waitMillis: number;
}

/** Counts the requests of one operation that have been read but not answered. */
export type LoadShedder = ReturnType<typeof createLoadShedder>;

/** The weight of one answer in the moving average. */
const weightOfOne = 1 / 128;
/**
 * Fewer concurrent requests than this fraction of `alwaysTaken` hardly wait for one another: they can only lower the
 * average.
 */
const meaningfulPart = 0.5;
/** Before the first answer, this many times `alwaysTaken` requests may be in progress. */
const initialFactor = 2;
const firstRefusal = 300;

export function createLoadShedder({ alwaysTaken, waitMillis }: LoadSheddingBounds) {
  let underWay = 0;
  let millisPerRequest = waitMillis / (alwaysTaken * initialFactor);

  const learn = (together: number, millis: number): void => {
    const more = millis / together - millisPerRequest;
    if (more < 0 || together >= alwaysTaken * meaningfulPart) millisPerRequest += more * weightOfOne;
  };

  const isFull = (): boolean => underWay >= alwaysTaken && underWay * millisPerRequest >= waitMillis;

  return {
    /** Whether the next request must be refused. Ask before reading any of it. */
    isFull,
    /**
     * Counts a request until its answer has ended. Called when its body has arrived, so that slow senders do not count.
     * By then, many requests may have been admitted, so it throws OVERLOADED if there are now too many.
     */
    enter(context: RequestContext): void {
      if (isFull()) throw tooManyRequests();
      underWay += 1;
      const together = underWay;
      const since = performance.now();
      whenClosed(context, () => {
        underWay -= 1;
        const { res } = context;
        // A refusal takes no time, so it says nothing about how long other requests take.
        if (res.statusCode < firstRefusal && wasReceived(res)) learn(together, performance.now() - since);
      });
    },
  };
}
