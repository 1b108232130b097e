// What commit slots have, for all groups of a device. A member of many groups asks for all of them at each start, so what is asked for while
// a request is under way shares the next one.

import type { AnswerOf, CallOptions } from "../connection/calls.js";
import { isAnswer } from "../connection/failures.js";
import type { DeviceClient } from "../device/client.js";
import { onAbort, unlessAborted } from "../runtime/abort.js";

/** What a slot has, as the relay says. */
type SlotAnswer = { kind: "free" } | { kind: "expired" } | ({ kind: "taken" } & AnswerOf<"getSlot">);

interface Wanted {
  slot: string;
  signal: AbortSignal | undefined;
  resolve(answer: SlotAnswer): void;
  reject(failure: unknown): void;
}

const readers = new WeakMap<DeviceClient, SlotReader>();

/** Reads a slot of the device's relay, or of `domain`. Throws AnswerError or ConnectionError if the relay has not said what it has. */
export function readSlot(
  device: DeviceClient,
  { slot, domain }: { slot: string; domain: string | undefined },
  call: CallOptions,
): Promise<SlotAnswer> {
  const reader = readers.get(device) ?? new SlotReader(device);
  readers.set(device, reader);
  return reader.read(slot, domain, call);
}

class SlotReader {
  readonly #device: DeviceClient;
  /** By the relay with the slots. An entry is there while requests to it are under way. */
  readonly #waiting = new Map<string | undefined, Wanted[]>();

  constructor(device: DeviceClient) {
    this.#device = device;
  }

  async read(slot: string, domain: string | undefined, call: CallOptions): Promise<SlotAnswer> {
    const { signal, ...own } = call;
    signal?.throwIfAborted();
    // A call with limits of its own shares no request.
    if (Object.values(own).some((option) => option !== undefined)) return this.#readAlone(slot, domain, call);
    const answer = new Promise<SlotAnswer>((resolve, reject) => {
      const wanted = { slot, signal, resolve, reject };
      const waiting = this.#waiting.get(domain);
      if (waiting !== undefined) return waiting.push(wanted);
      this.#waiting.set(domain, [wanted]);
      void this.#work(domain);
    });
    return unlessAborted(answer, signal);
  }

  async #work(domain: string | undefined): Promise<void> {
    for (;;) {
      const most = await this.#most(domain);
      const waiting = (this.#waiting.get(domain) ?? []).filter(({ signal }) => signal?.aborted !== true);
      const next = waiting.splice(0, most);
      if (next.length === 0) break;
      this.#waiting.set(domain, waiting);
      const leftOut = await this.#readTogether(next, domain, most);
      this.#waiting.get(domain)?.unshift(...leftOut);
    }
    this.#waiting.delete(domain);
  }

  /** How many slots a request reads. One if that is not known, or at a relay that has no such request. */
  async #most(domain: string | undefined): Promise<number> {
    const { slots } = await this.#device.connection.discover().catch(() => ({ slots: undefined }));
    return (domain === undefined ? slots?.max_slots_per_reading : slots?.max_peer_slots_per_reading) ?? 1;
  }

  /** Returns what had no room in the answer. */
  async #readTogether(wanted: readonly Wanted[], domain: string | undefined, most: number): Promise<Wanted[]> {
    if (most === 1) {
      this.#settle(wanted, domain);
      return [];
    }
    const over = whenNobodyWaits(wanted);
    try {
      const { slots } = await this.#device.call("readSlots", {
        query: { ...(domain !== undefined && { domain }) },
        body: { slots: wanted.map(({ slot }) => slot) },
        signal: over.signal,
      });
      const leftOut = wanted.filter((one, i) => {
        const answer = answerIn(slots[i], one.slot);
        if (answer !== undefined) one.resolve(answer);
        return answer === undefined;
      });
      if (leftOut.length < wanted.length) return leftOut;
      this.#settle(leftOut, domain);
      return [];
    } catch (failure) {
      // The relay's software, or what it allows, is another one since it was discovered.
      if (isAnswer(failure, "NOT_FOUND") || isAnswer(failure, "INVALID_REQUEST")) this.#settle(wanted, domain);
      else for (const { reject } of wanted) reject(failure);
      return [];
    } finally {
      over.abort();
    }
  }

  #settle(wanted: readonly Wanted[], domain: string | undefined): void {
    for (const { slot, signal, resolve, reject } of wanted)
      this.#readAlone(slot, domain, signal ? { signal } : {}).then(resolve, reject);
  }

  async #readAlone(slot: string, domain: string | undefined, call: CallOptions): Promise<SlotAnswer> {
    try {
      const query = { ...(domain !== undefined && { domain }) };
      return { kind: "taken", ...(await this.#device.call("getSlot", { ...call, path: { slot }, query })) };
    } catch (failure) {
      if (isAnswer(failure, "NOT_FOUND")) return { kind: "free" };
      if (isAnswer(failure, "SLOT_EXPIRED")) return { kind: "expired" };
      throw failure;
    }
  }
}

/** Undefined if the content had no room. */
function answerIn(item: AnswerOf<"readSlots">["slots"][number] | undefined, slot: string): SlotAnswer | undefined {
  if (item?.slot !== slot) throw new Error("the relay has answered for other slots");
  const { taken, content, receipt, taker, expires_at } = item;
  if (!taken) return { kind: "free" };
  if (item.error === "SLOT_EXPIRED") return { kind: "expired" };
  if (content === undefined || receipt === undefined || expires_at === undefined) return undefined;
  return { kind: "taken", content, receipt, expires_at, ...(taker && { taker }) };
}

/** Aborted once nobody waits any more. Abort it when the work ends, so that the signals forget it. */
function whenNobodyWaits(wanted: readonly Wanted[]): AbortController {
  const over = new AbortController();
  let left = wanted.length;
  const leave = () => {
    left -= 1;
    if (left === 0) over.abort();
  };
  const forgets = wanted.map(({ signal }) => signal && onAbort(signal, leave));
  onAbort(over.signal, () => {
    for (const forget of forgets) forget?.();
  });
  return over;
}
