import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { errorBody, RelayError } from "../../protocol/errors.js";
import type { HeaderList } from "./answer.js";
import { retryAfterSeconds } from "./errors.js";
import type { Answered } from "./request-log.js";

// A refusal costs part of the work that it saves. If refusals were written as their requests arrive, one iteration of
// the event loop would last as long as requests keep arriving, and accepted requests would wait: for their flush, their
// answer, and new connections, of which one is accepted per iteration. So refusals are written between iterations, for
// at most as long as everything else has taken since the previous refusals; they get at most half of the time. A client
// whose refusal waits sends nothing more on its connection.

interface RefusalDeps {
  requestId(): string;
  /** Called for each refusal when it is written. */
  onRefused(refused: Answered): void;
}

interface RefusedOperation {
  id: string;
  /** The headers of its answers. */
  headers: HeaderList;
}

export interface Refusals {
  /** Refuses a request soon. */
  add(operation: RefusedOperation, request: { req: IncomingMessage; res: ServerResponse }): void;
}

/** The minimum time for refusals in one iteration, if little else is going on. */
const minMillis = 5;
/** The maximum time for refusals in one iteration, after a pause. */
const maxMillis = 100;
/** Refusals beyond this number are written at once. Honest clients, one per connection, cause fewer. */
const maxWaiting = 50_000;

/** The error of requests that load shedding refuses. */
export function tooManyRequests(): RelayError {
  return new RelayError("OVERLOADED", "more requests come in than can be answered in time; try again in a moment");
}

export function createRefusals(deps: RefusalDeps): Refusals {
  const queue = createQueue();
  const { id: error, status } = tooManyRequests();
  const body = JSON.stringify(errorBody(tooManyRequests()));
  const own = [
    "Retry-After",
    String(retryAfterSeconds(tooManyRequests())),
    "Content-Type",
    "application/json; charset=utf-8",
  ];
  own.push("Content-Length", String(Buffer.byteLength(body)));

  return {
    add({ id: operation, headers }, { req, res }) {
      const since = performance.now();
      queue.add(() => {
        if (res.closed) return;
        const requestId = deps.requestId();
        // Setting headers one by one would double the cost of this. Node drains whatever arrives of the body.
        res.writeHead(status, ["X-Request-Id", requestId, ...headers, ...own]);
        res.end(body);
        const milliseconds = performance.now() - since;
        deps.onRefused({ requestId, operation, method: req.method ?? "", status, error, milliseconds });
      });
    },
  };
}

/** Work that is done between iterations of the event loop. */
function createQueue(): { add(work: () => void): void } {
  let waiting: (() => void)[] = [];
  let next = 0;
  let endedAt = 0;

  const runSome = (): void => {
    const began = performance.now();
    const until = began + Math.min(maxMillis, Math.max(minMillis, began - endedAt));
    while (next < waiting.length && performance.now() < until) waiting[next++]?.();
    endedAt = performance.now();
    // Finished work is dropped when it is half of the array, so the rest is rarely moved.
    if (next * 2 >= waiting.length) [waiting, next] = [waiting.slice(next), 0];
    if (waiting.length > 0) setImmediate(runSome);
  };

  return {
    add(work) {
      if (waiting.length - next >= maxWaiting) return work();
      waiting.push(work);
      if (waiting.length === 1) setImmediate(runSome);
    },
  };
}
