// Deletes messages once their time is over: before anything is shown after a start, and then when it is due. A device that slept looks when it is asked for
// messages.

import { forgetDelivery } from "../store/deliveries.js";
import { endsUntil, nextEnd } from "../store/disappearing-times.js";
import { dropEvents } from "../store/event-queue.js";
import type { Message } from "../store/events.js";
import { forgetFile } from "../store/file-parts.js";
import { messageKey, removeMessage } from "../store/messages.js";
import type { DeviceCore } from "./device-core.js";
import type { Files } from "./files.js";

const deletedAtOnce = 500;
/** A clock may be set, and timers stand still while a device sleeps. */
const longestWaitMillis = 60_000;

export class Disappearing {
  readonly #core: DeviceCore;
  readonly #files: Files;
  #next = Number.POSITIVE_INFINITY;
  #waiting: AbortController | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(core: DeviceCore, files: Files) {
    this.#core = core;
    this.#files = files;
    core.ledger.subscribe((event) => {
      if (event.type === "message") this.#expect(event.message.disappearsAtMillis);
      if (event.type === "history") this.look();
    });
  }

  /** Resolves once nothing is left whose time is over. */
  async load(): Promise<void> {
    await this.#deleteDue();
  }

  /** Deletes what is due. */
  look(): void {
    this.#last = this.#last.then(() => this.#deleteDue()).catch(this.#core.problem);
  }

  async #deleteDue(): Promise<void> {
    const { ledger, nowMillis, closing } = this.#core;
    if (closing.aborted) return;
    while (
      await ledger.inTurn(async (transaction) => {
        const due = await endsUntil(ledger, nowMillis(), deletedAtOnce);
        const gone = new Map<string, string[]>();
        for (const [key, { group, seq }] of due) {
          transaction.remove(key);
          const message = await transaction.read(messageKey(group, seq));
          if (message === undefined) continue;
          const { id } = message;
          removeMessage(transaction, { group, seq });
          forgetDelivery(transaction, { group, message: id });
          await forgetFile(transaction, { group, id });
          await this.#files.takenBack(transaction, { group, id });
          gone.set(group, [...(gone.get(group) ?? []), id]);
        }
        if (gone.size > 0) await dropEvents(transaction, (event) => "message" in event && isIn(gone, event));
        for (const [group, messages] of gone) transaction.event({ type: "disappeared", group, messages });
        await transaction.commit();
        return due.length === deletedAtOnce;
      })
    );
    this.#next = Number.POSITIVE_INFINITY;
    this.#expect(await nextEnd(ledger));
  }

  #expect(atMillis: number | undefined): void {
    if (atMillis === undefined || atMillis >= this.#next) return;
    const { sleep, nowMillis } = this.#core;
    this.#next = atMillis;
    this.#waiting?.abort();
    const waiting = new AbortController();
    this.#waiting = waiting;
    const millis = Math.min(longestWaitMillis, Math.max(0, atMillis - nowMillis()));
    sleep(millis, waiting.signal).then(
      () => this.look(),
      () => undefined,
    );
  }
}

function isIn(
  gone: ReadonlyMap<string, readonly string[]>,
  { group, message }: { group: string; message?: unknown },
): boolean {
  const id = typeof message === "string" ? message : (message as Message | undefined)?.id;
  return id !== undefined && gone.get(group)?.includes(id) === true;
}
