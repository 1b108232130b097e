// Sends what is in the outbox: each copy until its recipient's relay has taken it or refused it for good.

import { AnswerError, ConnectionError, type ErrorName, type Schemas, type SealedMessage } from "../../client/index.js";
import { doublingWait } from "../../protocol/doubling-wait.js";
import type { Body } from "../encoding/content.js";
import { noteSent, noteUndelivered, noteWaiting } from "../store/deliveries.js";
import type { UndeliveredReason } from "../store/events.js";
import type { Transaction } from "../store/ledger.js";
import { movedKey } from "../store/record-keys.js";
import type { OutboxItem } from "../store/records.js";
import type { DeviceCore } from "./device-core.js";
import { NextBatch } from "./next-batch.js";
import type { Copy, Entry, Outbox } from "./outbox.js";
import { firstPauseMillis, longestPauseMillis, pauses, RecipientWaits } from "./recipient-waits.js";
import { isFinal, keptMillis, passes, waitAfter } from "./retry.js";

type Status = Schemas["MessageStatus"];

/** The outbox's view of groups. */
interface Epochs {
  /** Resolves once this device has followed the group as far as it can, or is no longer in it. */
  followed(group: string): Promise<void>;
  /** Whether this device has entered the group's present epoch after this time, or is no longer in the group. */
  isNewerEpoch(group: string, thanMillis: number): boolean;
  /** Seals the content of an item again in the group's present epoch. Undefined if this device may no longer send it. */
  sealAgain(transaction: Transaction, group: string, body: Body): Promise<SealedMessage[] | undefined>;
}

/** Sends what is in the outbox. */
export class Sender {
  readonly #core: DeviceCore;
  readonly #epochs: Epochs;
  readonly #entries: Map<string, Entry>;
  readonly #waits = new RecipientWaits();
  readonly #next: NextBatch;
  /** Copies whose address was not found once, by id, and whether their group was followed since. */
  readonly #notFound = new Map<string, { isFollowed: boolean }>();
  /** Where copies were sent before they were redirected, by id: members may say that they have moved in a circle. */
  readonly #tried = new Map<string, Set<string>>();
  /** Requests in a row that failed. */
  #failures = 0;
  #running: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  /** Whether it waits because nothing can be sent, not because sending has failed. */
  #isIdle = false;

  constructor(core: DeviceCore, { outbox, epochs }: { outbox: Outbox; epochs: Epochs }) {
    this.#core = core;
    this.#epochs = epochs;
    this.#entries = outbox.entries;
    this.#next = new NextBatch(outbox.entries, this.#waits, (entry, now) => this.#isHeld(entry, now));
    outbox.subscribe(() => {
      if (!this.#waits.isEmpty) void this.#tellDelays().catch(core.problem);
      if (this.#isIdle) this.#wake?.();
      this.start();
    });
  }

  /** Sends what can be sent, now and later. */
  start(): void {
    if (this.#core.closing.aborted || this.#entries.size === 0) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      // Something may have been posted since it has looked.
      this.start();
    });
  }

  /** Tries again at once what waits, because the relay can be reached again. */
  hurry(): void {
    this.#waits.endAll();
    this.#beginAgain();
    this.#wake?.();
    this.start();
  }

  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#entries.size > 0 && !this.#core.closing.aborted) {
      try {
        const due = this.#next.due(this.#core.nowMillis());
        if ("batch" in due) await this.#send(due.batch);
        else await this.#pause(due.waitMillis, true);
      } catch (problem) {
        // The store has failed: what was sent is sent again, which the relays recognise.
        this.#core.problem(problem);
        this.#beginAgain();
        await this.#pause(firstPauseMillis);
      }
    }
  }

  async #send(batch: readonly Copy[]): Promise<void> {
    const { device, closing } = this.#core;
    let statuses: Status[];
    try {
      const messages = batch.map(({ message }) => message);
      statuses = (
        await device.sendBatch(messages, { signal: closing, oneMessage: messages.length > 1 && isOneItem(batch) })
      ).message_statuses;
    } catch (problem) {
      if (closing.aborted) return;
      return this.#failed(batch, problem);
    }
    this.#failures = 0;
    this.#waits.limit(undefined);
    this.#next.grow();
    await this.#note(batch, statuses);
    await this.#tellDelays();
  }

  /** The whole request was refused, or there was no answer. */
  async #failed(batch: readonly Copy[], problem: unknown): Promise<void> {
    this.#core.problem(problem);
    this.#beginAgain();
    const refusal = isFinal(problem) ? problem : undefined;
    // Proxies have limits of their own, of which the relay does not know. What is too large alone never goes through.
    const isTooLarge = problem instanceof ConnectionError && problem.status === 413;
    if ((refusal !== undefined || isTooLarge) && batch.length > 1) {
      // One of them, or their number, is to blame.
      this.#next.halve(batch);
      return;
    }
    if (isTooLarge) return this.#note(batch, [{ status: "rejected", error: "MESSAGE_TOO_LARGE" } as Status]);
    if (refusal !== undefined) {
      const [copy] = batch as [Copy];
      return this.#remove([], [{ copy, error: refusal.error as ErrorName }]);
    }
    this.#failures += 1;
    const waitMillis = waitAfter(problem, doublingWait(this.#failures, pauses));
    if (problem instanceof AnswerError)
      this.#waits.limit({ error: problem.error as ErrorName, retryAtMillis: this.#core.nowMillis() + waitMillis });
    await this.#tellDelays();
    await this.#pause(waitMillis);
  }

  async #note(batch: readonly Copy[], statuses: readonly Status[]): Promise<void> {
    const now = this.#core.nowMillis();
    const accepted: Copy[] = [];
    const refused: { copy: Copy; error: UndeliveredReason }[] = [];
    const moved: { copy: Copy; to: string }[] = [];
    for (const [at, copy] of batch.entries()) {
      const { status, error, retry_after: retryAfter = 0 } = statuses[at] as Status;
      const { to } = copy.message;
      if (status !== "rejected") {
        accepted.push(copy);
      } else if (error === "ADDRESS_NOT_FOUND") {
        const next = await this.#core.ledger.read(movedKey(copy.entry.item.group, to));
        const tried = this.#tried.get(copy.message.messageId);
        if (next !== undefined && next.to !== to && !tried?.has(next.to)) moved.push({ copy, to: next.to });
        else if (this.#mustGiveUp(copy)) refused.push({ copy, error });
      } else if (error === undefined || !passes(error)) {
        refused.push({ copy, error: error ?? "INTERNAL" });
      } else if (copy.entry.item.createdAtMillis < now - keptMillis) {
        refused.push({ copy, error: "EXPIRED" });
      } else if (!this.#waits.isBlocked(to, now)) {
        this.#waits.refused(to, { error, now, retryAfter });
      }
    }
    await this.#redirect(moved);
    await this.#remove(accepted, refused);
  }

  /** Tells the application what waits for long. */
  async #tellDelays(): Promise<void> {
    const news = this.#waits.news(this.#entries.values(), this.#core.nowMillis());
    if (news.length === 0) return;
    await this.#core.ledger.inTurn(async (transaction) => {
      for (const { event, delay } of news) {
        const { group, message } = event;
        if (message !== undefined) await noteWaiting(transaction, { group, message }, delay);
        transaction.event({ type: "delayed", ...event });
      }
      await transaction.commit();
    });
  }

  /** Whether an item waits because the others may have no keys for it: it is old, or was sealed by a device that had been off for long. */
  #isHeld(entry: Entry, now: number): boolean {
    const { message, createdAtMillis, body } = entry.item;
    const isOld = message !== undefined && createdAtMillis < now - keptMillis;
    if ((isOld || body !== undefined) && entry.age === undefined) this.#hold(entry);
    return entry.age === "asked";
  }

  #hold(entry: Entry): void {
    const { group, createdAtMillis } = entry.item;
    entry.age = "asked";
    const decide = async () => {
      const { copies } = entry.item;
      if (this.#epochs.isNewerEpoch(group, createdAtMillis) && !(await this.#sealAgain(entry)))
        await this.#remove(
          [],
          copies.map((copy) => ({ copy: { entry, message: copy }, error: "EXPIRED" })),
        );
      entry.age = "sendable";
      this.#beginAgain();
    };
    const askAgain = (problem: unknown) => {
      delete entry.age;
      this.#core.problem(problem);
    };
    const followed = this.#epochs.followed(group);
    // If the relay with the group's commits is away, an item that is not old is sent as it is.
    const late = () => this.#core.sleep(longestPauseMillis).catch(() => followed);
    const isOld = createdAtMillis < this.#core.nowMillis() - keptMillis;
    const known = isOld ? followed : Promise.race([followed, late()]);
    known.then(decide).catch(askAgain);
  }

  /** False if nobody is to get it any more, or its content is not kept. */
  async #sealAgain(entry: Entry): Promise<boolean> {
    const { body, ...rest } = entry.item;
    if (body === undefined) return false;
    return this.#core.ledger.inTurn(async (transaction) => {
      const copies = await this.#epochs.sealAgain(transaction, rest.group, body);
      if (copies === undefined || copies.length === 0) return false;
      const item: OutboxItem = { ...rest, copies, createdAtMillis: this.#core.nowMillis() };
      transaction.set(entry.key, item);
      transaction.afterwards(() => {
        entry.item = item;
      });
      await transaction.commit();
      return true;
    });
  }

  /** The member may have another address by a commit that this device has not seen: it follows the group first. */
  #mustGiveUp({ entry, message }: Copy): boolean {
    const { messageId: id, to } = message;
    const known = this.#notFound.get(id);
    if (known?.isFollowed) return this.#notFound.delete(id);
    this.#waits.begin(to);
    if (known !== undefined) return false;
    const asked = { isFollowed: false };
    this.#notFound.set(id, asked);
    const again = () => {
      asked.isFollowed = true;
      this.#waits.end(to);
      this.#beginAgain();
    };
    this.#epochs.followed(entry.item.group).then(again, this.#core.problem);
    return false;
  }

  /** The same bytes go to where the member is now. */
  async #redirect(moved: readonly { copy: Copy; to: string }[]): Promise<void> {
    if (moved.length === 0) return;
    this.#beginAgain();
    this.#forget(moved.map(({ copy }) => copy));
    for (const { messageId, to } of moved.map(({ copy }) => copy.message))
      this.#tried.set(messageId, (this.#tried.get(messageId) ?? new Set()).add(to));
    await this.#core.ledger.inTurn(async (transaction) => {
      for (const { copy, to } of moved) {
        const { entry, message } = copy;
        const copies = entry.item.copies.map((one) => (one === message ? { ...one, to } : one));
        const item = { ...entry.item, copies };
        transaction.set(entry.key, item);
        entry.item = item;
      }
      await transaction.commit();
    });
  }

  /** Takes copies out of their items, and tells the application what became of them. */
  async #remove(
    accepted: readonly Copy[],
    refused: readonly { copy: Copy; error: UndeliveredReason }[],
  ): Promise<void> {
    const copies = [...accepted, ...refused.map(({ copy }) => copy)];
    const gone = new Set(copies.map(({ message }) => message));
    const touched = new Set(copies.map(({ entry }) => entry));
    if (touched.size === 0) return;
    this.#forget(copies);
    for (const { messageId } of gone) this.#tried.delete(messageId);
    await this.#core.ledger.inTurn(async (transaction) => {
      for (const { copy, error } of refused) {
        const { group, message } = copy.entry.item;
        const { to: address } = copy.message;
        if (message !== undefined) await noteUndelivered(transaction, { group, message }, { address, error });
        transaction.event({ type: "undelivered", group, address, error, ...(message && { message }) });
      }
      for (const entry of touched) await this.#shrink(transaction, entry, gone);
      await transaction.commit();
    });
  }

  /** What was noted of copies that do not go to their recipient any more. */
  #forget(copies: readonly Copy[]): void {
    const now = this.#core.nowMillis();
    for (const { messageId, to } of copies.map(({ message }) => message)) {
      this.#notFound.delete(messageId);
      // Another copy may have to wait.
      if (!this.#waits.isBlocked(to, now)) this.#waits.end(to);
    }
  }

  async #shrink(transaction: Transaction, entry: Entry, gone: ReadonlySet<SealedMessage>): Promise<void> {
    const { group, message } = entry.item;
    const copies = entry.item.copies.filter((copy) => !gone.has(copy));
    const item = { ...entry.item, copies };
    if (copies.length > 0) transaction.set(entry.key, item);
    else {
      transaction.remove(entry.key);
      if (message !== undefined) {
        await noteSent(transaction, { group, message });
        transaction.event({ type: "sent", group, message });
      }
    }
    transaction.afterwards(() => {
      entry.item = item;
      if (copies.length > 0) return;
      this.#entries.delete(entry.key);
      this.#waits.forget(entry.key);
    });
  }

  /** Goes through all items again: something that had to wait may be sent now. */
  #beginAgain(): void {
    this.#next.beginAgain();
    if (this.#isIdle) this.#wake?.();
  }

  async #pause(millis: number, isIdle = false): Promise<void> {
    const ending = new AbortController();
    this.#wake = () => ending.abort();
    this.#isIdle = isIdle;
    await this.#core.sleep(millis, ending.signal).catch(() => undefined);
    this.#isIdle = false;
    this.#wake = undefined;
  }
}

/** Whether they are copies of one item, each for another recipient. */
function isOneItem(batch: readonly Copy[]): boolean {
  const isApart = new Set(batch.map(({ message }) => message.to)).size === batch.length;
  return isApart && batch.every(({ entry }) => entry === batch[0]?.entry);
}
