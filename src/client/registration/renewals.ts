import type { components } from "../../../generated/openapi-types.js";
import { hourSeconds } from "../../protocol/units.js";
import type { Connection } from "../connection/connection.js";
import { prefixOf } from "../connection/ended-addresses.js";
import { isAnswer } from "../connection/failures.js";
import { fixedToken, type Session, type TokenSession } from "../connection/session.js";
import { inTurnToRenew, loadNewer, type SessionStore } from "../connection/session-store.js";
import type { DeviceKeys } from "../crypto/keys.js";
import { announceForAddress, announcePrefixes, maxPrefixes } from "./announce.js";

/** Announces a device again, which a relay allows a few times an hour: the device's clients, such as tabs, share that. */
interface Renewals {
  /** A session in place of one that is over. Takes that of another client which has stored one. */
  ofSession(): Promise<Session>;
  /** The current session with its addresses renewed, by this client or within the last hour by another one. */
  ofAddresses(): Promise<Session>;
}

interface RenewalDeps {
  connection: Connection;
  keys: DeviceKeys;
  store: SessionStore | undefined;
  current(): Session | undefined;
  refresh(session: Session): Promise<TokenSession>;
  /** Completes what an announcement has led to. */
  complete(announced: Session): Promise<Session>;
  /** Stores a session for the other clients. */
  save(session: Session): Promise<void>;
}

export function createRenewals({ connection, keys, store, current, refresh, complete, save }: RenewalDeps): Renewals {
  const { clock } = connection;
  const announceAgain = () => announce(connection, keys, current());

  const renewedSince = async (since: number): Promise<Session | undefined> => {
    const session = current();
    if (session === undefined || session.addresses.length === 0) return undefined;
    const active = await activeAddresses(connection, session).catch(() => []);
    const times = new Map(active.map((one) => [prefixOf(one.full_address), one.announced_at]));
    const announcedAt = Math.min(...renewable(session).map((address) => times.get(prefixOf(address)) ?? 0));
    return announcedAt > Math.max(since, clock.nowSeconds() - hourSeconds) ? { ...session, announcedAt } : undefined;
  };

  return {
    ofSession: () =>
      inTurnToRenew(keys.deviceId, async () => {
        const own = current();
        const stored = own && store && (await loadNewer(store, own, clock.nowSeconds()));
        if (stored !== undefined) return stored;
        const session = await announceAgain().then(complete, async (failure: unknown) => {
          // The relay may still take a session that is over by this device's clock.
          if (own === undefined || !isAnswer(failure, "RATE_LIMIT_EXCEEDED")) throw failure;
          return { ...own, ...(await refresh(own).catch(() => Promise.reject(failure))) };
        });
        // Before the next client's turn. What is not stored is announced by that client, too.
        await save(session).catch(() => undefined);
        return session;
      }),
    ofAddresses: () =>
      inTurnToRenew(keys.deviceId, async () => {
        const renewed = await renewedSince(current()?.announcedAt ?? 0);
        if (renewed !== undefined) return renewed;
        return announceAgain().catch(async (failure: unknown) => {
          const byOthers = isAnswer(failure, "RATE_LIMIT_EXCEEDED") ? await renewedSince(0) : undefined;
          if (byOthers === undefined) throw failure;
          return byOthers;
        });
      }),
  };
}

/** The active addresses of a device as the relay knows them. Tried once. */
export async function activeAddresses(
  connection: Connection,
  session: Session,
): Promise<readonly components["schemas"]["ActiveAddress"][]> {
  const caller = connection.callerWith({ device: fixedToken(session) });
  return (await caller.call("listAddresses", { retries: { attempts: 1 } })).addresses;
}

/** Announces the current addresses again, which needs no proof and does not count as a new address. */
async function announce(connection: Connection, keys: DeviceKeys, known: Session | undefined): Promise<Session> {
  const admission = { by: "nothing" } as const;
  if (known === undefined || known.addresses.length === 0) return announceForAddress(connection, keys, { admission });
  const prefixes = renewable(known).map((address) => address.slice(0, address.indexOf("@")));
  return announcePrefixes(connection, keys, { admission, prefixes });
}

function renewable({ addresses }: Session): readonly string[] {
  return addresses.slice(-maxPrefixes);
}
