import { RelayError } from "../../protocol/errors.js";
import { callerName, type RequestContext, whenClosed } from "../request/request-context.js";

/** Bounds the requests of one operation that each caller may have in progress. */
export type CallerBound = ReturnType<typeof createCallerBound>;

export function createCallerBound(most: number) {
  const underWay = new Map<string, number>();
  return {
    /** Counts a request until its answer has ended. Called before its body is read. Throws OVERLOADED. */
    enter(context: RequestContext): void {
      if (context.principal === null) return;
      const caller = callerName(context.principal);
      const others = underWay.get(caller) ?? 0;
      if (others >= most) throw new RelayError("OVERLOADED", `${most} such requests of this caller are in progress`);
      underWay.set(caller, others + 1);
      whenClosed(context, () => {
        const left = (underWay.get(caller) ?? 0) - 1;
        if (left > 0) underWay.set(caller, left);
        else underWay.delete(caller);
      });
    },
  };
}
