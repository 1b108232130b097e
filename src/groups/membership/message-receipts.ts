// Receipts for messages that this user has received and read. Members who are online are told at once, by notices that do not count as messages. All
// others learn it with the next message to the group. If none follows for a while, a separate message carries the receipts, provided that
// nothing else waits and at least half of the relay's limit is left for texts.

import { sendSealed } from "../../client/index.js";
import { maxTargets } from "../../client/messages/svc-messages.js";
import type { CatchUp } from "../sending/catch-up.js";
import type { DeviceCore } from "../sending/device-core.js";
import { newBody } from "../sending/new-body.js";
import type { Outbox } from "../sending/outbox.js";
import { callLater } from "../sending/retry.js";
import type { Transaction } from "../store/ledger.js";
import { affectMessages, demandMessages, noteRead } from "../store/messages.js";
import { keyOf, receiptsPrefix, restOf } from "../store/record-keys.js";
import type { Told } from "../store/records.js";
import { keepReceipts, takeReceipts } from "../store/waiting-receipts.js";
import type { Membership } from "./membership.js";
import { sealNotice, sendMessage } from "./sealing.js";

type Status = keyof Told;

/** Receipts within this time are sent together. */
const togetherMillis = 500;
/** Members who connect a little later have missed the first notice, which relays do not store. */
const repeatAfterMillis = [5_000, 30_000] as const;
const alonePauseMillis = 10 * 60_000;

export class Receipts {
  readonly #core: DeviceCore;
  readonly #outbox: Outbox;
  readonly #catchUp: CatchUp;
  readonly #memberships: ReadonlyMap<string, Membership>;
  /** By group, for members who are online. */
  readonly #news = new Map<string, Map<string, { status: Status; notices: number }>>();
  readonly #tellAll = () => void this.#tellOnline({ again: false }).catch(this.#core.problem);
  readonly #repeatAll = () => void this.#tellOnline({ again: true }).catch(this.#core.problem);
  readonly #sendAll = () => void this.#sendAlone().catch(this.#core.problem);

  constructor(
    core: DeviceCore,
    {
      outbox,
      catchUp,
      memberships,
    }: { outbox: Outbox; catchUp: CatchUp; memberships: ReadonlyMap<string, Membership> },
  ) {
    this.#core = core;
    this.#outbox = outbox;
    this.#catchUp = catchUp;
    this.#memberships = memberships;
  }

  async load(): Promise<void> {
    if ((await this.#core.ledger.store.list({ prefix: receiptsPrefix, limit: 1 })).length > 0) this.#sendLater();
  }

  /** Stores receipts that the others do not have yet. Throws a TypeError if one of the messages is unknown. */
  note(membership: Membership, ids: readonly string[], status: Status): Promise<void> {
    const { ledger, account, nowMillis } = this.#core;
    return ledger.inTurn(async (transaction) => {
      const group = membership.id;
      const found = await demandMessages(transaction, { group, ids });
      membership.demandActive();
      if (!membership.isAccepted) {
        // Nobody learns that the user has looked at a request.
        if (status === "read") await noteRead(transaction, group, ids);
        return transaction.commit();
      }
      const isNew = ({ from, receipts: { [account.user]: told } }: (typeof found)[number]) =>
        from.user !== account.user && told !== status && told !== "read";
      if (status === "read") await noteRead(transaction, group, ids);
      const news = [...new Set(found.filter(isNew).map(({ id }) => id))];
      const by = membership.members().find(({ isMe }) => isMe);
      if (news.length === 0 || by === undefined) return transaction.commit();
      const effect = newBody(this.#core, { type: "receipt", targets: news, status });
      await affectMessages(transaction, { group, effect, by, at: Math.floor(nowMillis() / 1000) });
      await keepReceipts(transaction, group, { ids: news, status });
      transaction.afterwards(() => this.#noteNews(group, news, status));
      await transaction.commit();
    });
  }

  #noteNews(group: string, ids: readonly string[], status: Status): void {
    const news = this.#news.get(group) ?? new Map();
    this.#news.set(group, news);
    for (const id of ids) news.set(id, { status, notices: 0 });
    callLater(this.#core.sleep, togetherMillis, this.#tellAll);
    this.#sendLater();
  }

  #sendLater(): void {
    callLater(this.#core.sleep, alonePauseMillis, this.#sendAll);
  }

  /** Tells online members of new receipts, or `again` of those that they may have missed and no message has carried since. */
  async #tellOnline({ again }: { again: boolean }): Promise<void> {
    const { ledger, sealing, device, closing, sleep } = this.#core;
    if ((await sealing.discover()).capabilities.message_lifetime !== true) return this.#news.clear();
    if (!this.#catchUp.isDrained)
      return callLater(sleep, repeatAfterMillis[0], again ? this.#repeatAll : this.#tellAll);
    for (const [group, news] of [...this.#news]) {
      const { delivered = [], read = [] } = (await ledger.read(keyOf(receiptsPrefix, group))) ?? {};
      const untold = new Set([...delivered, ...read]);
      for (const [id, { notices }] of news) if (!untold.has(id) || notices > repeatAfterMillis.length) news.delete(id);
      if (news.size === 0) this.#news.delete(group);
      for (const status of ["delivered", "read"] as const) {
        const told = [...news].filter(([, one]) => one.status === status && one.notices > 0 === again);
        const membership = this.#memberships.get(group);
        if (told.length === 0 || !membership?.isActive) continue;
        for (const [, one] of told) one.notices += 1;
        const ids = told.map(([id]) => id);
        for (let at = 0; at < ids.length; at += maxTargets) {
          const targets = ids.slice(at, at + maxTargets);
          const copies = await sealNotice(membership, newBody(this.#core, { type: "receipt", targets, status }));
          // Members who are offline now learn it with the next message.
          if (copies.length > 0) await sendSealed(device, copies, { signal: closing }).catch(() => undefined);
        }
      }
    }
    if (this.#news.size > 0) callLater(sleep, repeatAfterMillis[again ? 1 : 0], this.#repeatAll);
  }

  async #sendAlone(): Promise<void> {
    const { ledger, device } = this.#core;
    const limit = device.seenLimits().get("messages");
    const isScarce = limit !== undefined && 2 * limit.remaining < limit.limit;
    const waiting = await ledger.store.list({ prefix: receiptsPrefix });
    const [[key] = [""]] = waiting;
    if (waiting.length > 0 && this.#outbox.entries.size === 0 && !isScarce && this.#catchUp.isDrained)
      await ledger.inTurn((transaction) => this.#sendOne(transaction, restOf(key, receiptsPrefix)));
    if (waiting.length > 0) this.#sendLater();
  }

  async #sendOne(transaction: Transaction, group: string): Promise<void> {
    const membership = this.#memberships.get(group);
    const { read, delivered } = await takeReceipts(transaction, group);
    const [status, targets] = read === undefined ? (["delivered", delivered] as const) : (["read", read] as const);
    if (membership?.isActive !== true || targets === undefined) return transaction.commit();
    const rest = read !== undefined && delivered !== undefined ? { delivered } : {};
    await sendMessage(transaction, membership, newBody(this.#core, { type: "receipt", targets, status, ...rest }));
  }
}
