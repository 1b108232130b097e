// What this device knows of other users: whom this one has blocked, what this one calls them, and what they tell of themselves. Messages and
// events are stored with the names of their time, and shown with those of now.

import type { StoredPicture } from "../encoding/picture-format.js";
import type { Member, Person, PictureInfo, ShownMember } from "../mls/members.js";
import type { GroupEvent, Message, PassingEvent } from "./events.js";
import type { StoredProfile } from "./records.js";

type Named = Pick<Message["from"], "user" | "name">;
/** Events may name people in all these places. */
type Naming = { by?: Named; member?: Named; joined?: Named[]; left?: Named[]; message?: unknown };

export class People {
  /** The user of this device. */
  own = "";
  /** Users whom this one has blocked. */
  readonly blocked = new Set<string>();
  /** What this user calls others. */
  readonly called = new Map<string, string>();
  /** Also that of this user. */
  readonly profiles = new Map<string, StoredProfile>();

  nameOf(user: string): string | undefined {
    return this.called.get(user) ?? this.profiles.get(user)?.name;
  }

  /** Somebody with the name of now. */
  named<T extends Named>(one: T): T {
    const name = this.nameOf(one.user);
    return name === undefined ? one : { ...one, name };
  }

  /** Whether the application is not told of an event. */
  isHidden(event: GroupEvent | PassingEvent): boolean {
    const { blocked } = this;
    switch (event.type) {
      case "message":
        return blocked.has(event.message.from.user);
      case "messageChanged":
        return blocked.has(event.by.user) || blocked.has(event.message.from.user);
      case "joinRequest":
      case "profileChanged":
        return blocked.has(event.user);
      case "typing":
        return blocked.has(event.member.user);
      default:
        return false;
    }
  }

  /** An event with the names of now. */
  shownEvent<T extends GroupEvent | PassingEvent>(event: T): T {
    if (this.called.size + this.profiles.size === 0) return event;
    const { by, member, joined, left, message } = event as Naming;
    const each = (one: Named) => this.named(one);
    return {
      ...event,
      ...(by && { by: each(by) }),
      ...(member && { member: each(member) }),
      ...(joined && left && { joined: joined.map(each), left: left.map(each) }),
      ...(typeof message === "object" && { message: this.#withName(message as Message) }),
    };
  }

  /** A message without reactions of blocked users; undefined if one of them has sent it. */
  shownOf(message: Message): Message | undefined {
    const { blocked } = this;
    const shown = this.#withName(message);
    if (blocked.size === 0) return shown;
    if (blocked.has(message.from.user)) return undefined;
    const reactions = Object.entries(message.reactions).filter(([user]) => !blocked.has(user));
    return { ...shown, reactions: Object.fromEntries(reactions) };
  }

  #withName(message: Message): Message {
    const from = this.named(message.from);
    return from === message.from ? message : { ...message, from };
  }
}

export function pictureInfo({ reference, mediaType }: StoredPicture): PictureInfo {
  return { id: reference.plaintext_hash, mediaType, size: reference.file_size };
}

/** Somebody as an application shows them. `said` is what the user calls themself in a credential, if nothing newer is known. */
export function personOf({ called, profiles }: People, user: string, said = ""): Person {
  const { name: profileName = said, picture } = profiles.get(user) ?? {};
  const name = called.get(user);
  return {
    user,
    name: name ?? profileName,
    isNamed: name !== undefined,
    ...(name !== undefined && name !== profileName && profileName !== "" && { profileName }),
    ...(picture && { picture: pictureInfo(picture) }),
  };
}

export function shownMembers(people: People, members: readonly Member[]): ShownMember[] {
  return members.map((member) => ({ ...member, ...personOf(people, member.user, member.name) }));
}
