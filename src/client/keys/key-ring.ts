// The keys of all groups and epochs that a device can open envelopes of, and the envelopes that it cannot open yet: a message may
// arrive before the Welcome or the commit that leads to its epoch. Such envelopes are kept, so that they can be acknowledged.

import { sha256 } from "@noble/hashes/sha2.js";
import { encodeHex, equalBytes } from "../../protocol/encodings.js";
import type { RelayClock } from "../connection/relay-clock.js";
import type { Exporter } from "../crypto/envelope.js";
import { type EpochKeys, epochKeysOf, kindOfEnvelope, openEnvelope } from "../crypto/envelope.js";
import type { IncomingMessage } from "../messages/messages.js";
import { demandFunction, demandNumber, demandOptions, demandString, ifGiven } from "../runtime/arguments.js";
import { callBack } from "../runtime/callbacks.js";
import { createTurns } from "../runtime/turns.js";
import { maxWaitingSeconds, WaitingRoom } from "./waiting-room.js";

/** The keys of a group, newest epoch first. `group` is any name that the application gives it. */
export interface GroupKeys {
  group: string;
  epochs: readonly EpochKeys[];
}

/** An envelope that could not be opened yet. */
export interface WaitingMessage {
  /** Unique for its bytes. */
  id: string;
  message: IncomingMessage;
  /** When the ring has got it, in seconds since 1970. A message that a store gives back without it waits from then on. */
  since?: number;
}

/**
 * Keeps what must survive a restart. What is saved must survive a crash as soon as the promise is fulfilled. Keys are saved one after
 * another.
 */
export interface KeyRingStore {
  loadKeys(): Promise<readonly GroupKeys[]>;
  /** Replaces all that was saved before. */
  saveKeys(groups: readonly GroupKeys[]): Promise<void>;
  /** Replaces what was saved for this group; no epochs are left of a group that was left. If there is none, `saveKeys` saves all. */
  saveGroup?(keys: GroupKeys): Promise<void>;
  /** Oldest first. */
  loadWaiting(): Promise<readonly WaitingMessage[]>;
  addWaiting(waiting: WaitingMessage): Promise<void>;
  removeWaiting(id: string): Promise<void>;
}

/** A message from a member of a group. */
export interface OpenedMessage {
  group: string;
  /** What the member has sealed: an MLS message. */
  content: Uint8Array;
  /** Those of its epoch, for `isSignedInEpoch`. */
  keys: EpochKeys;
  message: IncomingMessage;
}

export interface KeyRingOptions {
  store: KeyRingStore;
  /** How many epochs before the present one can be opened: as many as the MLS library keeps. */
  pastEpochs: number;
  /** The clock of the device's connection. */
  clock: Pick<RelayClock, "nowSeconds">;
  /**
   * Processes a message, one at a time. If it throws, `receive` throws, too, so that the message stays unacknowledged; a message that
   * had waited goes on waiting until `enter` is called again. It may call `enter`, and functions of `CommitSlots`.
   */
  handle(opened: OpenedMessage): Promise<void> | void;
  /** What `handle` has thrown for a message that had waited. */
  onProblem?: ((problem: unknown) => void) | undefined;
  /** A message that had waited too long, or was pushed out by newer ones. */
  onDropped?: ((message: IncomingMessage) => void) | undefined;
}

export interface KeyRing {
  /**
   * Adds the keys of a group's present epoch: after founding, after joining, after each commit, and after each start. Fulfilled once
   * they are saved. Then the ring handles the messages that have waited for them. An epoch that it has already is not added again.
   */
  enter(group: string, exporter: Exporter): Promise<void>;
  /** Removes the keys of a group. */
  leave(group: string): Promise<void>;
  /** The keys of the epoch that was entered last, for sealing. Throws if there are none. */
  keysOf(group: string): EpochKeys;
  /**
   * Opens and handles a message, for `handle` of `DeviceClient.receive`. `waiting`: no key fits yet, so it is kept; its group may have
   * entered a new epoch, so follow its commit slots. While more than half of the room is taken, it waits up to five seconds for an epoch that makes
   * room, so that further messages stay at the relay. `welcome` and `other`: this ring does nothing with it.
   */
  receive(message: IncomingMessage): Promise<"handled" | "waiting" | "welcome" | "other">;
  /** Fulfilled once no message is being handled. Never fulfilled while `handle` waits for it. */
  settled(): Promise<void>;
}

/** The rings of a device are known by the clock of its connection to those who follow its groups' commits. */
interface RingOfDevice extends Pick<KeyRing, "settled"> {
  isSettled(): boolean;
  /** Whether so many messages wait that some may have to be dropped. */
  isCrowded(): boolean;
}

const ringsByClock = new WeakMap<object, Set<RingOfDevice>>();

export function ringsOf(clock: object): ReadonlySet<RingOfDevice> {
  return ringsByClock.get(clock) ?? new Set();
}

/** How long `receive` waits for an epoch that makes room. */
const makeRoomMillis = 5_000;
const maxPastEpochs = 1_000;

export async function createKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  const { store, pastEpochs, clock, handle } = options;
  demandOptions(store, "store");
  demandNumber(pastEpochs, "pastEpochs", [0, maxPastEpochs]);
  demandFunction(clock?.nowSeconds, "clock.nowSeconds");
  demandFunction(handle, "handle");
  ifGiven(store.saveGroup, (saveGroup) => demandFunction(saveGroup, "store.saveGroup"));
  const groups = new Map((await store.loadKeys()).map(({ group, epochs }) => [group, epochs]));
  const begun = clock.nowSeconds();
  const room = new WaitingRoom<WaitingMessage>(({ message }) => ({
    bytes: message.ciphertext.length,
    atSeconds: message.receivedAt,
  }));
  for (const entry of await store.loadWaiting()) room.add(entry.id, entry);
  const saving = createTurns();
  const handling = createTurns();
  const unsaved = new Set<string>();
  const problem = (what: unknown) => callBack(options.onProblem, [what]);

  const write = async (group: string): Promise<void> => {
    if (store.saveGroup !== undefined) return store.saveGroup({ group, epochs: groups.get(group) ?? [] });
    await store.saveKeys([...groups].map(([name, epochs]) => ({ group: name, epochs })));
  };
  const save = async (group: string): Promise<void> => {
    if (!unsaved.delete(group)) return;
    try {
      await write(group);
    } catch (failure) {
      unsaved.add(group);
      throw failure;
    }
  };
  const open = (message: IncomingMessage, group: string): OpenedMessage | undefined => {
    for (const keys of groups.get(group) ?? []) {
      const content = openEnvelope(keys, message.ciphertext);
      if (content !== undefined) return { group, content, keys, message };
    }
    return undefined;
  };
  const late = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, makeRoomMillis);
      signal.addEventListener("abort", () => clearTimeout(timer));
    });
  // Not by the age of the message: the device may have been off for weeks.
  const isExpired = ({ since = begun }: WaitingMessage) => since < clock.nowSeconds() - maxWaitingSeconds;
  const dropSurplus = async (): Promise<void> => {
    for (const [id, { message }] of room.surplus(isExpired)) {
      room.drop(id);
      await store.removeWaiting(id);
      callBack(options.onDropped, [message], problem);
    }
  };
  const keep = async (message: IncomingMessage): Promise<void> => {
    const id = encodeHex(sha256(message.ciphertext));
    if (room.has(id)) return;
    const entry = { id, message, since: clock.nowSeconds() };
    await store.addWaiting(entry);
    room.add(id, entry);
    await dropSurplus();
  };
  const handleWaiting = async (group: string): Promise<void> => {
    await dropSurplus();
    for (const [id, { message }] of room.entries()) {
      const opened = open(message, group);
      if (opened === undefined) continue;
      // A message that cannot be processed must not keep the group from its epoch.
      await Promise.resolve(opened)
        .then(handle)
        .then(async () => {
          room.handled(id);
          await store.removeWaiting(id);
        })
        .catch(problem);
    }
  };

  const ring: KeyRing & RingOfDevice = {
    async enter(group, exporter) {
      demandString(group, "group");
      const derived = epochKeysOf(exporter);
      await saving.take(async () => {
        const keys = await derived;
        const known = groups.get(group) ?? [];
        if (!known.some(({ sealKey }) => equalBytes(sealKey, keys.sealKey))) {
          groups.set(group, [keys, ...known].slice(0, 1 + pastEpochs));
          unsaved.add(group);
        }
        await save(group);
      });
      const isDue = (entry: WaitingMessage) => isExpired(entry) || open(entry.message, group) !== undefined;
      if (![...room.entries()].some(([, entry]) => isDue(entry))) return;
      void handling.take(() => handleWaiting(group)).catch(problem);
    },
    leave: (group) =>
      saving.take(async () => {
        if (groups.delete(group)) unsaved.add(group);
        await save(group);
      }),
    keysOf(group) {
      const keys = groups.get(group)?.[0];
      if (keys === undefined) throw new Error("the ring has no keys of this group");
      return keys;
    },
    async receive(message) {
      demandOptions(message, "message");
      const kind = kindOfEnvelope(message.ciphertext);
      if (kind !== "group") return kind ?? "other";
      await room.makeRoom(late);
      return handling.take(async () => {
        for (const group of groups.keys()) {
          const opened = open(message, group);
          if (opened === undefined) continue;
          await handle(opened);
          return "handled";
        }
        await keep(message);
        return "waiting";
      });
    },
    settled: handling.settled,
    isSettled: handling.isSettled,
    isCrowded: () => !room.isStuck && room.isCrowded(),
  };
  ringsByClock.set(clock, new Set(ringsOf(clock)).add(ring));
  return ring;
}
