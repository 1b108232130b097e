import { hourSeconds } from "../protocol/units.js";
import type { TokenSource } from "./calls.js";
import type { RelayClock } from "./relay-clock.js";

/** A token that can be renewed. */
export interface TokenSession {
  accessToken: string;
  /** Unix seconds. */
  expiresAt: number;
}

/** What an announcement gave. It can be stored, and handed in again after a restart. */
export interface Session extends TokenSession {
  /** The device's addresses, in full, as far as this client took them; the newest last. */
  addresses: readonly string[];
  /** When they were announced last, in Unix seconds. An address lives for 24 hours unless the relay says otherwise. */
  announcedAt: number;
}

export interface SessionKeeper<S extends TokenSession> extends TokenSource {
  current(): S | undefined;
  replace(session: S): void;
  /** From now on there is none. */
  drop(): void;
}

interface SessionDeps<S extends TokenSession> {
  clock: RelayClock;
  /** Asks for a new token of the same session; throws where the relay refuses. */
  refresh(session: S): Promise<TokenSession>;
  /** Begins a new session, once the old one cannot be prolonged. Missing: the failure is thrown. */
  renew?: (() => Promise<S>) | undefined;
  onChange?: ((session: S) => void) | undefined;
}

/** A token is renewed when this much of its life is left, so that it never expires under a request. */
const renewBeforeSeconds = hourSeconds;
/** Of a short-lived token, this share of the life that it had when it was new. */
const renewBeforeShare = 0.25;

/** Keeps the session's token fresh. Whoever asks while a renewal is under way waits for that one. */
export function createSessionKeeper<S extends TokenSession>(deps: SessionDeps<S>, first?: S): SessionKeeper<S> {
  const { clock } = deps;
  let session = first;
  let begun = clock.nowSeconds();
  let renewal: Promise<void> | undefined;

  const replace = (next: S) => {
    session = next;
    begun = clock.nowSeconds();
    deps.onChange?.(next);
  };
  const renew = (old: S): Promise<void> => {
    renewal ??= prolong(deps, old)
      .then(replace)
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
      if (session === undefined) throw new Error("there is no session with this relay yet");
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

/** A renewal that fails is no harm as long as the old token is good: it is tried again with the next call. */
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

/** By a refresh while the token is valid; else, or where the session has reached its longest life, by a new session. */
async function prolong<S extends TokenSession>({ clock, refresh, renew }: SessionDeps<S>, old: S): Promise<S> {
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

/** A source of one token that is not replaced: for the request that asks for the next one. */
export function fixedToken({ accessToken }: TokenSession): TokenSource {
  return {
    token: async () => accessToken,
    async refused() {
      throw new Error("the relay does not accept the session's token any more");
    },
  };
}
