import { sha256 } from "@noble/hashes/sha2.js";
import {
  type BlobDownloadOptions,
  type BlobSource,
  type BlobUploadOptions,
  encodeSvcMessage,
  type FileReference,
  type JsonObject,
  loaded,
  MalformedError,
  type Mention,
  messageReference,
  RejectedError,
  type RejoinReason,
  readBlobReference,
  readSvcMessage,
  type SvcMessage,
  sendSealed,
  uploadBlob,
} from "../client/index.js";
import {
  atLeast,
  demand,
  demandArray,
  demandNumber,
  demandOneOf,
  demandOptions,
  demandString,
  ifGiven,
} from "../client/runtime/arguments.js";
import { concatBytes, encodeHex, utf8 } from "../protocol/encodings.js";
import type { Devices } from "./devices/devices.js";
import { demandLocal, readLocal, readPosition } from "./devices/local-state.js";
import { demandName, visibleText } from "./encoding/names.js";
import { demandReactions } from "./encoding/reactions.js";
import type { CommitLoop } from "./membership/commit-loop.js";
import type { Consents } from "./membership/consent.js";
import { continuedIn, directUserOf } from "./membership/direct-chats.js";
import type { InviteOptions } from "./membership/invitation-links.js";
import { tellRefused } from "./membership/join-requests.js";
import { leaveGroup } from "./membership/leaving.js";
import type { Membership } from "./membership/membership.js";
import type { Receipts } from "./membership/message-receipts.js";
import { askAgain } from "./membership/rejoining.js";
import type { Ask } from "./membership/request-encoding.js";
import { sealNotice, sendMessage } from "./membership/sealing.js";
import type { Change } from "./mls/changes.js";
import { appearanceOf, disappearRange } from "./mls/group-context.js";
import { countingOf, type Invitation } from "./mls/invitations.js";
import type { Member, PictureInfo, ShownMember } from "./mls/members.js";
import {
  flagsOf,
  mayRemoveMember,
  NotPermittedError,
  type Permission,
  type Roles,
  rolesOf,
} from "./mls/permissions.js";
import { removalOf } from "./mls/removing-members.js";
import type { AppearanceOptions } from "./profiles/group-appearance.js";
import type { Picture } from "./profiles/pictures.js";
import type { CatchUp } from "./sending/catch-up.js";
import { type DeviceCore, untilClosed } from "./sending/device-core.js";
import type { Disappearing } from "./sending/disappearing.js";
import type { Files } from "./sending/files.js";
import { newBody, type Said } from "./sending/new-body.js";
import type { ReportOptions } from "./sending/report.js";
import { withDeliveries } from "./store/deliveries.js";
import type { Message } from "./store/events.js";
import type { Transaction } from "./store/ledger.js";
import {
  deleteMessages,
  demandMessages,
  findMessage,
  isDeleted,
  readMessages,
  reportableOf,
} from "./store/messages.js";
import { inGroup, type Key, keyOf, requestPrefix, restOf } from "./store/record-keys.js";
import type { Consent, MembershipState, StoredRequest } from "./store/records.js";
import { pictureInfo, shownMembers } from "./store/shown-people.js";

/** What is said of a file. */
export interface AttachOptions extends BlobUploadOptions {
  name: string;
  /** Such as `image/png`. */
  mediaType: string;
  text?: string;
  /** The id of the message that it answers. */
  replyTo?: string;
  /** As that of `send`. */
  key?: string;
}

/** A text to send. */
export interface Outgoing {
  text: string;
  /** Parts of the text that name members, in their order. */
  mentions?: readonly Mention[];
  /** The id of the message that it answers. */
  replyTo?: string;
  /** Chosen by the application: a repetition with the same one, also after a crash, is the same message. Others do not see it. */
  key?: string;
}

/** Content of the application's own type to send. */
export interface OutgoingContent extends Partial<Pick<Outgoing, "text" | "replyTo" | "key">> {
  /** Lower-case letters, digits and `.+/-`, named after a domain of yours, such as `org.example/poll`. */
  type: string;
  /** A whole number. The default is 1. */
  version?: number;
  /** At most 100,000 characters of JSON, nested at most 20 levels deep. */
  body: JsonObject;
}

export interface Invited {
  id: string;
  link: string;
}

/** Somebody who asks to be added. */
export interface PendingRequest {
  request: string;
  name: string;
  user: string;
  address: string;
  /** Whether others have removed this user before: no link lets them in without approval. */
  wasRemoved: boolean;
}

export interface MessageRange {
  /** Only messages before this `seq`. */
  before?: number;
  /** Only messages after this `seq`, from the oldest on. */
  after?: number;
  /** The newest so many, or the oldest with `after`. The default is 100. */
  limit?: number;
}

const maxDeleted = 10_000;
const maxKeyLength = 1_000;
const idBytes = 16;
/** Of one call. */
const maxReceipts = 1_000;
const maxTextLength = 1_000_000;
const maxMentions = 100;
/** Of a file's name and of its type. */
const maxFileNameLength = 200;
const usualLimit = 100;
const maxUnread = 1_000;
const typingMillis = 3_000;
/** The shortest time that a relay keeps a blob, and the usual one. */
const [minLifetimeSeconds, usualLifetimeSeconds] = [60, 30 * 86_400];

interface GroupParts {
  membership: Membership;
  commits: CommitLoop;
  ask: Ask;
  catchUp: CatchUp;
  receipts: Receipts;
  files: Files;
  devices: Devices;
  consents: Consents;
  disappearing: Disappearing;
  forget(): Promise<void>;
  memberships: ReadonlyMap<string, Membership>;
}

/** A group that this device is or was in. */
export class Group {
  readonly id: string;
  readonly #core: DeviceCore;
  readonly #membership: Membership;
  readonly #commits: CommitLoop;
  readonly #ask: Ask;
  readonly #catchUp: CatchUp;
  readonly #receipts: Receipts;
  readonly #files: Files;
  readonly #devices: Devices;
  readonly #consents: Consents;
  readonly #disappearing: Disappearing;
  readonly #forgetGroup: () => Promise<void>;
  readonly #memberships: ReadonlyMap<string, Membership>;
  #typing = { isTyping: false, atMillis: 0 };

  constructor(core: DeviceCore, { membership, commits, ask, catchUp, receipts, ...others }: GroupParts) {
    this.id = membership.id;
    this.#core = core;
    this.#membership = membership;
    this.#commits = commits;
    this.#ask = ask;
    this.#catchUp = catchUp;
    this.#receipts = receipts;
    this.#consents = others.consents;
    this.#files = others.files;
    this.#devices = others.devices;
    this.#disappearing = others.disappearing;
    this.#forgetGroup = others.forget;
    this.#memberships = others.memberships;
  }

  get name(): string {
    return this.#membership.name;
  }

  get state(): MembershipState {
    return this.#membership.state;
  }

  /** The other user of a direct chat that this device takes part in (`Groups.directChat`). */
  get direct(): string | undefined {
    return directUserOf(this.#membership);
  }

  /**
   * The id of the direct chat in which the same two users go on: both had created one. Nothing can be sent in this one any more; what the other user
   * sends before they know arrives.
   */
  get continuedIn(): string | undefined {
    return continuedIn(this.#memberships.values(), this.#membership);
  }

  /** `unknown`: strangers have added this device, and it sends nothing to them until `accept`. `denied` after `decline`. */
  get consent(): Consent {
    return this.#membership.consent;
  }

  /** Who has added this device. Their signature was verified; missing if this device has created the group, or the MLS library does not say who it was. */
  get invitedBy(): Member | undefined {
    const { invitedBy } = this.#membership;
    return invitedBy && { ...invitedBy };
  }

  /**
   * Takes part in a group that others have added this device to. Of one that was declined, it takes the decline back: its members may add this device again. The event
   * `joinedGroup` follows if this device is in the group.
   */
  async accept(): Promise<void> {
    const membership = this.#membership;
    const followUps = await this.#core.ledger.inTurn(async (transaction) => {
      await this.#consents.accept(transaction, membership);
      await this.#devices.tellConsent(transaction, membership, true);
      const left = this.#devices.addTo(transaction, membership);
      await transaction.commit();
      return left;
    });
    for (const followUp of followUps) if (followUp.kind !== "waiting") this.#commits.do(followUp);
    this.#commits.resume();
  }

  /**
   * Leaves, as `leave` does, and remembers it: neither this group nor the user who added this device can add it again until `accept`, or until the
   * user of this device opens a link of theirs (`Groups.join`).
   */
  async decline(): Promise<void> {
    await this.#core.ledger.inTurn(async (transaction) => {
      await this.#devices.tellConsent(transaction, this.#membership, false);
      await this.#consents.decline(transaction, this.#membership);
    });
    this.#commits.noteEnd();
  }

  /** In the state `mustRejoin`: why. */
  get rejoinReason(): RejoinReason | undefined {
    return this.#membership.rejoinReason;
  }

  /** The MLS epoch. 0 after the membership has ended. */
  get epoch(): bigint {
    return this.#membership.isActive ? this.#membership.view.epoch : 0n;
  }

  /** This device is among them. Empty after the membership has ended. */
  members(): ShownMember[] {
    return shownMembers(this.#core.ledger.people, this.#membership.members());
  }

  /** Members whose names look like that of another member or of a contact, and who are no contacts: show more than their names. */
  async namesakes(): Promise<ShownMember[]> {
    return (await loaded(import("./profiles/namesakes.js"))).namesakesAmong(this.#core.ledger.people, this.members());
  }

  /** What the group is about; empty if nobody has said so. */
  get description(): string {
    return visibleText(this.#appearance.description ?? "");
  }

  get picture(): PictureInfo | undefined {
    const { picture } = this.#appearance;
    return picture && pictureInfo(picture);
  }

  get #appearance() {
    return this.#membership.isActive ? appearanceOf(this.#membership.view) : {};
  }

  /**
   * Gives the group a description of at most 1,000 characters, or a picture of at most 256 KiB; what is missing stays, an empty description and `null` remove them. It needs
   * the permission `rename`. Resolves once the group is so. Throws NotPermittedError.
   */
  async setAppearance({ description, picture }: AppearanceOptions): Promise<void> {
    this.#demand("rename");
    const { changeAppearance } = await loaded(import("./profiles/group-appearance.js"));
    await this.#change(await changeAppearance(this.#core, { group: this.id, description, picture }));
  }

  /**
   * The group's picture: as this device keeps it, or from the relay of the member who has set it. Other relays than this device's learn its network address, and are asked only with
   * `download`. Undefined if the group has none, or it was not downloaded.
   */
  async readPicture({ download = false }: { download?: boolean } = {}): Promise<Picture | undefined> {
    const { picture } = this.#appearance;
    const isNear = picture?.relay === this.#core.sealing.domain && this.consent !== "unknown";
    const { readPicture } = await loaded(import("./profiles/pictures.js"));
    return readPicture(this.#core, { of: this.id, picture, mayDownload: download || isNear });
  }

  /**
   * Resolves once the text, which must not be empty, or the content is stored. It is sent in the background, and repeated until the relay of each member has it. Of content,
   * `text` is for applications that do not know its type or version.
   */
  async send(outgoing: Outgoing | OutgoingContent): Promise<Message> {
    demandOptions(outgoing, "outgoing");
    const { replyTo, key } = outgoing;
    const said = "type" in outgoing ? contentIn(outgoing) : this.#textIn(outgoing);
    const known = await this.#repeated(key);
    if (known !== undefined) return known;
    await this.#demandAnswered(replyTo);
    const answered = replyTo === undefined ? {} : { reply_to: replyTo };
    return (await this.#send({ ...said, ...answered }, { key })) as Message;
  }

  #textIn({ text, mentions }: Pick<Outgoing, "text" | "mentions">) {
    demandText(text, "text", [1, maxTextLength]);
    return { type: "text", text, ...this.#mentioned(mentions) } as const;
  }

  /** Throws a TypeError unless the users are members. */
  #mentioned(mentions: readonly Mention[] = []): { mentions?: Mention[] } {
    demandArray(mentions, { what: "mentions", min: 0, max: maxMentions }, demandOptions);
    const users = this.members().map(({ user }) => user);
    for (const { user } of mentions) if (!users.includes(user)) throw new TypeError("mentions must name members");
    return mentions.length === 0 ? {} : { mentions: [...mentions] };
  }

  /**
   * Encrypts a file, stores it at this device's relay, and sends the members its key. Resolves once the message is stored; if it fails before,
   * nothing was sent.
   */
  async attach(
    source: BlobSource,
    { name, mediaType, text, replyTo, key, ...upload }: AttachOptions,
  ): Promise<Message> {
    // What the members would refuse is refused before the upload.
    demandText(name, "name", [0, maxFileNameLength]);
    demandText(mediaType, "mediaType", [0, maxFileNameLength]);
    ifGiven(text, (given) => demandText(given, "text", [0, maxTextLength]));
    const known = await this.#repeated(key);
    if (known !== undefined) return known;
    this.#membership.demandAccepted();
    this.#demand("send");
    await this.#demandAnswered(replyTo);
    const lasting = { ...this.#lasting(upload), signal: untilClosed(this.#core, upload.signal) };
    const { reference, deleteToken, expiresAt } = await uploadBlob(this.#core.device, source, lasting);
    const answered = replyTo === undefined ? {} : { reply_to: replyTo };
    const said = text === undefined ? {} : { text };
    const file: FileReference & JsonObject = { ...reference, expires_at: expiresAt };
    const { url } = reference;
    const noteFile = (transaction: Transaction, id: string) =>
      this.#files.sent(transaction, { group: this.id, id }, { url, deleteToken, at: expiresAt });
    const attachment = {
      type: "attachment",
      file,
      name,
      media_type: mediaType,
      ...said,
      ...answered,
    } as const;
    const message = (await this.#send(attachment, { key, noteFile })) as Message;
    // It was sent, whether there is room to keep it or not.
    await this.#files.keep(message, source).catch(this.#core.problem);
    return message;
  }

  /** A file is of no use for longer than its message. */
  #lasting(upload: BlobUploadOptions): BlobUploadOptions {
    const { disappearSeconds } = this.#membership;
    if (disappearSeconds === undefined) return upload;
    const { lifetimeSeconds = usualLifetimeSeconds } = upload;
    const least = Math.max(minLifetimeSeconds, disappearSeconds);
    return lifetimeSeconds > least ? { ...upload, lifetimeSeconds: least } : upload;
  }

  /**
   * The file of a message, decrypted: as this device keeps it (`keepFiles`), or from its sender's relay, whatever host the message names, with a BlobError if it
   * has ended. It is the sender's file once the stream has ended without an error.
   */
  download({ group, id, file }: Message, options: BlobDownloadOptions = {}): ReadableStream<Uint8Array> {
    if (file === undefined) throw new Error("the message has no file");
    if (this.consent === "unknown") throw new Error("the group is a request: accept it first");
    const reference = readBlobReference(file.reference);
    return this.#files.read({ group, id }, { domain: file.relay, reference, options });
  }

  /** Reacts to a message by its id. These are the user's reactions to it from then on, up to six; none, or an empty one, takes them back. */
  async react(message: string, emojis: string | readonly string[]): Promise<void> {
    const all = demandReactions(typeof emojis === "string" ? [emojis] : emojis);
    await this.#send({ type: "reaction", target: message, emoji: all.at(-1) ?? "", emojis: all }, { about: [message] });
  }

  /** Gives a message of this user another text. An empty one takes the message back, with its file. */
  async edit(message: string, text: string, { mentions }: Pick<Outgoing, "mentions"> = {}): Promise<void> {
    const said = { type: "edit", target: message, text, ...this.#mentioned(mentions) } as const;
    await this.#send(said, { about: [message], author: this.#core.account.user });
  }

  /**
   * Tells the members who are online that the user types, or has stopped. Call it with each key that is pressed: once in three seconds it is
   * sent. Nobody keeps it, and it does not throw.
   */
  async typing(isTyping = true): Promise<void> {
    const now = this.#core.nowMillis();
    const { isTyping: before, atMillis } = this.#typing;
    if (isTyping === before && (!isTyping || now - atMillis < typingMillis)) return;
    this.#typing = { isTyping, atMillis: now };
    if (!this.#membership.isFollowed || !this.#catchUp.isDrained) return;
    const { sealing, device, closing } = this.#core;
    try {
      if ((await sealing.discover()).capabilities.message_lifetime !== true) return;
      const copies = await sealNotice(this.#membership, newBody(this.#core, { type: "typing", is_typing: isTyping }));
      if (copies.length > 0) await sendSealed(device, copies, { signal: closing });
    } catch (problem) {
      // Somebody who cannot be reached does not see it.
      if (!closing.aborted && !(problem instanceof RejectedError)) this.#core.problem(problem);
    }
  }

  /**
   * Tells the others that messages have been received or read: those who are online at once, all others with the next message. What they know already is
   * not told again, and no text waits for it.
   */
  async receipt(messages: readonly string[], status: "delivered" | "read"): Promise<void> {
    demandOneOf(status, "status", ["delivered", "read"]);
    demandArray(messages, { what: "messages", min: 0, max: maxReceipts }, demandString);
    if (messages.length > 0) await this.#receipts.note(this.#membership, messages, status);
  }

  /**
   * Adds devices by their addresses, at any relay, up to 256 by one commit. Resolves once they are members. Throws UnreachableError if some could not be
   * added; the others are members then. Throws GroupFullError beyond 4,096 devices, or 32 of one user. With `user`, only a device of that user is added. Without it, the first addition by an address decides
   * which user later ones must find there.
   */
  async add(devices: readonly (string | { address: string; user: string })[]): Promise<void> {
    const { demandDevices, additionOf } = await loaded(import("./membership/adding-members.js"));
    const given = demandDevices(devices);
    if (given.addresses.length === 0) return;
    this.#demand("invite");
    await this.#change(additionOf(this.#membership, given));
  }

  /**
   * Removes users with all their devices, by the ids of any of these. Resolves once they are no members any more. Invitations that they have made end,
   * and no link lets them in again unless a member approves (`joinRequest`) or `unban`s them. Of this device's own user, only the devices that are named are removed.
   */
  async remove(ids: readonly number[]): Promise<void> {
    demandArray(ids, { what: "ids", min: 0, max: Number.POSITIVE_INFINITY }, (id, what) =>
      demandNumber(id, what, atLeast(0)),
    );
    if (ids.includes(this.#membership.view.ownLeaf)) throw new TypeError("nobody can remove themself: use `leave`");
    const { members, banned } = removalOf(this.#membership.view, { ids, own: this.#core.account.user });
    if (members.length > 0) await this.#change({ kind: "remove", members, banned });
  }

  /** What is allowed to whom. Nothing after the membership has ended. */
  roles(): Roles {
    return this.#membership.isActive ? rolesOf(this.#membership.view) : { everyone: [], users: {} };
  }

  /** Whether the roles allow something to this device, and the user has accepted the group. */
  may(permission: Permission): boolean {
    return this.#membership.isFollowed && this.#membership.may(permission);
  }

  /** Whether the roles allow this device to remove a member, by its id. */
  mayRemove(id: number): boolean {
    if (!this.#membership.isFollowed) return false;
    const { view } = this.#membership;
    return id !== view.ownLeaf && mayRemoveMember(view, { by: view.ownLeaf, leaf: id });
  }

  /**
   * Gives a user, by `user` of a member, or `"everyone"` whom no role names, these permissions. Without them, a user has those of everyone. It
   * holds for all devices of the user. Resolves once the group is so. Throws NotPermittedError.
   */
  async setRole(user: string, permissions?: readonly Permission[]): Promise<void> {
    if (user !== "everyone" && !this.members().some((one) => one.isSigned && one.user === user))
      throw new TypeError("there is no such user");
    ifGiven(permissions, flagsOf);
    this.#demand("manageRoles");
    await this.#change({ kind: "role", user, ...(permissions && { permissions }) });
  }

  /** Resolves once the group has this name. */
  async rename(name: string): Promise<void> {
    demandName(name);
    this.#demand("rename");
    await this.#change({ kind: "rename", name });
  }

  /**
   * Makes a link to the application by which people join. Any of the members whom it names, up to 32 who may invite, adds them once online. Each addition takes one use; the link
   * ends when it has expired, is used up or revoked, or others remove the user who has made it. `appUrl` is the application's page, which passes its address to `Groups.join`. Throws a
   * RangeError if the user has ten that count. A group has 50: beyond them, one of the user with the most makes way.
   */
  async invite(options: InviteOptions): Promise<Invited> {
    demandOptions(options, "options");
    if (this.direct !== undefined) throw new Error("a direct chat has two users: nobody can be invited to it");
    this.#demand("invite");
    const { makeInvitation } = await loaded(import("./membership/invitation-links.js"));
    const { invitation, link } = makeInvitation(this.#membership, options);
    await this.#change({ kind: "invite", invitation });
    return { id: invitation.id, link };
  }

  /** The invitations that count, each with the uses that are left and its end. None after the membership has ended. */
  invitations(): Omit<Invitation, "key">[] {
    if (!this.#membership.isActive) return [];
    const counting = countingOf(this.#membership.context, this.#core.nowMillis());
    return counting.map(({ key: _, ...shown }) => shown);
  }

  /** The users whom others have removed, by `user` of a member: no link lets them in without approval. */
  banned(): string[] {
    return this.#membership.isActive ? [...this.#membership.context.banned] : [];
  }

  /** Lets links admit a user again. Resolves once the group is so. Throws NotPermittedError. */
  async unban(user: string): Promise<void> {
    this.#demand("invite");
    await this.#change({ kind: "unban", user });
  }

  /** Ends an invitation. Resolves once no member adds anybody by it any more. */
  async revoke(invitation: string): Promise<void> {
    await this.#change({ kind: "revoke", invitation });
  }

  /** Who has asked to be added by invitations that need approval. */
  async requests(): Promise<PendingRequest[]> {
    const prefix = inGroup(requestPrefix, this.id);
    const stored = await this.#core.ledger.readAll(prefix);
    const devices = this.members().map(({ device }) => device);
    const { blocked } = this.#core.ledger.people;
    const open = stored.filter(([, { joiner, user }]) => !devices.includes(joiner.device) && !blocked.has(user));
    return open.map(([key, { joiner, name, user, wasRemoved }]) => ({
      request: restOf(key, prefix),
      name,
      user,
      address: joiner.address,
      wasRemoved,
    }));
  }

  /** Adds the sender of a request. Resolves once they are a member, or the invitation has ended. */
  async approve(request: string): Promise<void> {
    const stored = await this.#core.ledger.read(this.#requestKey(request));
    if (stored === undefined) throw new Error("there is no such request");
    const { invitation, joiner } = stored;
    await this.#change({ kind: "admit", invitation, joiner, isApproved: true });
    await this.#forget(request);
  }

  /** Forgets a request, and tells its sender (`joinRefused`). */
  async refuse(request: string): Promise<void> {
    await this.#forget(request, (transaction, { joiner }) => tellRefused(transaction, this.#membership, joiner));
  }

  async #forget(
    request: string,
    tell?: (transaction: Transaction, stored: StoredRequest) => Promise<void>,
  ): Promise<void> {
    await this.#core.ledger.inTurn(async (transaction) => {
      const stored = await transaction.read(this.#requestKey(request));
      if (stored !== undefined) await tell?.(transaction, stored);
      transaction.remove(this.#requestKey(request));
      await transaction.commit();
    });
  }

  /**
   * In the state `mustRejoin`: asks the other members to add this device again. The event `joinedGroup` follows. Throws if nobody can do that, because the
   * relay with the group's commit slots was restored from a backup (`rejoinReason` is `slots restarted`): found a new group with its members.
   */
  async rejoin(): Promise<void> {
    // After `slots restarted`, a member that tried to add this device would end up in the same state.
    if (this.state !== "mustRejoin" || this.rejoinReason === "slots restarted")
      throw new Error(`this device cannot join again: ${this.rejoinReason ?? this.state}`);
    await this.#ask(askAgain(this.#membership));
  }

  /** Leaves at once, with all devices of the user. The others remove them from the group when they hear of it. */
  async leave(): Promise<void> {
    await this.#core.ledger.inTurn((transaction) => leaveGroup(transaction, this.#membership));
    this.#commits.noteEnd();
  }

  /**
   * Deletes all that this device has stored of a group that it has left, was removed from, or cannot follow: `me.group(id)` is undefined afterwards. What waits to be
   * sent to its members is still sent. Anyone who may invite can add the device again, as to a group that it does not know.
   */
  async forget(): Promise<void> {
    await this.#forgetGroup();
  }

  /** After how many seconds messages disappear that are sent now; undefined if they stay. */
  get disappearSeconds(): number | undefined {
    return this.#membership.disappearSeconds;
  }

  /**
   * Lets the messages that are sent from now on disappear from all members' devices, from 10 seconds to 366 days after the relay of each has taken them; without a number
   * they stay. Earlier messages keep the end that they have, or stay. Resolves once the group is so. Throws NotPermittedError.
   */
  async setDisappearing(seconds?: number): Promise<void> {
    ifGiven(seconds, (given) => demandNumber(given, "seconds", disappearRange));
    this.#demand("setDisappearing");
    await this.#change({ kind: "disappear", ...(seconds !== undefined && { seconds }) });
  }

  /**
   * Reports a message of somebody else to this device's relay, which checks that their device has sent it, and tells the relay of that device. The operators see the reported
   * device, the reason and the details; neither the text, nor the group, nor who reports.
   */
  async report(message: string, options: ReportOptions = {}): Promise<void> {
    const { ledger } = this.#core;
    const given = { group: this.id, ids: [message] };
    const [found] = await ledger.inTurn((transaction) => demandMessages(transaction, given));
    const { reportMessage } = await loaded(import("./sending/report.js"));
    await reportMessage(this.#core, found as Message, {
      ...options,
      ...(await reportableOf(ledger, this.id, message)),
    });
  }

  /** Deletes stored messages, with their kept files, only on this device. Later edits and reactions by others are ignored. */
  async deleteMessages(messages: readonly string[]): Promise<void> {
    demandArray(messages, { what: "messages", min: 0, max: maxDeleted }, demandString);
    await this.#core.ledger.inTurn(async (transaction) => {
      await deleteMessages(transaction, this.id, messages);
      await transaction.commit();
    });
  }

  /** Stored messages, oldest first, but for those of users whom this one has blocked. */
  async messages({ limit = usualLimit, ...range }: MessageRange = {}): Promise<Message[]> {
    const { ledger, device } = this.#core;
    const now = this.#core.nowMillis();
    let hasOld = false;
    const isThere = ({ disappearsAtMillis = now + 1 }: Message) => {
      const isOver = disappearsAtMillis <= now;
      hasOld ||= isOver;
      return !isOver;
    };
    const messages = await readMessages(ledger, { group: this.id, ...range, limit, isThere });
    if (hasOld) this.#disappearing.look();
    return withDeliveries(ledger, messages, { group: this.id, device: device.deviceId });
  }

  /** How many messages of other users came after the last one that the user has read, sent, or had before this device; at most so many. */
  async unread(max = maxUnread): Promise<number> {
    const messages = await this.messages({ after: await this.readUpTo(), limit: max });
    return messages.filter(({ isMine }) => !isMine).length;
  }

  /** The `seq` of the last message that the user has read, on any of their devices. */
  readUpTo(): Promise<number> {
    return readPosition(this.#core.ledger, this.id);
  }

  /** What the user has set with `setLocal`, on any of their devices. */
  async local<T extends object = Record<string, unknown>>(): Promise<Partial<T>> {
    return (await readLocal(this.#core.ledger, this.id)) as Partial<T>;
  }

  /**
   * Sets what the user keeps of the group for themself, such as `{ muted: true }` or `{ draft: "Hello" }`, on all their devices; `undefined` removes an entry. Nobody else
   * learns it. If two devices set the same entry, the later one counts. Up to 50 entries, each of at most 20,000 characters of JSON; of more, those that other devices have set go first.
   */
  async setLocal<T extends object = Record<string, unknown>>(
    changes: { [N in keyof T]?: T[N] | undefined },
  ): Promise<void> {
    demandLocal(changes);
    await this.#devices.setLocal({ group: this.id }, changes as Record<string, unknown>);
  }

  /** Notes that the user has read this message and all before it, on all their devices. Nobody else is told, as by `receipt` with `read`. */
  async setRead({ id }: Pick<Message, "id">): Promise<void> {
    await this.#devices.setRead(this.id, id);
  }

  /** `about` are the messages that it changes, which must be of `author` if that is given. */
  async #send(
    said: Said,
    {
      about = [],
      author,
      key,
      noteFile,
    }: {
      about?: readonly string[];
      author?: string;
      key?: string | undefined;
      noteFile?: (transaction: Transaction, id: string) => void;
    } = {},
  ): Promise<Message | undefined> {
    const isNew = said.type === "text" || said.type === "attachment" || said.type === "custom";
    if (isNew && this.continuedIn !== undefined)
      throw new Error("the two users go on in another direct chat: see continuedIn");
    const body: SvcMessage = newBody(this.#core, said, key === undefined ? undefined : this.#idOf(key));
    const message = messageReference(this.#core.account.user, body.message_id);
    demandReadable(body);
    return this.#core.ledger.inTurn(async (transaction) => {
      const targets = { group: this.id, ids: about, ...(author !== undefined && { author }) };
      for (const { id, editedAtMillis = 0 } of await demandMessages(transaction, targets)) {
        body.sent_at_millis = Math.max(body.sent_at_millis, editedAtMillis);
        const isTakenBack = body.type === "edit" && body.text === "";
        if (isTakenBack) await this.#files.takenBack(transaction, { group: this.id, id });
      }
      if (noteFile !== undefined) noteFile(transaction, message);
      // Two calls at once are one message, too.
      const known = key === undefined ? undefined : await this.#found(transaction, message);
      if (known !== undefined) return known;
      const sent = await sendMessage(transaction, this.#membership, body);
      // Members see that the text is there.
      if (sent !== undefined) this.#typing = { isTyping: false, atMillis: 0 };
      return sent;
    });
  }

  /** The message that was sent with this key before. */
  async #repeated(key: string | undefined): Promise<Message | undefined> {
    if (key === undefined) return undefined;
    demandText(key, "key", [1, maxKeyLength]);
    const message = messageReference(this.#core.account.user, this.#idOf(key));
    return this.#core.ledger.inTurn((transaction) => this.#found(transaction, message));
  }

  async #found(transaction: Transaction, id: string): Promise<Message | undefined> {
    if (await isDeleted(transaction, this.id, id)) throw new Error("the message was sent, and deleted on this device");
    return findMessage(transaction, this.id, id);
  }

  /** The id of the message with a key of the application's. Nobody else can know it beforehand, and take it. */
  #idOf(key: string): string {
    // The secret is of one length, and the hash is cut, so that nobody can extend it.
    const named = concatBytes(this.#core.account.deviceSecret, utf8(`mls-relay message\n${this.id}\n${key}`));
    return encodeHex(sha256(named).subarray(0, idBytes));
  }

  async #demandAnswered(replyTo: string | undefined): Promise<void> {
    if (replyTo === undefined) return;
    demandString(replyTo, "replyTo");
    const { ledger } = this.#core;
    await ledger.inTurn((transaction) => demandMessages(transaction, { group: this.id, ids: [replyTo] }));
  }

  #requestKey(request: string): Key<StoredRequest> {
    return keyOf(inGroup(requestPrefix, this.id), request);
  }

  #demand(permission: Permission): void {
    if (this.#membership.isFollowed && !this.may(permission)) throw new NotPermittedError(permission);
  }

  #change(change: Change): Promise<void> {
    return this.#commits.change(change);
  }
}

/** What is wrong with it is found when it is read. */
function contentIn({ type, version = 1, body, text }: OutgoingContent) {
  const said = text === undefined ? {} : { text };
  return { type: "custom", content_type: type, content_version: version, content: body, ...said } as const;
}

/** A URL of the application; a phone app may use a custom scheme. */
/** Refuses here what other members would refuse. */
function demandReadable(body: SvcMessage): void {
  try {
    readSvcMessage(encodeSvcMessage(body));
  } catch (problem) {
    throw problem instanceof MalformedError ? new TypeError(problem.message) : problem;
  }
}

function demandText(value: unknown, what: string, [min, max]: readonly [number, number]): void {
  const holds = typeof value === "string" && value.length >= min && value.length <= max;
  demand(holds, value, { what, expected: `a string of ${min} to ${max} characters` });
}
