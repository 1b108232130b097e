// One device with all its groups: opens what is stored, receives, and sends.

import {
  type Admission,
  AnswerError,
  type ConnectionOptions,
  connectDevice,
  type DeviceClient,
  deviceKeysOf,
  loaded,
  newSecretKey,
  type Receiving,
  type ReceivingEnd,
  type ReceivingStatus,
  type Session,
} from "../client/index.js";
import { atLeast, demand, demandNumber, demandOptions, demandUrl, ifGiven } from "../client/runtime/arguments.js";
import { allowManyListeners } from "../client/runtime/builtin-module.js";
import { callBack } from "../client/runtime/callbacks.js";
import { isHex32 } from "../protocol/encodings.js";
import type { DeviceStatus } from "./devices/device-status.js";
import { Devices } from "./devices/devices.js";
import { KeyPackages } from "./devices/key-packages.js";
import type { CompareOptions, LinkOptions } from "./devices/linking.js";
import { Addresses, keepSession, lastSession } from "./devices/own-address.js";
import { askingBy } from "./devices/request-sending.js";
import { safetyNumberOf } from "./devices/safety-numbers.js";
import { demandName } from "./encoding/names.js";
import { encodeRecord } from "./encoding/records.js";
import type { DirectOptions, Founded } from "./founding.js";
import { Group } from "./group.js";
import { Inbox } from "./inbox.js";
import { Consents } from "./membership/consent.js";
import { membersWith } from "./membership/direct-chats.js";
import { Arrivals, Fetcher } from "./membership/group-info-download.js";
import { InvitationError } from "./membership/invitation-error.js";
import { CommitLoops } from "./membership/loops-of-all-groups.js";
import { Membership, type MembershipParts } from "./membership/membership.js";
import { Receipts } from "./membership/message-receipts.js";
import { Pruning } from "./membership/pruning.js";
import type { Ask } from "./membership/request-encoding.js";
import type { Change } from "./mls/changes.js";
import { judging } from "./mls/judging-library.js";
import type { Person } from "./mls/members.js";
import type { Mls } from "./mls/mls.js";
import type { Permission } from "./mls/permissions.js";
import { isContact } from "./profiles/contacts.js";
import type * as OwnProfile from "./profiles/own-profile.js";
import type { ProfileOptions } from "./profiles/own-profile.js";
import type { Picture } from "./profiles/pictures.js";
import type { RestoreOptions } from "./recovery/backup.js";
import { CatchUp } from "./sending/catch-up.js";
import { type DeviceCore, untilClosed } from "./sending/device-core.js";
import { Disappearing } from "./sending/disappearing.js";
import { Files } from "./sending/files.js";
import { Outbox } from "./sending/outbox.js";
import { isFinal, waitAfter } from "./sending/retry.js";
import { Sender } from "./sending/sender.js";
import { Chats } from "./store/chats.js";
import { EventQueue } from "./store/event-queue.js";
import type { Message, Status, StoredEvent } from "./store/events.js";
import { forgetGroup, forgetRest } from "./store/forgetting.js";
import { Users } from "./store/known-users.js";
import { Ledger, type Listener } from "./store/ledger.js";
import {
  accountKey,
  changePrefix,
  deliveryPrefix,
  discoveryKey,
  groupPrefix,
  keptFilePrefix,
  lostPrefix,
  outPrefix,
  packagePrefix,
  picturesKey,
  restOf,
  unlinkedKey,
  waitingPrefix,
} from "./store/record-keys.js";
import { personOf } from "./store/shown-people.js";
import { type Store, StoreLockedError } from "./store/store.js";

export interface GroupsOptions extends Omit<ConnectionOptions, "url"> {
  /** The base address of the device's relay, such as `https://relay.example`. May be missing if the store has a device (`hasDevice`). */
  relay?: string | undefined;
  /** Keeps everything, also the device's secret keys. */
  store: Store;
  mls: Mls;
  /** What the user calls themself; other members see it. It is used when the device is made, and kept: it may be missing later. */
  name?: string | undefined;
  /**
   * How the device is admitted by its relay the first time, and again if the relay has removed it because it was off for long. By a delay proof if this
   * is missing.
   */
  admission?: Admission | undefined;
  /** Makes this device one of a user who has another device already, the first time that it is opened. `name` is that user's then. */
  link?: LinkOptions | undefined;
  /** Makes this device from a backup, the first time that it is opened, as a further device of its user, whom the members of the groups let in again. Throws RecoveryError. */
  restore?: RestoreOptions | undefined;
  /** How many bytes of files that were sent or downloaded are kept in the store: a relay deletes them after some time. The default is none. */
  keepFiles?: number | undefined;
  /**
   * Whether groups that strangers have added this device to are accepted at once. The default is true, for programs that nobody looks at. With false, such a group is a request: the event is
   * `invited`, and this device sends nothing to its members until `Group.accept`. So is a direct chat with somebody whom the user only shares a group with, and each group by them after 32. A group
   * that the user has left is always a request, and so is one to which a device adds this one that its user has unlinked, as far as this device knows.
   */
  autoAccept?: boolean | undefined;
  /** What to do while another program or tab uses the store. `refuse` throws StoreLockedError. The default is `wait`. */
  whenLocked?: "wait" | "refuse" | undefined;
  /** Called if it has to wait for the store. */
  onLocked?: (() => void) | undefined;
}

type Discovery = Awaited<ReturnType<DeviceClient["connection"]["discover"]>>;

const registerPauseMillis = 60_000;
/** So many messages are stored by one transaction, and others may be on their way meanwhile. */
const messagesAtOnce = 100;
const receivingWindow = 200;
const groupIdBytes = 16;
const usualHits = 50;
const maxHits = 1_000;
const maxQueryLength = 1_000;

export interface SearchOptions {
  /** Only in this group. */
  group?: string | undefined;
  /** The default is 50, the most 1,000. */
  limit?: number | undefined;
  /** Ends the search with an AbortError. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens the device that is in the store, or makes one. The first time it registers the device at the relay; later it opens without the
 * network. It receives and sends until `close`.
 */
export async function openGroups(options: GroupsOptions): Promise<Groups> {
  demandOptions(options, "options");
  const { relay, store, mls, whenLocked = "wait", onLocked } = options;
  ifGiven(relay, (url) => demandUrl(url, "relay"));
  ifGiven(options.keepFiles, (bytes) => demandNumber(bytes, "keepFiles", atLeast(0)));
  demandPart(store, "store", { has: "lock", such: "sqliteStore(file) or indexedDbStore(name)" });
  demandPart(mls, "mls", { has: "newSigner", such: "tsMls()" });
  if (!(await store.lock({ wait: false }))) {
    if (whenLocked === "refuse") throw new StoreLockedError();
    callBack(onLocked, []);
    await store.lock({ wait: true });
  }
  try {
    return await Groups.open(options);
  } catch (problem) {
    await store.close();
    throw problem;
  }
}

/** Whether `openGroups` would open the device of a store, not make one. True as well while another program uses the store. */
export async function hasDevice(store: Store): Promise<boolean> {
  if (!(await store.lock({ wait: false }))) return true;
  try {
    return (await store.get(accountKey)) !== undefined;
  } finally {
    await store.close();
  }
}

/** A part that the application chooses. */
function demandPart(value: unknown, what: string, { has, such }: { has: string; such: string }): void {
  const holds = typeof (value as Record<string, unknown> | undefined | null)?.[has] === "function";
  demand(holds, value, { what, expected: `what ${such} returns` });
}

export class Groups {
  /** The device at its relay, for what has nothing to do with groups. */
  readonly device: DeviceClient;
  readonly #core: DeviceCore;
  readonly #opened: Opened;
  readonly #admission: Admission | undefined;
  readonly #catchUp: CatchUp;
  readonly #parts: MembershipParts;
  readonly #disappearing: Disappearing;
  readonly #outbox: Outbox;
  readonly #receipts: Receipts;
  readonly #files: Files;
  readonly #sender: Sender;
  readonly #arrivals: Arrivals;
  readonly #consents: Consents;
  readonly #fetcher: Fetcher;
  readonly #inbox: Inbox;
  readonly #loops: CommitLoops;
  /** Calls of `directChat` that are under way, by user. */
  readonly #directs = new Map<string, Promise<Group>>();
  readonly #devices: Devices;
  readonly #addresses: Addresses;
  readonly #packages: KeyPackages;
  readonly #chats: Chats;
  readonly #queue: EventQueue;
  readonly #pruning: Pruning;
  readonly #ask: Ask;
  readonly #memberships = new Map<string, Membership>();
  readonly #groups = new Map<string, Group>();
  #receiving: Receiving | undefined;
  #status: Status = "connecting";

  /** Use `openGroups`. Each part is made of those before it. */
  private constructor(
    opened: Opened,
    { admission, keepFiles = 0, autoAccept = true }: Pick<GroupsOptions, "admission" | "keepFiles" | "autoAccept">,
  ) {
    const { core } = opened;
    const memberships = this.#memberships;
    this.#core = core;
    this.#opened = opened;
    this.#admission = admission;
    this.device = core.device;
    this.#catchUp = new CatchUp(core);
    this.#chats = new Chats(core.ledger);
    this.#queue = new EventQueue(core.ledger);
    this.#pruning = new Pruning(core, memberships);
    const packages = new KeyPackages(core);
    const outbox = new Outbox(core.ledger);
    const arrivals = new Arrivals(core.ledger);
    const consents = new Consents(core, { memberships, autoAccept });
    const devices = new Devices(core, { outbox, memberships, consents, packages });
    const ask = askingBy(core, { packages, outbox });
    this.#parts = { core, outbox, catchUp: this.#catchUp, memberships };
    const inbox = new Inbox(this.#parts, { devices, packages, arrivals, consents });
    const loops = new CommitLoops({ core, catchUp: this.#catchUp, arriving: inbox }, memberships);
    this.#addresses = new Addresses(core, { packages, memberships, loops });
    this.#files = new Files(core, keepFiles);
    this.#disappearing = new Disappearing(core, this.#files);
    this.#receipts = new Receipts(core, { outbox, catchUp: this.#catchUp, memberships });
    this.#sender = new Sender(core, { outbox, epochs: loops });
    this.#fetcher = new Fetcher(core, { arrivals, arriving: inbox, loops });
    this.#packages = packages;
    this.#outbox = outbox;
    this.#arrivals = arrivals;
    this.#consents = consents;
    this.#devices = devices;
    this.#ask = ask;
    this.#inbox = inbox;
    this.#loops = loops;
    core.ledger.subscribe(({ type }) => {
      if (type === "joinedGroup" || type === "changed") this.#tellProfile();
    });
    // A stream may stay open for months, and nothing may be received.
    opened.announcements.add(() => {
      if (this.#status !== "online") return;
      this.#addresses.announced();
      this.#renewPictures().catch(core.problem);
      this.#pruning.step().catch(core.problem);
    });
  }

  static async open(options: GroupsOptions): Promise<Groups> {
    const ledger = new Ledger(options.store);
    await ledger.load();
    const opened = await open(options, ledger);
    const groups = new Groups(opened, options);
    try {
      await groups.#load();
      await groups.#receipts.load();
      await groups.#packages.first();
    } catch (problem) {
      opened.closing.abort();
      throw problem;
    }
    groups.#receive();
    return groups;
  }

  /** Where this device receives. */
  get address(): string {
    return this.#core.account.address;
  }

  /** The user's public key, in hex. All devices of the user have the same. */
  get user(): string {
    return this.#core.account.user;
  }

  get name(): string {
    return this.#core.ledger.people.profiles.get(this.user)?.name ?? this.#core.account.name;
  }

  get status(): Status {
    return this.#status;
  }

  /** The one in which something has happened last is the first. With `direct`, only direct chats, or only other groups. */
  groups({ direct }: { direct?: boolean } = {}): Group[] {
    const all = this.#chats.inOrder(this.#memberships.values()).map((membership) => this.#groupOf(membership));
    return direct === undefined ? all : all.filter((group) => (group.direct !== undefined) === direct);
  }

  group(id: string): Group | undefined {
    const membership = this.#memberships.get(id);
    return membership && this.#groupOf(membership);
  }

  #groupOf(membership: Membership): Group {
    const { id } = membership;
    const known = this.#groups.get(id);
    if (known !== undefined) return known;
    const commits = this.#loops.of(membership);
    const group = new Group(this.#core, {
      membership,
      commits,
      ask: this.#ask,
      catchUp: this.#catchUp,
      receipts: this.#receipts,
      files: this.#files,
      devices: this.#devices,
      consents: this.#consents,
      disappearing: this.#disappearing,
      forget: () => this.#forget(membership),
      memberships: this.#memberships,
    });
    this.#groups.set(id, group);
    return group;
  }

  /**
   * The messages of this device, the newest first, that have all words of a query: each at the beginning of a word, and anywhere in scripts that put no spaces between them. Letters
   * are the same with and without marks, in both cases. The first search in a long history notes its words, and later ones are fast.
   */
  async search(query: string, { group, limit = usualHits, signal }: SearchOptions = {}): Promise<Message[]> {
    const holds = typeof query === "string" && query.length <= maxQueryLength;
    demand(holds, query, { what: "query", expected: `a string of at most ${maxQueryLength} characters` });
    demandNumber(limit, "limit", [1, maxHits]);
    const groups = group === undefined ? [...this.#memberships.keys()] : [group];
    const { findMessages } = await loaded(import("./search/search.js"));
    return findMessages(this.#core.ledger, { query, groups, limit, nowMillis: this.#core.nowMillis(), signal });
  }

  /** What this device still has to do and waits for, such as messages that a relay's limit holds back. `device.limits()` has the limits. */
  async deviceStatus(): Promise<DeviceStatus> {
    const { readDeviceStatus } = await loaded(import("./devices/device-status.js"));
    const prefixes = {
      out: outPrefix,
      delivery: deliveryPrefix,
      change: changePrefix,
      package: packagePrefix,
      waiting: waitingPrefix,
      kept: keptFilePrefix,
    };
    return readDeviceStatus(this.#core.ledger, { prefixes, groups: this.groups(), connection: this.#status });
  }

  async #forget(membership: Membership): Promise<void> {
    const { ledger } = this.#core;
    await ledger.inTurn(async (transaction) => {
      membership.forget(transaction);
      this.#inbox.forget(transaction, membership);
      this.#outbox.forget(transaction, membership.id);
      transaction.afterwards(() => {
        this.#loops.forget(membership.id);
        this.#groups.delete(membership.id);
      });
      await forgetGroup(ledger, transaction, membership.id);
    });
  }

  /**
   * Creates a group whose only member is this device, its administrator. `everyone` is what others may do: write, invite and rename, if it is missing. The
   * relay of this device decides which commits count.
   */
  async create({ name, everyone }: { name: string; everyone?: readonly Permission[] }): Promise<Group> {
    demandName(name);
    return this.#found(this.#core.randomBytes(groupIdBytes), { name, everyone });
  }

  /**
   * The direct chat with a user: one group of both, with all their devices, which either of them finds again. Accepts it if the user has created it, or creates it, and adds the user by
   * `addresses`, or those that shared groups know. It is named after the other one (until they are in it, `name`), and nobody else can be added. Throws
   * UnreachableError as `Group.add` does; another call tries again. While an addition waits, it resolves to the chat.
   */
  async directChat(user: string, options: DirectOptions = {}): Promise<Group> {
    demandOptions(options, "options");
    // Two calls at once must not create two.
    const underWay = this.#directs.get(user);
    if (underWay !== undefined) return underWay;
    const found = this.#directChat(user, options).finally(() => this.#directs.delete(user));
    this.#directs.set(user, found);
    return found;
  }

  async #directChat(user: string, options: DirectOptions): Promise<Group> {
    demandUser(user);
    if (user === this.user) throw new TypeError("a direct chat is with another user");
    const { openDirectChat } = await loaded(import("./founding.js"));
    return openDirectChat(this.#core, user, {
      ...options,
      memberships: this.#memberships,
      groupOf: (membership) => this.#groupOf(membership),
      found: (context) => this.#found(this.#core.randomBytes(groupIdBytes), context),
    });
  }

  async #found(groupId: Uint8Array, founded: Founded): Promise<Group> {
    const { foundGroup } = await loaded(import("./founding.js"));
    const parts = { ...this.#parts, packages: this.#packages, devices: this.#devices };
    const [membership, followUps] = await foundGroup(parts, groupId, founded);
    this.#loops.do(followUps);
    return this.#groupOf(membership);
  }

  /**
   * Asks the members whom the link of an invitation names to add this device, or accepts the group if they have done so. The event `joinedGroup` follows when one of them has done
   * so, `joinRefused` if one of them refuses. Throws InvitationError.
   */
  async join(link: string): Promise<{ group: string; name: string }> {
    const { readInvitationLink } = await loaded(import("./membership/invitation-links.js"));
    const { group, name, invitation, secret, to, expiresAtSeconds } = readInvitationLink(link);
    const known = this.#memberships.get(group);
    if (known?.isFollowed) throw new InvitationError("member");
    if (known?.isActive) {
      await this.#groupOf(known).accept();
      return { group, name: known.name };
    }
    if (expiresAtSeconds <= this.#core.nowMillis() / 1000) throw new InvitationError("expired");
    const epoch = known?.knownEpoch;
    await this.#ask({ group, to, by: { invitation, name, secret, epoch } });
    return { group, name };
  }

  /**
   * Makes another device one of this user's, by the text of the QR code that it shows, or its short code (`link` of `openGroups`). Both devices then ask the user to compare a
   * code. The user's key leaves this one only after the user has said on both that they are the same: somebody else's QR code gets nothing. Resolves once the new
   * device can have it. It is then added to all groups of this one, also to groups that it creates or joins later, and gets their messages. Throws LinkingError,
   * and MalformedError if the text is no QR code of a new device at the same relay.
   */
  async linkDevice(qr: string, options: CompareOptions): Promise<void> {
    await this.#devices.link(qr, options);
  }

  /**
   * Removes another device of this user, by `device` of a member, from all groups, lets it into no later one, and replaces the user's key, which the device had. Resolves once
   * that is stored; the groups and the other devices follow. A device that has not got the new key after a day, because only the lost one had linked it, is removed as
   * well: link it again. Others have to verify the user again. Throws RangeError once the key was replaced 32 times.
   */
  async unlinkDevice(device: string): Promise<void> {
    if (device === this.device.deviceId) throw new TypeError("a device cannot unlink itself");
    this.#loops.do(await this.#devices.unlink(device));
  }

  /** Whether the user has a recovery key. `unlinkDevice` ends it. */
  get hasRecoveryKey(): boolean {
    return this.#core.account.recovery !== undefined;
  }

  /**
   * Makes a recovery key, ten groups of five digits: show it to the user, who writes it down. It is stored nowhere. A key that was made before opens
   * earlier backups, and lets no device into groups any more.
   */
  async createRecoveryKey(): Promise<string> {
    const { makeRecoveryKey } = await loaded(import("./recovery/backup.js"));
    const { key, recovery } = makeRecoveryKey(this.#core);
    this.#loops.do(await this.#devices.setRecovery(recovery));
    return key;
  }

  /**
   * A file, encrypted for the recovery key, from which `openGroups` (`restore`) makes another device of the user: with the groups of now and, if `messages` is true, their
   * messages but for those that disappear. What files contained is not in it.
   */
  async exportBackup(options?: { messages?: boolean }): Promise<ReadableStream<Uint8Array>> {
    const { exportBackup } = await loaded(import("./recovery/backup.js"));
    return exportBackup(this.#core, this.#memberships, options);
  }

  /** The groups of the backup that this device was made from, as long as no member has let it in. */
  async lostGroups(): Promise<{ group: string; name: string }[]> {
    const { lostGroups } = await loaded(import("./recovery/restored-groups.js"));
    return lostGroups(this.#core, this.#memberships);
  }

  async #comeBack(): Promise<void> {
    const { comeBack } = await loaded(import("./recovery/restored-groups.js"));
    await comeBack(this.#core, this.#memberships, {
      ask: this.#ask,
      found: (groupId, name) => this.#found(groupId, { name }),
    });
  }

  /**
   * Gives this device another address, which the relay chooses, in all its groups. What is sent to the old one is received for two weeks
   * more; then it ends. Resolves once the relay has given it and the device has stored what follows from it.
   */
  async rotateAddress(): Promise<void> {
    await this.#addresses.rotate();
  }

  /**
   * Sixty digits for this user and another one, by `user` of a member. Both see the same digits, unless somebody stands between them who
   * has given one of them a key of their own. They change when one of the two replaces their key (`userKeyChanged`). Users compare them where they know each other: face to face, or on the telephone.
   */
  safetyNumber(user: string): string {
    const { users } = this.#core;
    return safetyNumberOf(users.lastKeyOf(this.user), users.lastKeyOf(user));
  }

  /** Whether `setVerified` has said so. It holds for all devices of the user with `isSigned`, and for no other. */
  isVerified(user: string): boolean {
    return this.#core.users.isVerified(user);
  }

  /**
   * Whether the user knows somebody, by `user` of a member, from more than a group of both: it is this user, `isVerified`, somebody to whom this user has given a name
   * (`setContact`), or the other one of a direct chat that this user has created or accepted. An application asks before it loads files of anybody else.
   */
  isContact(user: string): boolean {
    return isContact(this.#core, this.#memberships, user);
  }

  /** Notes that the safety numbers were compared, and are the same. */
  async setVerified(user: string, isVerified = true): Promise<void> {
    demandUser(user);
    await this.#core.ledger.inTurn(async (transaction) => {
      this.#core.users.setVerified(transaction, user, isVerified);
      await transaction.commit();
    });
  }

  /**
   * Sets what the user is called and their picture, on all their devices, and tells the members of their groups; no relay learns it. Members who join later learn it when this user next
   * writes, in groups of up to 20 people soon after they have joined. Resolves once it is stored. Throws a RangeError after ten changes in a day.
   */
  async setProfile(options: ProfileOptions): Promise<void> {
    await (await loaded(import("./profiles/own-profile.js"))).setProfile(this.#core, this.#told, options);
  }

  /** What is known of a user: of this one, of members of groups, and of contacts. */
  person(user: string): Person {
    demandUser(user);
    const said = user === this.user ? this.name : membersWith(this.#memberships.values(), user)[0]?.name;
    return personOf(this.#core.ledger.people, user, said);
  }

  /**
   * The picture of a user: as this device keeps it, or from their relay, which learns this device's network address. Of users who are no contacts (`isContact`), it is downloaded only with
   * `download`. Undefined if they have none, or it was not downloaded.
   */
  async picture(user: string, { download = false }: { download?: boolean } = {}): Promise<Picture | undefined> {
    const { picture } = this.#core.ledger.people.profiles.get(user) ?? {};
    const { readPicture } = await loaded(import("./profiles/pictures.js"));
    return readPicture(this.#core, { of: user, picture, mayDownload: download || this.isContact(user) });
  }

  /** The users to whom this one has given a name. */
  contacts(): Person[] {
    return [...this.#core.ledger.people.called.keys()].map((user) => this.person(user));
  }

  /**
   * Calls a user by a name of this user's own, on all devices of this one: whatever they call themself, `name` of members, messages and direct chats is this one. Without a name, it
   * is what they call themself. Nobody else learns it. A device names up to 1,000 users.
   */
  async setContact(user: string, { name }: { name?: string | undefined } = {}): Promise<void> {
    demandUser(user);
    await (await loaded(import("./profiles/contact-names.js"))).setContact(this.#core, this.#told, { user, name });
  }

  /** What stores this user's profile and is told of it. */
  get #told() {
    const change = (membership: Membership, one: Change) => this.#loops.of(membership).change(one);
    return { devices: this.#devices, memberships: this.#memberships, change };
  }

  /** Goes on telling groups of this user. */
  #tellProfile(): void {
    if (this.#core.ledger.people.profiles.has(this.user))
      this.#inProfiles(async ({ tellOwed }) => tellOwed(this.#core, this.#told));
  }

  /** Uploads pictures again before their relays delete them, too. */
  async #renewPictures(): Promise<void> {
    const { ledger } = this.#core;
    if (ledger.people.profiles.has(this.user) || (await ledger.store.get(picturesKey)) !== undefined)
      this.#inProfiles(async ({ resume }) => resume(this.#core, this.#told));
  }

  #inProfiles(work: (profiles: typeof OwnProfile) => Promise<void>): void {
    const { closing, problem } = this.#core;
    loaded(import("./profiles/own-profile.js"))
      .then(work)
      .catch((what) => void (closing.aborted || problem(what)));
  }

  /**
   * Hides a user on all devices of this one, with all devices that they have or will have: their messages and reactions in shared groups are stored and not shown, nothing tells of
   * them, and they can add this device to no further group. Nobody is told.
   */
  async blockUser(user: string): Promise<void> {
    demandUser(user);
    if (user === this.user) throw new TypeError("a user cannot block themself");
    await this.#devices.setBlocked(user, true);
  }

  /** Shows a user again, with what they have sent meanwhile. */
  async unblockUser(user: string): Promise<void> {
    demandUser(user);
    await this.#devices.setBlocked(user, false);
  }

  /** The users whom this one has blocked. */
  blockedUsers(): string[] {
    return [...this.#core.ledger.people.blocked];
  }

  /**
   * What has happened, also while the application was not running, oldest first. An event is kept until the next one is asked for; after a
   * crash it may come again, with the same `seq`. There is one reader: a new call ends the one before.
   */
  events(): AsyncIterableIterator<StoredEvent> {
    return this.#queue.read();
  }

  /** Calls a listener with each event as it happens. Nothing is kept for it. Returns what ends that. */
  subscribe(listener: Listener): () => void {
    return this.#core.ledger.subscribe(listener);
  }

  /**
   * Tries at once instead of waiting. Call it when the network or the application comes back, or the user asks. In browsers this happens
   * automatically for the network and the page.
   */
  reconnectNow(): void {
    this.#receiving?.reconnectNow();
    this.#hurry();
  }

  /** Stops, and lets others use the store. What was not sent is sent after the next start. */
  async close(): Promise<void> {
    this.#opened.closing.abort();
    await this.#receiving?.stop();
    await this.#sender.settled();
    for (const commits of this.#loops.all()) await commits.end();
    // A job that runs may still write.
    await this.#core.ledger.inTurn(async () => {});
    this.#queue.end();
    this.#tell("ended");
    await this.#core.ledger.store.close();
  }

  async #load(): Promise<void> {
    const { ledger } = this.#core;
    await forgetRest(ledger);
    await this.#disappearing.load();
    await this.#core.users.load();
    await this.#chats.load();
    await this.#packages.load();
    await this.#outbox.load();
    await this.#inbox.load();
    await this.#arrivals.load();
    await this.#consents.load();
    await this.#devices.load();
    for (const [key] of await ledger.store.list({ prefix: groupPrefix }))
      await Membership.load(this.#parts, restOf(key, groupPrefix));
    for (const membership of this.#memberships.values())
      this.#loops.do(await ledger.inTurn((transaction) => this.#inbox.retry(transaction, membership)));
    // Continues the groups that a crash has interrupted.
    this.#loops.all();
    await this.#pruning.step();
    if ((await ledger.store.list({ prefix: lostPrefix, limit: 1 })).length > 0)
      this.#comeBack().catch(this.#core.problem);
  }

  #receive(): void {
    const { problem } = this.#core;
    const followed = () => Promise.all(this.#loops.all().map((commits) => commits.followed()));
    this.#sender.start();
    this.#receiving = this.device.receive({
      handle: async (message) => {
        this.#pruning.count();
        this.#loops.do(await this.#inbox.handle(message, followed));
      },
      atOnce: messagesAtOnce,
      window: receivingWindow,
      onUndeliverable: (...given) => this.#inbox.giveUp(...given),
      onProblem: problem,
      onStatus: (status) => this.#noteStatus(status),
      onKeyPackagesRemaining: (count) => this.#packages.remaining(count),
    });
    void this.#receiving.ended.then((end) => this.#noteEnd(end));
  }

  /** A device that was off for long may have been removed by its relay, which admits it again only as a new one. */
  async #noteEnd(end: ReceivingEnd): Promise<void> {
    if (end.reason === "stopped") return;
    const isForbidden = (what: unknown) => what instanceof AnswerError && what.status === 403;
    const { closing, sleep, problem } = this.#core;
    let isOver = end.reason !== "refused" || !isForbidden(end.cause);
    while (!isOver && !closing.aborted) {
      try {
        await this.#addresses.registerAgain(this.#admission);
        if (!closing.aborted) this.#receive();
        return;
      } catch (what) {
        if (closing.aborted) return;
        problem(what);
        isOver = isForbidden(what) || isFinal(what);
        if (!isOver) await sleep(waitAfter(what, registerPauseMillis)).catch(() => undefined);
      }
    }
    this.#tell("ended");
  }

  #noteStatus({ state }: ReceivingStatus): void {
    if (state === "reconnecting") {
      this.#catchUp.interrupted();
      this.#tell("offline");
      return;
    }
    // Where no stream can be opened, the queue is polled, and each poll tells so.
    const isNextPoll = state === "polling" && this.#status === "online";
    if (state === "streaming" || (state === "polling" && !isNextPoll)) {
      // The relay may have been restored, and have another key of commit slots.
      const { closing, problem } = this.#core;
      if (this.#status === "offline")
        this.#opened.rediscover(closing).catch((what: unknown) => !closing.aborted && problem(what));
      this.#tell("online");
      this.#renewPictures().catch(this.#core.problem);
      this.#devices.resume();
      this.#files.resume();
      this.#fetcher.resume();
    }
    if (state === "streaming" || state === "polling") this.#addresses.check();
    if (state === "empty" || state === "polling") this.#catchUp.drained();
    if (this.#catchUp.isDrained) for (const commits of this.#loops.all()) commits.follow();
    if (!isNextPoll) this.#hurry();
  }

  #hurry(): void {
    for (const commits of this.#loops.all()) commits.hurry();
    this.#sender.hurry();
  }

  #tell(status: Status): void {
    if (status === this.#status) return;
    this.#status = status;
    this.#core.ledger.tell({ type: "status", status });
  }
}

type Opened = Awaited<ReturnType<typeof open>>;

function demandUser(user: string): void {
  if (!isHex32(user)) throw new TypeError("a user is 64 hex digits");
}

/** The account and the connection. The first time, the account is stored before the relay hears of it. */
async function open(options: GroupsOptions, ledger: Ledger) {
  const mls = await judging(options.mls);
  const stored = await ledger.read(accountKey);
  const relay = options.relay ?? stored?.relay;
  demandUrl(relay, "relay");
  const url = relay as string;
  const registered = stored ?? (await ledger.read(unlinkedKey));
  const known = stored ?? (registered?.relay === url ? registered : undefined);
  const secret = known?.deviceSecret ?? newSecretKey(options.runtime?.randomBytes);
  const session = known && (await lastSession(ledger));
  let present = session;
  const announcements = new Set<() => void>();
  const problem = (what: unknown) => ledger.tell({ type: "problem", problem: what });
  const device = await connectDevice({
    url,
    domain: options.domain ?? stored?.domain,
    keys: deviceKeysOf(secret),
    retries: options.retries,
    runtime: options.runtime,
    session,
    onSession: async (next) => {
      const both: [Session | undefined, Session] = [present, next];
      present = next;
      await keepSession(ledger, both).catch(problem);
      for (const listener of announcements) listener();
    },
  });
  const { connection } = device;
  const { runtime } = connection;
  const closing = new AbortController();
  allowManyListeners(closing.signal);
  const isMade = stored?.address !== undefined;
  const made = isMade
    ? stored
    : await (await loaded(import("./making-devices.js"))).makeDevice(options, {
        ledger,
        stored,
        secret,
        device,
        relay: url,
      });
  const account = { successors: [], ...made } as DeviceCore["account"];
  const { rediscover, ...discovery } = await knownDiscovery(device, ledger);
  const sealing = { ...connection, ...discovery };
  const core: DeviceCore = {
    ledger,
    mls,
    device,
    sealing,
    account,
    users: new Users(ledger, account),
    nowMillis: () => connection.clock.nowMillis(),
    randomBytes: runtime.randomBytes,
    sleep: (millis, signal) => runtime.sleep(millis, untilClosed({ closing: closing.signal }, signal)),
    closing: closing.signal,
    problem,
  };
  return { core, closing, rediscover, announcements };
}

/** What the relay has said of itself: what it says now once it has answered, until then what it said before. */
async function knownDiscovery({ connection }: DeviceClient, ledger: Ledger) {
  let known = await ledger.read(discoveryKey);
  const note = async (discovery: Discovery) => {
    known = discovery;
    await ledger.store.write([[discoveryKey, encodeRecord(discovery)]]);
  };
  const asked = connection.discover().then(note);
  if (known === undefined) await asked;
  asked.catch(() => undefined);
  return {
    discover: async () => known as Discovery,
    rediscover: async (signal: AbortSignal) => note(await connection.caller.call("getDiscovery", { signal })),
  };
}
