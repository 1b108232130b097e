import { hourSeconds } from "../../protocol/units.js";
import { atLeast, demand, demandNumber, demandOptions, demandString } from "../runtime/arguments.js";
import { createTurns } from "../runtime/turns.js";
import type { TokenSource } from "./calls.js";
import type { RelayClock } from "./relay-clock.js";

/** A token that can be renewed. */
export interface TokenSession {
  accessToken: string;
  /** Unix seconds. */
  expiresAt: number;
}

/** The result of an announcement. Store it and pass it in again after a restart. */
export interface Session extends TokenSession {
  /** The device's full addresses that this client has announced, the newest last. */
  addresses: readonly string[];
  /** When they were announced last, in Unix seconds. An address lives 24 hours unless the relay says otherwise. */
  announcedAt: number;
}

export interface SessionKeeper<S extends TokenSession> extends TokenSource {
  current(): S | undefined;
  /** Fulfilled once `onChange` is; rejects as it does. The session is in use nonetheless. */
  replace(session: S): Promise<void>;
  /** Forgets the session. */
  drop(): void;
}

interface SessionDeps<S extends TokenSession> {
  clock: RelayClock;
  /** Asks for a new token of the same session; throws if the relay refuses. */
  refresh(session: S): Promise<TokenSession>;
  /** Begins a new session if the old one cannot be refreshed. Without this, the failure is thrown. */
  renew?: (() => Promise<S>) | undefined;
  /** Called with one session after another. */
  onChange?: ((session: S) => unknown) | undefined;
}

/** A token is renewed when this much of its lifetime is left, so that it never expires during a request. */
const renewBeforeSeconds = hourSeconds;
/** The remaining share of a short-lived token's lifetime at which it is renewed. */
const renewBeforeShare = 0.25;

/** Renews the session's token in time. Concurrent callers share one renewal. */
export function createSessionKeeper<S extends TokenSession>(deps: SessionDeps<S>, first?: S): SessionKeeper<S> {
  const { clock } = deps;
  let session = first;
  let begun = clock.nowSeconds();
  let renewal: Promise<void> | undefined;
  const changes = createTurns();

  const replace = (next: S): Promise<void> => {
    session = next;
    begun = clock.nowSeconds();
    return changes.take(async () => {
      await deps.onChange?.(next);
    });
  };
  const renew = (old: S): Promise<void> => {
    renewal ??= refreshOrRenew(deps, old)
      // A renewed token works also if it could not be stored: the stored one leads to a renewal again.
      .then((next) => replace(next).catch(() => undefined))
      .finally(() => {
        renewal = undefined;
      });
    return renewal;
  };
  const isDue = ({ expiresAt }: S) => {
    const margin = Math.min(renewBeforeSeconds, renewBeforeShare * (expiresAt - begun));
    return clock.nowSeconds() >= expiresAt - margin;
  };

  return {
    current: () => session,
    replace,
    drop() {
      session = undefined;
    },
    async token() {
      if (session === undefined) throw new Error("there is no session with this relay: announce first");
      if (isDue(session)) await renewWhileValid(session, renew, clock);
      return session.accessToken;
    },
    async refused(token) {
      if (session === undefined || session.accessToken !== token) return;
      session = { ...session, expiresAt: 0 };
      await renew(session);
    },
  };
}

/** A failed renewal does no harm while the old token is valid: the next call tries again. */
async function renewWhileValid<S extends TokenSession>(
  session: S,
  renew: (old: S) => Promise<void>,
  clock: RelayClock,
) {
  try {
    await renew(session);
  } catch (failure) {
    if (clock.nowSeconds() >= session.expiresAt) throw failure;
  }
}

/**
 * Refreshes the token while it is valid. Otherwise, or if the session has reached its maximum lifetime, begins a new
 * session.
 */
async function refreshOrRenew<S extends TokenSession>({ clock, refresh, renew }: SessionDeps<S>, old: S): Promise<S> {
  const isValid = clock.nowSeconds() < old.expiresAt;
  if (!isValid && renew !== undefined) return renew();
  try {
    const next = await refresh(old);
    if (next.expiresAt > old.expiresAt || renew === undefined) return { ...old, ...next };
  } catch (failure) {
    if (renew === undefined) throw failure;
  }
  return renew();
}

/** A source of one fixed token, for the refresh request. */
export function fixedToken({ accessToken }: TokenSession): TokenSource {
  return {
    token: async () => accessToken,
    async refused() {
      throw new Error("the relay no longer accepts the session's token");
    },
  };
}

/** Checks a stored session. */
export function demandSession(session: Session): void {
  demandOptions(session, "session");
  demandString(session.accessToken, "session.accessToken");
  demandNumber(session.expiresAt, "session.expiresAt", atLeast(0));
  const { addresses } = session;
  const holds = Array.isArray(addresses) && addresses.every((address) => typeof address === "string");
  demand(holds, addresses, { what: "session.addresses", expected: "an array of strings" });
}
