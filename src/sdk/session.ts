import type { TokenSource } from "./calls.js";
import type { RelayClock } from "./relay-clock.js";

/** What an announcement gave. It can be stored, and handed in again after a restart. */
export interface Session {
  accessToken: string;
  /** Unix seconds. */
  expiresAt: number;
  /** The device's addresses, in full, as far as this client took them; the newest last. */
  addresses: readonly string[];
  /** When they were announced last, in Unix seconds. An address lives for 24 hours unless the relay says otherwise. */
  announcedAt: number;
}

export interface SessionKeeper extends TokenSource {
  current(): Session | undefined;
  replace(session: Session): void;
}

interface SessionNeeds {
  clock: RelayClock;
  /** Asks for a new token of the same session; throws where the relay refuses. */
  refresh(session: Session): Promise<Pick<Session, "accessToken" | "expiresAt">>;
  /** Begins a new session, once the old one cannot be prolonged. Missing: the failure is thrown. */
  renew?: (() => Promise<Session>) | undefined;
  onChange?: ((session: Session) => void) | undefined;
}

/** A token is renewed when this much of its life is left, so that it never expires under a request. */
const renewBeforeSeconds = 3_600;
/** Of a short-lived token, this share of the life that it had when it was new. */
const renewBeforeShare = 0.25;

/** Keeps the session's token fresh. Whoever asks while a renewal is under way waits for that one. */
export function createSessionKeeper(needs: SessionNeeds, first?: Session): SessionKeeper {
  const { clock } = needs;
  let session = first;
  let begun = clock.nowSeconds();
  let renewal: Promise<void> | undefined;

  const replace = (next: Session) => {
    session = next;
    begun = clock.nowSeconds();
    needs.onChange?.(next);
  };
  const renew = (old: Session): Promise<void> => {
    renewal ??= prolong(needs, old)
      .then(replace)
      .finally(() => {
        renewal = undefined;
      });
    return renewal;
  };
  const isDue = ({ expiresAt }: Session) => {
    const margin = Math.min(renewBeforeSeconds, renewBeforeShare * (expiresAt - begun));
    return clock.nowSeconds() >= expiresAt - margin;
  };

  return {
    current: () => session,
    replace,
    async token() {
      if (session === undefined) throw new Error("the device has not been announced to this relay yet");
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
async function renewWhileValid(session: Session, renew: (old: Session) => Promise<void>, clock: RelayClock) {
  try {
    await renew(session);
  } catch (failure) {
    if (clock.nowSeconds() >= session.expiresAt) throw failure;
  }
}

/** By a refresh while the token is valid; else, or where the session has reached its longest life, by a new session. */
async function prolong({ clock, refresh, renew }: SessionNeeds, old: Session): Promise<Session> {
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
