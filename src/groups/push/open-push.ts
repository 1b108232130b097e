// What a push is about, for a notification: opens the messages that wait at the relay, beside the program or tab that has the store locked. Nothing is used up: messages
// stay in the queue, keys stay as they are, and nothing is sent to anybody. What the messages change, such as one that is taken back, changes a copy that is thrown away.

import { sha256 } from "@noble/hashes/sha2.js";
import {
  type ConnectionOptions,
  connectDevice,
  type DeviceClient,
  deviceKeysOf,
  kindOfEnvelope,
  openEnvelope,
} from "../../client/index.js";
import { demandOptions } from "../../client/runtime/arguments.js";
import { decodeBase64, encodeHex } from "../../protocol/encodings.js";
import { readDeviceMessage } from "../devices/device-messages.js";
import { loadPeople, readLocal, readPosition, takeLocal } from "../devices/local-state.js";
import { lastSession } from "../devices/own-address.js";
import { readContent } from "../encoding/content.js";
import { encodeRecord } from "../encoding/records.js";
import { doorKeysOf } from "../membership/door-keys.js";
import { Membership, type MembershipParts, type Opened } from "../membership/membership.js";
import { receiveOpened } from "../membership/receiving.js";
import { judging } from "../mls/judging-library.js";
import type { Mls } from "../mls/mls.js";
import { CatchUp } from "../sending/catch-up.js";
import type { DeviceCore } from "../sending/device-core.js";
import { Outbox } from "../sending/outbox.js";
import type { Message } from "../store/events.js";
import { Users } from "../store/known-users.js";
import { Ledger } from "../store/ledger.js";
import { messageKey } from "../store/messages.js";
import {
  accountKey,
  groupPrefix,
  keyOf,
  linkPrefix,
  pushSessionKey,
  restOf,
  seenPrefix,
} from "../store/record-keys.js";
import type { StoredMembership } from "../store/records.js";
import type { Store } from "../store/store.js";
import { unwrittenStore } from "./unwritten-store.js";

export interface PushOptions extends Omit<ConnectionOptions, "url"> {
  /** The store of `openGroups`. It is read without its lock, and closed afterwards. Only a new session with the relay is written. */
  store: Pick<Store, "get" | "list" | "write" | "close">;
  mls: Mls;
  /** No further message is opened after this time: platforms end what runs in the background after about 30 s. The default is 20 s. */
  budgetMillis?: number | undefined;
}

/** A group that the user has accepted. */
export interface PushedGroup {
  id: string;
  name: string;
  /** What the user has set for it (`Group.local`), such as that it is muted. */
  local: Record<string, unknown>;
}

export interface PushedMessage {
  group: PushedGroup;
  /** As it is by now: edited, if its sender has edited it. */
  message: Message;
  /** Whether it names the user. */
  isMention: boolean;
}

export interface OpenedPush {
  /**
   * What waits for the user, oldest first: messages of others in groups that the user has accepted, which are not read on another device, taken back, or past their
   * time. A message stays in the list until `openGroups` has received it. What is not in the list any more has no place in a notification.
   */
  messages: PushedMessage[];
  /** Groups of which something waits that only `openGroups` can open, because their members have changed something meanwhile. */
  unopened: PushedGroup[];
  /** False if more waits than was opened. */
  isWhole: boolean;
}

/** As many messages as a relay answers with at once. */
const pageMessages = 1_000;
const usualBudgetMillis = 20_000;
const nothing: OpenedPush = { messages: [], unopened: [], isWhole: true };

/**
 * Opens what waits at the relay, for a notification. Works while the device is open elsewhere or closed. Throws if the relay cannot be reached, or does not
 * know the device any more; tell the user then that messages wait.
 */
export async function openPush(options: PushOptions): Promise<OpenedPush> {
  demandOptions(options, "options");
  const { store } = options;
  try {
    const ledger = new Ledger(unwrittenStore(store));
    await ledger.load();
    const account = await ledger.read(accountKey);
    if (account?.address === undefined) return nothing;
    await loadPeople(ledger, account.user ?? "");
    const whole = { successors: [], ...account } as DeviceCore["account"];
    return await new Reader(ledger, await coreOf(ledger, whole, options)).read(options);
  } finally {
    await store.close();
  }
}

/** Without what sends or waits. */
async function coreOf(ledger: Ledger, account: DeviceCore["account"], options: PushOptions): Promise<DeviceCore> {
  const { store, mls, domain = account.domain, retries, runtime } = options;
  const device = await connectDevice({
    url: account.relay,
    domain,
    keys: deviceKeysOf(account.deviceSecret),
    retries,
    runtime,
    session: await lastSession(ledger),
    // A device begins few sessions in an hour.
    onSession: (session) => store.write([[pushSessionKey, encodeRecord(session)]]),
  });
  const { connection } = device;
  return {
    ledger,
    mls: await judging(mls),
    device,
    sealing: connection,
    account,
    users: new Users(ledger, account),
    nowMillis: () => connection.clock.nowMillis(),
    randomBytes: connection.runtime.randomBytes,
    sleep: (millis, signal) => connection.runtime.sleep(millis, signal),
    closing: new AbortController().signal,
    problem: () => {},
  };
}

interface Found {
  id: string;
  opened: Opened;
}

class Reader {
  readonly #ledger: Ledger;
  readonly #core: DeviceCore;
  readonly #parts: MembershipParts;
  /** By id. Their MLS states are loaded once a message needs them. */
  readonly #groups = new Map<string, StoredMembership>();
  /** Numbers of messages that have come, with their groups, in their order. */
  readonly #come = new Map<number, string>();
  /** Groups of which a commit waits. */
  readonly #changed = new Set<string>();

  constructor(ledger: Ledger, core: DeviceCore) {
    this.#ledger = ledger;
    this.#core = core;
    this.#parts = { core, outbox: new Outbox(ledger), catchUp: new CatchUp(core), memberships: new Map() };
    ledger.subscribe((event) => {
      if (event.type === "message" && !event.message.isMine) this.#come.set(event.message.seq, event.group);
    });
  }

  async read({ budgetMillis = usualBudgetMillis }: PushOptions): Promise<OpenedPush> {
    const { device, nowMillis } = this.#core;
    const endMillis = nowMillis() + budgetMillis;
    for (const [key, stored] of await this.#ledger.readAll(groupPrefix))
      if (isHeard(stored)) this.#groups.set(restOf(key, groupPrefix), stored);
    let isWhole = true;
    let isUnopened = false;
    for await (const one of queued(device)) {
      const isOver = nowMillis() >= endMillis;
      isWhole &&= one !== undefined && !isOver;
      if (isOver) break;
      if (one === undefined) continue;
      const { message_id: messageId, mls_ciphertext, received_at: receivedAtSeconds } = one;
      const ciphertext = decodeBase64(mls_ciphertext);
      // A Welcome may be anybody's.
      if (ciphertext === undefined || kindOfEnvelope(ciphertext) !== "group") continue;
      const hash = encodeHex(sha256(ciphertext));
      if ((await this.#ledger.store.get(keyOf(seenPrefix, hash))) !== undefined) continue;
      const found = this.#find(ciphertext);
      if (found !== undefined) await this.#receive(found, { hash, messageId, receivedAtSeconds });
      else if (!(await this.#takeOwn(ciphertext))) isUnopened = true;
    }
    const messages: PushedMessage[] = [];
    for (const [seq, group] of this.#come) messages.push(...(await this.#present(group, seq)));
    // Strangers can send what nobody opens. What waits for a commit comes after the news of one, which only members can seal.
    const unopened = isUnopened ? await Promise.all([...this.#changed].map((id) => this.#groupOf(id))) : [];
    return { messages, unopened, isWhole };
  }

  #find(ciphertext: Uint8Array): Found | undefined {
    for (const [id, { epochs }] of this.#groups)
      for (const { keys, epoch } of epochs) {
        const content = openEnvelope(keys, ciphertext);
        if (content !== undefined) return { id, opened: { content, epoch } };
      }
    return undefined;
  }

  async #receive(
    { id, opened }: Found,
    received: { hash: string; messageId: string; receivedAtSeconds: number },
  ): Promise<void> {
    const kind = readContent(opened.content)?.kind;
    if (kind === "commit" && opened.epoch === this.#groups.get(id)?.epochs[0]?.epoch) this.#changed.add(id);
    if (kind !== "mls") return;
    const membership = this.#parts.memberships.get(id) ?? (await Membership.load(this.#parts, id));
    await this.#ledger.inTurn(async (transaction) => {
      await receiveOpened(transaction, membership, { ...received, ...opened });
      await transaction.commit();
    });
  }

  /** Another device of the user may have told what was read there, or muted. False if it comes from none. */
  async #takeOwn(ciphertext: Uint8Array): Promise<boolean> {
    for (const [, { secret }] of await this.#ledger.readAll(linkPrefix)) {
      const content = openEnvelope(await doorKeysOf(secret), ciphertext);
      if (content === undefined) continue;
      const told = readDeviceMessage(content);
      await this.#ledger.inTurn(async (transaction) => {
        if (told?.type === "local") await takeLocal(transaction, told.groups, this.#core.nowMillis());
        await transaction.commit();
      });
      return true;
    }
    return false;
  }

  /** A message as all that waits has left it. */
  async #present(group: string, seq: number): Promise<PushedMessage[]> {
    const { account, nowMillis } = this.#core;
    const stored = await this.#ledger.read(messageKey(group, seq));
    // Another device may just have told that the user has blocked somebody.
    const message = stored && this.#ledger.people.shownOf(stored);
    const isOver = (atMillis = Number.POSITIVE_INFINITY) => atMillis <= nowMillis();
    if (message === undefined || isTakenBack(message) || isOver(message.disappearsAtMillis)) return [];
    // Another device of the user may have left the group meanwhile.
    if (!this.#parts.memberships.get(group)?.isFollowed) return [];
    if ((await readPosition(this.#ledger, group)) >= seq) return [];
    const isMention = message.mentions?.some(({ user }) => user === account.user) ?? false;
    return [{ group: await this.#groupOf(group), message, isMention }];
  }

  async #groupOf(id: string): Promise<PushedGroup> {
    const membership = this.#parts.memberships.get(id) ?? (await Membership.load(this.#parts, id));
    return { id, name: membership.name, local: await readLocal(this.#ledger, id) };
  }
}

/** All that waits, oldest first, by pages: nothing is acknowledged, so each page begins with the second in which the last one has ended. Undefined stands for what a flood in one second hides. */
async function* queued(device: DeviceClient) {
  let seen = new Set<string>();
  for (let since = 0; ; ) {
    const page = await device.poll({ limit: pageMessages, ...(since > 0 && { since }) });
    const ids = page.messages.map(({ message_id: id }) => id);
    const isStuck = ids.every((id) => seen.has(id));
    yield* page.messages.filter(({ message_id: id }) => !seen.has(id));
    if (!page.has_more) return;
    if (isStuck) yield undefined;
    seen = new Set(ids);
    since = isStuck ? since + 1 : (page.messages.at(-1)?.received_at ?? since + 1);
  }
}

/** The user has accepted it, and is in it. */
function isHeard({ state, consent }: StoredMembership): boolean {
  return state === "active" && consent === undefined;
}

function isTakenBack({ text, editedAtMillis, file, content }: Message): boolean {
  return editedAtMillis !== undefined && text === "" && file === undefined && content === undefined;
}
