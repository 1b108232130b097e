import { prefixOf } from "./ended-addresses.js";
import type { Session } from "./session.js";

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

interface Locks {
  request(name: string, work: () => Promise<void>): Promise<void>;
}

function withLock(name: string, work: () => Promise<void>): Promise<void> {
  const { locks } = (globalThis as { navigator?: { locks?: Locks } }).navigator ?? {};
  return locks === undefined ? work() : locks.request(name, work);
}
