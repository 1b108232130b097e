import type { AdminSession } from "../client/admin.js";

/** What outlives a reload of the tab, never the browser: tokens are kept apart from keys. */
export interface StoredSession {
  deviceId: string;
  session: AdminSession;
}

type Said = { kind: "ask" } | { kind: "session"; stored: StoredSession } | { kind: "check" };

/** Reaches the consoles of this origin in this browser, and nothing is written to the disk. */
const channel = new BroadcastChannel("mls-relay console");
/** A tab that has a session answers at once. Later answers are taken as well, by the page that asks to sign in. */
const patienceMillis = 300;

interface Listener {
  /** The session of this tab, if it has one. */
  session(): StoredSession | undefined;
  onSession(stored: StoredSession): void;
  /** A tab has ended a session, perhaps this one's. */
  onCheck(): void;
}

/** Answers other tabs, and takes what they tell. */
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

/** The session of another tab, unless it is the one that has just ended here. */
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

/** Lets tabs in that ask to sign in. */
export function offerToTabs(stored: StoredSession): void {
  channel.postMessage({ kind: "session", stored } satisfies Said);
}

/** Lets the other tabs look whether their session still stands. */
export function askTabsToCheck(): void {
  channel.postMessage({ kind: "check" } satisfies Said);
}
