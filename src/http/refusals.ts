import { performance } from "node:perf_hooks";
import type { Request, Response } from "express";
import { errorBody, RelayError } from "../protocol/errors.js";
import type { Answered } from "./answer.js";
import { retryAfterSeconds } from "./errors.js";
import type { HeaderList } from "./header-list.js";

// A refusal costs some part of what it refuses. Were all of them written as they come, a turn of the event loop would last
// for as long as more of them come, and what was taken in would wait for it: its flush, its answer, and new connections,
// of which one is taken up in a turn. So refusals are written between turns, for as long as all else took since the last
// ones: half of the time at most is theirs. A client whose refusal waits sends nothing more on its connection.

export interface RefusalDeps {
  requestId(): string;
  /** Told of each refusal when it is written. */
  onRefused(refused: Answered & { requestId: string; method: string }): void;
}

export interface Refusals {
  /** Refuses a request for which there is no room, soon. `headers` are those of every answer to its operation. */
  add(operation: string, headers: HeaderList, request: { req: Request; res: Response }): void;
}

/** Where little else is going on. */
const leastMillis = 5;
/** After a pause. */
const mostMillis = 100;
/** Beyond it they are written at once: so many are more than an honest client of each connection would cause. */
const mostWaiting = 50_000;

/** How a request is refused for which there is no room. */
export function noRoom(): RelayError {
  return new RelayError("OVERLOADED", "More comes in than can be answered in time; try again in a moment.");
}

export function createRefusals(deps: RefusalDeps): Refusals {
  const line = createLine();
  const { id: error, status } = noRoom();
  const body = JSON.stringify(errorBody(noRoom()));
  const own = ["Retry-After", String(retryAfterSeconds(noRoom())), "Content-Type", "application/json; charset=utf-8"];
  own.push("Content-Length", String(Buffer.byteLength(body)));

  return {
    add(operation, headers, { req, res }) {
      const since = performance.now();
      line.add(() => {
        if (res.closed) return;
        const requestId = deps.requestId();
        // Headers that are set one by one would double what this costs. What comes of the body is left to Node to drain.
        res.writeHead(status, ["X-Request-Id", requestId, ...headers, ...own]);
        res.end(body);
        const milliseconds = performance.now() - since;
        deps.onRefused({ requestId, operation, method: req.method, status, error, milliseconds });
      });
    },
  };
}

/** Work in turns of the event loop. */
function createLine(): { add(work: () => void): void } {
  let waiting: (() => void)[] = [];
  let next = 0;
  let endedAt = 0;

  const doSome = (): void => {
    const began = performance.now();
    const until = began + Math.min(mostMillis, Math.max(leastMillis, began - endedAt));
    while (next < waiting.length && performance.now() < until) waiting[next++]?.();
    endedAt = performance.now();
    // What is done is let go when it is half of all, so that moving the rest up is rare.
    if (next * 2 >= waiting.length) [waiting, next] = [waiting.slice(next), 0];
    if (waiting.length > 0) setImmediate(doSome);
  };

  return {
    add(work) {
      if (waiting.length - next >= mostWaiting) return work();
      waiting.push(work);
      if (waiting.length === 1) setImmediate(doSome);
    },
  };
}
