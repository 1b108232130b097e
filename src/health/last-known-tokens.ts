import type { Clock } from "../node/clock.js";
import { createLruCache } from "../platform/lru-cache.js";
import { RelayError } from "../protocol/errors.js";
import { inTime } from "./database-watch.js";

/** The holder of a token, with the end of the token in Unix seconds. */
interface Holder {
  expiresAt: number;
}

const tokensRemembered = 1000;

/**
 * While the database is away, accepts a token that this node accepted before, until that token expires. Whether its
 * session was ended cannot be checked then, so this is only for reading the state of the server, which must be possible
 * exactly when the database is down.
 */
export function createLastKnown<H extends Holder>(deps: {
  clock: Clock;
  authenticate: (token: string) => Promise<H>;
  /** No answer after this long means that the database is down. */
  timeoutMillis: number;
}): { authenticate(token: string): Promise<H>; authenticateOrRemember(token: string): Promise<H> } {
  const { clock, timeoutMillis } = deps;
  const known = createLruCache<string, H>(tokensRemembered);

  const authenticate = async (token: string): Promise<H> => {
    try {
      const holder = await deps.authenticate(token);
      known.set(token, holder);
      return holder;
    } catch (error) {
      if (!isAway(error)) known.delete(token);
      throw error;
    }
  };
  return {
    authenticate,
    async authenticateOrRemember(token) {
      try {
        return await inTime(authenticate(token), timeoutMillis);
      } catch (error) {
        const holder = known.get(token);
        if (!isAway(error) || holder === undefined || holder.expiresAt <= clock.nowSeconds()) throw error;
        return holder;
      }
    },
  };
}

function isAway(error: unknown): boolean {
  return error instanceof RelayError && error.id === "DATABASE_UNAVAILABLE";
}
