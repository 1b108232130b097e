import type { AdminSession } from "../client/admin.js";

/** State that survives a reload of the tab but not the browser: tokens are stored apart from keys. */
export interface StoredSession {
  deviceId: string;
  session: AdminSession;
}

type Said = { kind: "ask" } | { kind: "session"; stored: StoredSession } | { kind: "check" };

/** Reaches the consoles of this origin in this browser; nothing is written to disk. */
const channel = new BroadcastChannel("mls-relay console");
/** A tab that has a session answers at once. The sign-in page also accepts later answers. */
const patienceMillis = 300;

interface Listener {
  /** The session of this tab, if it has one. */
  session(): StoredSession | undefined;
  onSession(stored: StoredSession): void;
  /** A tab has ended a session, possibly this one. */
  onCheck(): void;
}

/** Answers other tabs, and handles what they report. */
export function listenToTabs({ session, onSession, onCheck }: Listener): () => void {
  const listen = ({ data }: MessageEvent<Said>) => {
    if (data.kind === "check") onCheck();
    if (data.kind === "session") onSession(data.stored);
    const stored = data.kind === "ask" ? session() : undefined;
    if (stored !== undefined) offerToTabs(stored);
  };
  channel.addEventListener("message", listen);
  return () => channel.removeEventListener("message", listen);
}

/** Asks other tabs for a session, other than the one that has just ended here. */
export function askTabs(endedToken?: string): Promise<StoredSession | undefined> {
  return new Promise((resolve) => {
    const done = (stored?: StoredSession) => {
      clearTimeout(timer);
      channel.removeEventListener("message", listen);
      resolve(stored);
    };
    const listen = ({ data }: MessageEvent<Said>) => {
      if (data.kind === "session" && data.stored.session.accessToken !== endedToken) done(data.stored);
    };
    const timer = setTimeout(done, patienceMillis);
    channel.addEventListener("message", listen);
    channel.postMessage({ kind: "ask" } satisfies Said);
  });
}

/** Offers the session to tabs that ask to sign in. */
export function offerToTabs(stored: StoredSession): void {
  channel.postMessage({ kind: "session", stored } satisfies Said);
}

/** Asks the other tabs to check whether their session is still valid. */
export function askTabsToCheck(): void {
  channel.postMessage({ kind: "check" } satisfies Said);
}
