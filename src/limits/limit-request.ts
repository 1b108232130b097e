import { RelayError } from "../protocol/errors.js";
import { rateLimitExceeded, secondsUntil } from "../protocol/rate-limit.js";
import { type Limit, type LimitName, limits } from "./table.js";

/**
 * Whom a window counts: a network address, by its network key (network-key.ts), a list of ids, or these ids as they come from
 * this address.
 */
export type LimitSubject = { ip: string; ids?: readonly string[] } | { ids: readonly string[] };

/** A request for a part of one window, which begins with the first event that it counts. */
export interface LimitRequest extends Pick<Limit, "message" | "error"> {
  /** As in the contract. Each name is counted separately. */
  name: string;
  subject: LimitSubject;
  limit: number;
  windowSeconds: number;
  /** How much to count, 1 by default; 0 only reads. */
  cost?: number;
}

type Members = "limit" | "reduced" | "shareOf";
type TextIn<Row, Member extends Members> = Row extends { readonly [M in Member]: infer Text extends string }
  ? Text
  : never;
type SettingOf<Name extends LimitName> = TextIn<(typeof limits)[Name], Members>;

interface About {
  cost?: number;
  /** Whether the reduced limit holds. */
  isReduced?: boolean;
  /** A peer in the status `limited` has this part of the limit. */
  divisor?: number;
  /** The window's length, if a setting has it. */
  windowSeconds?: number;
}

/** Asks for a part of a window of the table. `settings` has the numbers. */
export function limitRequest<Name extends LimitName>(
  name: Name,
  { cost = 1, isReduced = false, divisor = 1, windowSeconds, ...subject }: LimitSubject & About,
  settings: Readonly<Record<SettingOf<Name>, number>>,
): LimitRequest {
  const { window, message, error, limit: setting, reduced, shareOf }: Limit = limits[name];
  const numbers: Readonly<Record<string, number>> = settings;
  const numberOf = (key: string | 1): number => (key === 1 ? 1 : (numbers[key] as number));
  const allowed = numberOf(isReduced && reduced !== undefined ? reduced : setting);
  const whole = shareOf === undefined ? 1 : numberOf(shareOf);
  const limit = Math.floor((allowed * whole) / divisor);
  const seconds = typeof window === "number" ? window : windowSeconds;
  if (seconds === undefined) throw new Error(`the window of ${name} needs its length`);
  return { name, subject, limit, windowSeconds: seconds, message, cost, ...(error && { error }) };
}

/** The error for a window that is used up. A share of a space is refused like the space itself. */
export function limitError(
  { message, error, limit, resetAt }: LimitRequest & { resetAt: number | null },
  now: number,
): RelayError {
  if (error === undefined) return rateLimitExceeded(message, { limit, resetAt, now });
  const extras = error === "INFOPACKAGE_RATE_LIMIT" && { retry_after: secondsUntil(resetAt ?? now, now) };
  return new RelayError(error, message, extras ? { extras } : {});
}
