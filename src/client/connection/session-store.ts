import { createTurns } from "../runtime/turns.js";
import { prefixOf } from "./ended-addresses.js";
import { demandSession, type Session } from "./session.js";

/** Where the clients of one device, such as the tabs of a browser, keep their session. */
export interface SessionStore {
  load(): Promise<Session | undefined>;
  /** Replaces what was saved before. It must survive a crash as soon as the promise is fulfilled. */
  save(session: Session): Promise<void>;
}

/** The relay has accepted an announcement, and the session that it led to could not be stored. `cause` says why. */
export class SessionNotStoredError extends Error {
  override name = "SessionNotStoredError";
  /** In use by the client: it only needs to be stored. */
  readonly session: Session;

  constructor(session: Session, cause: unknown) {
    super("the device is registered, and its session is not stored", { cause });
    this.session = session;
  }
}

/** Adds a session to the stored one, one client at a time where there are Web Locks. */
export function saveMerged(
  store: SessionStore,
  session: Session,
  { deviceId, isEnded }: { deviceId: string; isEnded(address: string): boolean },
): Promise<void> {
  return withLock(`mls-relay session ${deviceId}`, async () => {
    const merged = mergeAddresses(await store.load(), session);
    await store.save({ ...merged, addresses: merged.addresses.filter((address) => !isEnded(address)) });
  });
}

/** The later session with the addresses of both, those of the later one last, each once. */
export function mergeAddresses(earlier: Pick<Session, "addresses"> | undefined, later: Session): Session {
  const own = new Set(later.addresses.map(prefixOf));
  const others = earlier?.addresses.filter((address) => !own.has(prefixOf(address))) ?? [];
  const byPrefix = new Map([...others, ...later.addresses].map((address) => [prefixOf(address), address]));
  return { ...later, addresses: [...byPrefix.values()] };
}

/** A minute less than this, a stored token would have to be renewed before it is of use. */
const leastLifeSeconds = 60;

/** The session that another client of the device has stored, if it is one that replaces `own`. */
export async function loadNewer(store: SessionStore, own: Session, nowSeconds: number): Promise<Session | undefined> {
  try {
    const stored = await store.load();
    if (stored === undefined || stored.accessToken === own.accessToken) return undefined;
    demandSession(stored);
    const isNewer = stored.expiresAt > Math.max(own.expiresAt, nowSeconds + leastLifeSeconds);
    return isNewer ? mergeAddresses(own, stored) : undefined;
  } catch {
    return undefined;
  }
}

/** Has the clients of one device announce again one after another, so that each sees what the one before has done. */
export function inTurnToRenew<T>(deviceId: string, work: () => Promise<T>): Promise<T> {
  return withLock(`mls-relay renewal ${deviceId}`, work);
}

interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** Where there are no Web Locks, as in Node.js 20, the clients of this process take turns. */
const turnsByName = new Map<string, ReturnType<typeof createTurns>>();

async function withLock<T>(name: string, work: () => Promise<T>): Promise<T> {
  const { locks } = (globalThis as { navigator?: { locks?: Locks } }).navigator ?? {};
  if (locks !== undefined) return locks.request(name, work);
  const turns = turnsByName.get(name) ?? createTurns();
  turnsByName.set(name, turns);
  try {
    return await turns.take(work);
  } finally {
    if (turns.isSettled()) turnsByName.delete(name);
  }
}
