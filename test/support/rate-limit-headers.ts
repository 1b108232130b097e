import { parseList } from "structured-headers";
import type { Answer } from "./api.js";

/** One limit of an answer, from both headers. */
export interface LimitInHeaders {
  limit: number;
  windowSeconds: number;
  remaining: number;
  /** Seconds; undefined if no window is open. */
  reset: number | undefined;
}

type Parameters = Readonly<Record<string, unknown>>;

/** The limits in an answer, by name. Throws if a header is not a list of structured fields (RFC 9651). */
export function limitsOf({ headers }: Pick<Answer<unknown>, "headers">): Record<string, LimitInHeaders> {
  const policies = itemsOf(headers.get("RateLimit-Policy"));
  const limits = itemsOf(headers.get("RateLimit"));
  if (policies.map(([name]) => name).join() !== limits.map(([name]) => name).join()) {
    throw new Error("RateLimit and RateLimit-Policy name different limits");
  }
  return Object.fromEntries(
    policies.map(([name, { q, w }], index) => {
      const { r, t } = limits[index]?.[1] ?? {};
      return [name, { limit: integer(q), windowSeconds: integer(w), remaining: integer(r), reset: optional(t) }];
    }),
  );
}

function itemsOf(header: string | null): [string, Parameters][] {
  return parseList(header ?? "").map(([item, parameters]) => {
    if (typeof item !== "string") throw new Error("an item of a rate limit header is a string");
    return [item, Object.fromEntries(parameters)];
  });
}

function integer(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw new Error(`${String(value)} is no integer`);
  return value as number;
}

function optional(value: unknown): number | undefined {
  return value === undefined ? undefined : integer(value);
}
