// The attempts of an epoch: each is a slot that one commit can take, in their order.

import { decodeBase64, encodeBase64, encodeHex } from "../../protocol/encodings.js";
import type { AnswerOf, CallOptions } from "../connection/calls.js";
import type { Exporter } from "../crypto/envelope.js";
import type { DeviceClient } from "../device/client.js";
import { commitSlotKey } from "./slot-names.js";
import { readSlot } from "./slot-reader.js";
import { isSlotReceipt, type SlotReceipt, type SlotRelay } from "./slot-receipts.js";
import { openAttempts, type SlotTakers, type TakenInTurn, type TurnSlot, takenInTurn } from "./user-attempts.js";

/** Without `takers`. */
const maxAttempts = 16;

interface AttemptsOptions {
  device: DeviceClient;
  relay: SlotRelay;
  exporter: Exporter;
  takers?: SlotTakers | undefined;
}

/** What the attempts of an epoch from `from` on have taken, whatever became of it, up to the first one that is free or is kept no longer. */
export async function* readAttempts(
  options: AttemptsOptions & { from: number },
  call: CallOptions = {},
): AsyncGenerator<{ attempt: number; content: Uint8Array; receipt: SlotReceipt }> {
  const attempts = await Attempts.of(options);
  for (let attempt = Math.min(options.from, openAttempts); ; attempt++) {
    const found = await attempts.read(attempt, call);
    if (found.kind !== "taken") return;
    if (attempt >= options.from) yield { attempt, content: found.content, receipt: found.receipt };
  }
}

const unproved = "the relay has not proved what the commit slot has taken";

/** What an attempt has. `over`: there is no such attempt, because everybody who could take it has had theirs. */
type AttemptAnswer =
  | { kind: "free" }
  | { kind: "expired" }
  | { kind: "over" }
  | { kind: "taken"; content: Uint8Array; receipt: SlotReceipt };

type AttemptSlot = Pick<TurnSlot, "slot" | "key"> & Partial<TurnSlot>;

/** The attempts of one epoch. They are asked for in their order: who has taken one says which slot the next one is. */
export class Attempts {
  /** The slot of the first one, which stands for the epoch. */
  readonly first: string;
  /** The slots as far as they are known. */
  readonly slots: string[];
  readonly #given: AttemptsOptions;
  readonly #relay: SlotRelay;
  /** Users who have taken the attempts after the open ones. */
  readonly #takenBy: number[] = [];
  #inTurn: TakenInTurn | undefined;

  private constructor(given: AttemptsOptions, relay: SlotRelay, first: string) {
    this.#given = given;
    this.#relay = relay;
    this.first = first;
    this.slots = [first];
  }

  static async of(given: AttemptsOptions): Promise<Attempts> {
    const relay = { ...given.relay, domain: given.relay.domain.toLowerCase() };
    const { slot } = await commitSlotKey(relay, { exporter: given.exporter, attempt: 0 });
    return new Attempts(given, relay, slot);
  }

  async read(attempt: number, call: CallOptions): Promise<AttemptAnswer> {
    const at = await this.at(attempt);
    if (at === undefined) return { kind: "over" };
    const found = await readSlot(this.#given.device, { slot: at.slot, domain: this.#elsewhere().domain }, call);
    return found.kind === "taken" ? { kind: "taken", ...this.#proved(at, found, { attempt }) } : found;
  }

  /** Only if the attempt has a key for this device. */
  async take(attempt: number, content: Uint8Array, call: CallOptions) {
    const at = await this.at(attempt);
    if (at?.key === undefined) throw new Error("this device cannot take the attempt");
    const slot_key = encodeHex(this.#relay.slotKey);
    const body = { content: encodeBase64(content), slot_key, ...at.key.sign(content), ...this.#elsewhere() };
    const taken = await this.#given.device.call("takeSlot", { ...call, path: { slot: at.slot }, body });
    return this.#proved(at, taken, { attempt, own: taken.won ? content : undefined });
  }

  /** The slot of an attempt. Undefined if nobody can take it, or not all before it were read. */
  async at(attempt: number): Promise<AttemptSlot | undefined> {
    const found = await this.#find(attempt);
    if (found !== undefined) this.slots[attempt] ??= found.slot;
    return found;
  }

  async #find(attempt: number): Promise<AttemptSlot | undefined> {
    const { exporter, takers } = this.#given;
    if (takers === undefined && attempt >= maxAttempts) return undefined;
    if (takers === undefined || attempt < openAttempts) {
      const key = await commitSlotKey(this.#relay, { exporter, attempt });
      return { slot: key.slot, key };
    }
    const before = this.#takenBy.slice(0, attempt - openAttempts);
    if (before.length < attempt - openAttempts) return undefined;
    this.#inTurn ??= await takenInTurn(this.#relay, exporter, takers);
    return this.#inTurn.attempt(attempt, before);
  }

  /** Names the relay with the slots, if it is another one than the device's own. */
  #elsewhere(): { domain?: string } {
    const { domain } = this.#relay;
    return this.#given.device.connection.domain.toLowerCase() === domain ? {} : { domain };
  }

  /** Throws if the receipt does not prove what the relay says, or it does not say who has taken the slot. */
  #proved(
    { slot, takenBy }: AttemptSlot,
    answer: Pick<AnswerOf<"takeSlot">, "content" | "receipt" | "taker">,
    { attempt, own }: { attempt: number; own?: Uint8Array | undefined },
  ) {
    const content = own ?? decodeBase64(answer.content ?? "");
    const { receipt, taker } = answer;
    if (content === undefined || !isSlotReceipt(receipt, { relay: this.#relay, slot, content }))
      throw new Error(unproved);
    if (takenBy !== undefined) {
      const user = takenBy(taker, content);
      if (user === undefined) throw new Error(unproved);
      this.#takenBy[attempt - openAttempts] = user;
    }
    return { content, receipt };
  }
}
