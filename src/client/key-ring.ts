// The keys of all groups and epochs that a device can open envelopes of, and the envelopes that it cannot open yet: a message may
// arrive before the Welcome or the commit that leads to its epoch. Such envelopes are kept, so that they can be acknowledged.

import { sha256 } from "@noble/hashes/sha2.js";
import { encodeHex, equalBytes } from "../protocol/encodings.js";
import { demandFunction, demandNumber, demandOptions, demandString } from "./arguments.js";
import { type EpochKeys, epochKeysOf, kindOfEnvelope, openEnvelope } from "./envelope.js";
import type { IncomingMessage } from "./messages.js";
import type { RelayClock } from "./relay-clock.js";
import type { Exporter } from "./slot-receipts.js";

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
}

/** Keeps what must survive a restart. What is saved must survive a crash as soon as the promise is fulfilled. */
export interface KeyRingStore {
  loadKeys(): Promise<readonly GroupKeys[]>;
  /** Replaces what was saved before. */
  saveKeys(groups: readonly GroupKeys[]): Promise<void>;
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
   * Processes a message. If it throws, `receive` throws, too, so that the message stays unacknowledged; a message that had waited goes
   * on waiting until `enter` is called again. It may call `enter`.
   */
  handle(opened: OpenedMessage): Promise<void> | void;
  /** What `handle` has thrown for a message that had waited. */
  onProblem?: ((problem: unknown) => void) | undefined;
  /** A message that had waited too long, or was pushed out by newer ones. */
  onDropped?: ((message: IncomingMessage) => void) | undefined;
}

export interface KeyRing {
  /**
   * Adds the keys of a group's present epoch: after founding, after joining, after each commit, and after each start. Then handles the
   * messages that have waited for it. An epoch that the ring has already is not added again.
   */
  enter(group: string, exporter: Exporter): Promise<void>;
  /** Removes the keys of a group. */
  leave(group: string): Promise<void>;
  /** The keys of the epoch that was entered last, for sealing. Throws if there are none. */
  keysOf(group: string): EpochKeys;
  /**
   * Opens and handles a message, for `handle` of `DeviceClient.receive`. `waiting`: no key fits yet, so it is kept; its group may have
   * entered a new epoch, so read its commit slot. `welcome` and `other`: this ring does nothing with it.
   */
  receive(message: IncomingMessage): Promise<"handled" | "waiting" | "welcome" | "other">;
}

const maxWaiting = 1_000;
const maxWaitingBytes = 16 * 1024 * 1024;
const maxWaitingSeconds = 7 * 86_400;
const maxPastEpochs = 1_000;

interface Entry extends WaitingMessage {
  /** Fulfilled once it is in the store, and so can be removed from there. */
  stored: Promise<void>;
  isInHand: boolean;
}

export async function createKeyRing(options: KeyRingOptions): Promise<KeyRing> {
  const { store, pastEpochs, clock, handle } = options;
  demandOptions(store, "store");
  demandNumber(pastEpochs, "pastEpochs", [0, maxPastEpochs]);
  demandFunction(clock?.nowSeconds, "clock.nowSeconds");
  demandFunction(handle, "handle");
  const groups = new Map((await store.loadKeys()).map(({ group, epochs }) => [group, epochs]));
  const loaded = await store.loadWaiting();
  let waiting: Entry[] = loaded.map((entry) => ({ ...entry, stored: Promise.resolve(), isInHand: false }));

  const save = () => store.saveKeys([...groups].map(([group, epochs]) => ({ group, epochs })));
  const open = (message: IncomingMessage, group: string): OpenedMessage | undefined => {
    for (const keys of groups.get(group) ?? []) {
      const content = openEnvelope(keys, message.ciphertext);
      if (content !== undefined) return { group, content, keys, message };
    }
    return undefined;
  };
  const forget = (entry: Entry): void => {
    waiting = waiting.filter((one) => one !== entry);
  };
  const remove = async (entry: Entry): Promise<void> => {
    forget(entry);
    await entry.stored;
    await store.removeWaiting(entry.id);
  };
  const handleWaiting = async (entry: Entry, group: string): Promise<void> => {
    const opened = open(entry.message, group);
    if (opened === undefined) return;
    entry.isInHand = true;
    try {
      await handle(opened);
      await remove(entry);
    } finally {
      entry.isInHand = false;
    }
  };
  const dropSurplus = async (): Promise<void> => {
    const oldest = clock.nowSeconds() - maxWaitingSeconds;
    let bytes = waiting.reduce((sum, { message }) => sum + message.ciphertext.length, 0);
    let count = waiting.length;
    for (const entry of waiting) {
      const isSurplus = count > maxWaiting || bytes > maxWaitingBytes || entry.message.receivedAt < oldest;
      if (!isSurplus || entry.isInHand) continue;
      count -= 1;
      bytes -= entry.message.ciphertext.length;
      await remove(entry);
      options.onDropped?.(entry.message);
    }
  };
  const keep = async (message: IncomingMessage): Promise<void> => {
    const id = encodeHex(sha256(message.ciphertext));
    const known = waiting.find((one) => one.id === id);
    if (known !== undefined) return known.stored;
    const entry = { id, message, isInHand: false, stored: store.addWaiting({ id, message }) };
    waiting.push(entry);
    try {
      await entry.stored;
    } catch (problem) {
      forget(entry);
      throw problem;
    }
    await dropSurplus();
  };

  return {
    async enter(group, exporter) {
      demandString(group, "group");
      const keys = await epochKeysOf(exporter);
      const known = groups.get(group) ?? [];
      if (!known.some(({ sealKey }) => equalBytes(sealKey, keys.sealKey))) {
        groups.set(group, [keys, ...known].slice(0, 1 + pastEpochs));
        await save();
      }
      await dropSurplus();
      for (const entry of waiting) {
        // `handle` may enter the next epoch, which handles entries of this list, too.
        if (entry.isInHand || !waiting.includes(entry)) continue;
        // A message that cannot be processed must not keep the group from its epoch.
        await handleWaiting(entry, group).catch((problem: unknown) => options.onProblem?.(problem));
      }
    },
    async leave(group) {
      groups.delete(group);
      await save();
    },
    keysOf(group) {
      const keys = groups.get(group)?.[0];
      if (keys === undefined) throw new Error("the ring has no keys of this group");
      return keys;
    },
    async receive(message) {
      demandOptions(message, "message");
      const kind = kindOfEnvelope(message.ciphertext);
      if (kind !== "group") return kind ?? "other";
      for (const group of groups.keys()) {
        const opened = open(message, group);
        if (opened === undefined) continue;
        await handle(opened);
        return "handled";
      }
      await keep(message);
      return "waiting";
    },
  };
}
