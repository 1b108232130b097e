// What a device still has to do and waits for, to show its user. It imports no code, so that applications load it when somebody looks, and it alone.

import type { ErrorName, RejoinReason } from "../../client/index.js";
import type { Change } from "../mls/changes.js";
import type { Status, UndeliveredReason } from "../store/events.js";
import type { Ledger } from "../store/ledger.js";
import type { Key, Prefix } from "../store/record-keys.js";
import type {
  Consent,
  KeptFile,
  MembershipState,
  OutboxItem,
  StoredDelivery,
  StoredPackage,
  Waiting,
} from "../store/records.js";

/** What a device still has to do, and waits for. `group` is a group's id. */
export interface DeviceStatus {
  /** Of the connection to the device's relay. */
  connection: Status;
  /** What waits to be sent, oldest first. */
  unsent: {
    /** Empty if it is for another device of the user, or of a group that was forgotten. */
    group: string;
    /** The id of a message; missing if the library sends something itself, such as news of a commit. */
    message?: string;
    /** Members who do not have it yet. */
    recipients: number;
    sinceMillis: number;
    /** Why it waits, and when it is tried again; missing if it waits for the network alone, or for a moment. */
    error?: ErrorName;
    retryAtMillis?: number;
    /** Whom it does not reach. */
    undelivered: { address: string; error: UndeliveredReason }[];
  }[];
  /** Changes of groups that are not made yet, in their order. `retryAtMillis` is when it is tried again. */
  changes: { group: string; kind: Change["kind"]; retryAtMillis?: number }[];
  /** Groups that the user is asked about (`Group.accept`). */
  invited: { group: string; name: string }[];
  /** People who ask to be added to a group (`Group.requests`). */
  joinRequests: { group: string; count: number }[];
  /** Groups that this device has asked to be added to. */
  asked: { group: string; name: string }[];
  /** Groups that this device cannot follow any more (`Group.rejoin`). */
  lost: { group: string; reason: RejoinReason }[];
  /** Messages that have come and wait for keys: a commit or a Welcome may still come. */
  unopened: number;
  /** What kept files (`keepFiles`) take in the store. */
  keptFileBytes: number;
}

/** A group, as far as its status says something of it. */
interface ShownGroup {
  readonly id: string;
  readonly name: string;
  readonly state: MembershipState;
  readonly consent: Consent;
  readonly rejoinReason: RejoinReason | undefined;
  requests(): Promise<readonly unknown[]>;
}

/** Where the records are. */
interface Prefixes {
  out: Prefix<OutboxItem>;
  delivery: Prefix<StoredDelivery>;
  change: Prefix<Change>;
  package: Prefix<StoredPackage>;
  waiting: Prefix<Waiting>;
  kept: Prefix<KeptFile>;
}

export async function readDeviceStatus(
  ledger: Ledger,
  { prefixes, groups, connection }: { prefixes: Prefixes; groups: readonly ShownGroup[]; connection: Status },
): Promise<DeviceStatus> {
  const asked = new Map<string, string>();
  for (const [, { asked: by }] of await ledger.readAll(prefixes.package))
    if (by !== undefined && by.isRefused !== true) asked.set(by.group, by.name);
  for (const { id, state } of groups) if (state === "active") asked.delete(id);
  const changes = await ledger.readAll(prefixes.change);
  const requests = await Promise.all(
    groups.map(async (group) => ({ group: group.id, count: (await group.requests()).length })),
  );
  const kept = await ledger.readAll(prefixes.kept);
  return {
    connection,
    unsent: await unsentIn(ledger, prefixes),
    changes: changes.map(([key, change]) => ({
      group: key.slice(prefixes.change.length, key.lastIndexOf("/")),
      kind: change.kind,
      ...retryOf(change),
    })),
    invited: groups.filter(({ consent }) => consent === "unknown").map(({ id, name }) => ({ group: id, name })),
    joinRequests: requests.filter(({ count }) => count > 0),
    asked: [...asked].map(([group, name]) => ({ group, name })),
    lost: groups.flatMap(({ id, rejoinReason }) => (rejoinReason ? [{ group: id, reason: rejoinReason }] : [])),
    unopened: (await ledger.store.list({ prefix: prefixes.waiting })).length,
    keptFileBytes: kept.reduce((sum, [, { size }]) => sum + size, 0),
  };
}

async function unsentIn(ledger: Ledger, prefixes: Prefixes): Promise<DeviceStatus["unsent"]> {
  const items = await ledger.readAll(prefixes.out);
  return Promise.all(
    items.map(async ([, { group, message, copies, createdAtMillis }]) => {
      const key = `${prefixes.delivery}${group}/${message}` as Key<StoredDelivery>;
      const { delay, undelivered = [] } = (message !== undefined && (await ledger.read(key))) || {};
      const named = message !== undefined && { message };
      return { group, ...named, recipients: copies.length, sinceMillis: createdAtMillis, ...delay, undelivered };
    }),
  );
}

function retryOf(change: Change): { retryAtMillis?: number } {
  const waits = change.kind === "add" ? Object.values(change.waits ?? {}).map(({ atMillis }) => atMillis) : [];
  const times = [...waits, ...("notBeforeMillis" in change && change.notBeforeMillis ? [change.notBeforeMillis] : [])];
  return times.length === 0 ? {} : { retryAtMillis: Math.min(...times) };
}
