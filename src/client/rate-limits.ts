/** What was left of a limit when the relay last said so. Times are Unix seconds by the clock of the relay. */
export interface SeenLimit {
  /** The relay's name of the limit, such as `messages`. */
  name: string;
  /** How much one window allows. */
  limit: number;
  remaining: number;
  windowSeconds: number;
  /** When the window ends; null while none is open. */
  resetAt: number | null;
  seenAt: number;
}

/** Limits by name. */
export type SeenLimits = ReadonlyMap<string, SeenLimit>;

/** Reads the headers `RateLimit` and `RateLimit-Policy`. Empty where an answer has none, or none that can be read. */
export function readRateLimits(headers: Headers, nowSeconds: number): SeenLimit[] {
  const policies = itemsOf(headers.get("RateLimit-Policy"));
  return [...itemsOf(headers.get("RateLimit"))].flatMap(([name, { r: remaining, t: reset }]) => {
    const { q: limit, w: windowSeconds } = policies.get(name) ?? {};
    if (remaining === undefined || limit === undefined || windowSeconds === undefined) return [];
    const resetAt = reset === undefined ? null : nowSeconds + reset;
    return [{ name, limit, remaining, windowSeconds, resetAt, seenAt: nowSeconds }];
  });
}

/** An item of a list of structured fields, as a relay writes it: a quoted name, and parameters that are integers. */
const item = /"([^"\\]*)"((?: *;[a-z]+=\d+)*)/g;

function itemsOf(header: string | null): Map<string, Partial<Record<string, number>>> {
  const items = (header ?? "").matchAll(item);
  return new Map([...items].map(([, name = "", parameters = ""]) => [name, parametersOf(parameters)]));
}

function parametersOf(text: string): Partial<Record<string, number>> {
  const pairs = [...text.matchAll(/([a-z]+)=(\d+)/g)];
  return Object.fromEntries(pairs.map(([, key = "", value]) => [key, Number(value)]));
}
