/** What was left of a limit when the relay last reported it. Times are Unix seconds by the relay's clock. */
export interface SeenLimit {
  /** The relay's name of the limit, such as `messages`. */
  name: string;
  /** How much one window allows. */
  limit: number;
  remaining: number;
  windowSeconds: number;
  /** When the window ends; null if none is open. */
  resetAt: number | null;
  seenAt: number;
}

/** Limits by name. */
export type SeenLimits = ReadonlyMap<string, SeenLimit>;

/** Reads the headers `RateLimit` and `RateLimit-Policy`. Empty if an answer has neither or they cannot be parsed. */
export function readRateLimits(headers: Headers, nowSeconds: number): SeenLimit[] {
  const policies = itemsOf(headers.get("RateLimit-Policy"));
  return [...itemsOf(headers.get("RateLimit"))].flatMap(([name, { r: remaining, t: reset }]) => {
    const { q: limit, w: windowSeconds } = policies.get(name) ?? {};
    if (remaining === undefined || limit === undefined || windowSeconds === undefined) return [];
    const resetAt = reset === undefined ? null : nowSeconds + reset;
    return [{ name, limit, remaining, windowSeconds, resetAt, seenAt: nowSeconds }];
  });
}

/** An item of a structured-fields list, as relays write it: a quoted name, and parameters that are integers. */
const item = /"([^"\\]*)"((?: *;[a-z]+=\d+)*)/g;

function itemsOf(header: string | null): Map<string, Partial<Record<string, number>>> {
  const items = (header ?? "").matchAll(item);
  return new Map([...items].map(([, name = "", parameters = ""]) => [name, parametersOf(parameters)]));
}

function parametersOf(text: string): Partial<Record<string, number>> {
  const pairs = [...text.matchAll(/([a-z]+)=(\d+)/g)];
  return Object.fromEntries(pairs.map(([, key = "", value]) => [key, Number(value)]));
}
