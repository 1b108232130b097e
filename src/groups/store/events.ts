import type { ErrorName, FileReference, JsonObject, Mention, RejoinReason } from "../../client/index.js";
import type { Refused } from "../mls/changes.js";
import type { Member } from "../mls/members.js";
import type { Roles } from "../mls/permissions.js";

/** A text, a file with a text, or content of an application, as it is stored. */
export interface Message {
  /** Of its sender and what they have chosen; the same for all members. */
  id: string;
  /** The group's id. */
  group: string;
  /** `user` and `device` are empty if the sender's user had not signed the device: show it as a stranger's. */
  from: Pick<Member, "user" | "name" | "device">;
  /** Whether a device of this user has sent it. */
  isMine: boolean;
  /** By the sender's clock, in milliseconds since 1970, but no later than it has come. */
  sentAtMillis: number;
  /** When this device's relay took it, in milliseconds since 1970; its sender has no influence on it. */
  receivedAtMillis: number;
  /** Empty if its sender has taken it back. */
  text: string;
  /** The id of the message that it answers. */
  replyTo?: string;
  /** Parts of the text that name users. */
  mentions?: Mention[];
  file?: AttachedFile;
  /** Content of an application. `text` is what to show if its type or version is unknown; it may be empty. */
  content?: Content;
  /** When its sender has changed it last, by the sender's clock. */
  editedAtMillis?: number;
  /** Up to six of each user, by user. */
  reactions: Record<string, string[]>;
  /** What other users have told of it, by user. */
  receipts: Record<string, "delivered" | "read">;
  /** Of a message that this device has sent, as `Group.messages` returns it. */
  delivery?: Delivery;
  /** When it is deleted on all devices, in milliseconds since 1970; missing if it stays. */
  disappearsAtMillis?: number;
  /** Where it stands among the messages of the group on this device: later ones have higher numbers. */
  seq: number;
}

/** Content of an application's own type, as its sender's application has made it: check its form before you use it. */
export interface Content {
  type: string;
  version: number;
  body: JsonObject;
}

/** What has become of a message that this device has sent. */
export interface Delivery {
  /** `sent`: the relay of each other member has taken it. `undelivered`: some have refused it for good, all others have it. */
  state: "waiting" | "sent" | "undelivered";
  /** Why it waits, and when it is tried again; missing if it waits for the network alone, or for a moment. */
  error?: ErrorName;
  retryAtMillis?: number;
  /** Whom it does not reach. */
  undelivered: { address: string; error: UndeliveredReason }[];
}

/** A file as its sender describes it. Check nothing by its type. */
export interface AttachedFile {
  reference: FileReference & JsonObject;
  /** The domain of its sender's relay, which has it. */
  relay: string;
  /** One line in which each character can be seen. */
  name: string;
  mediaType: string;
  /** When the sender's relay deletes it, in milliseconds since 1970; missing if its sender has not said so. */
  endsAtMillis?: number;
}

/** Why a message did not reach a member. */
export type UndeliveredReason = ErrorName | "EXPIRED";

export type GroupEvent =
  | { type: "message"; group: string; message: Message }
  /** A stored message has another text, reaction or receipt. `by` is who has changed it, `message` the message as it is by now. */
  | { type: "messageChanged"; group: string; message: Message; change: "edit" | "reaction" | "receipt"; by: Member }
  /**
   * Somebody has added this device to a group, which is a request until `Group.accept` or `Group.decline`. `by` is who has done it; missing if the MLS library does not say. `members`
   * is how many the group has.
   */
  | { type: "invited"; group: string; name: string; members: number; by?: Member }
  /** This device has created or joined a group, or the user has accepted it. `by` is the member who added it again to a group that it was in before. */
  | { type: "joinedGroup"; group: string; name: string; by?: Member }
  /**
   * Somebody wanted to add this device to a group with the id of one that it knows, and did not prove that it is that group, and goes on from what this
   * device knew. It has changed nothing. Told once, until this device enters the group again.
   */
  | { type: "welcomeRefused"; group: string }
  /** Members or the name of a group have changed. `by` is missing if the member is not in the group any more. */
  | { type: "changed"; group: string; name: string; joined: Member[]; left: Member[]; by?: Member }
  /**
   * A user has replaced their key, as after the loss of a device: `isVerified` is false from now on, and the safety number is another one. With `isConflict`, the group shows a key
   * that does not follow the one which this device knows: anyone with an earlier key of the user could have made it. It changes no safety number.
   */
  | { type: "userKeyChanged"; group: string; user: string; isConflict: boolean }
  /** What is allowed to whom has changed. */
  | { type: "rolesChanged"; group: string; roles: Roles; by?: Member }
  /** Messages that are sent from now on disappear after another time, or stay if `seconds` is missing. */
  | { type: "disappearingChanged"; group: string; seconds?: number; by?: Member }
  /** Messages have disappeared: this device does not have them any more. */
  | { type: "disappeared"; group: string; messages: string[] }
  /** This device has deleted all that it had of a group (`Group.forget`). */
  | { type: "forgotten"; group: string }
  /** Somebody asks to be added by an invitation that needs approval, or was removed before (`wasRemoved`): see `Group.approve`. */
  | {
      type: "joinRequest";
      group: string;
      request: string;
      name: string;
      user: string;
      address: string;
      wasRemoved: boolean;
    }
  /** Another device of the user, or this one, has blocked somebody (`Groups.blockUser`), or has taken that back. */
  | { type: "blockedChanged"; user: string; isBlocked: boolean }
  /**
   * A user has another name or picture, as they say of themself: `before` is what they called themself until now. Tell people so where the user writes. Of this user, it was set
   * by another device or this one.
   */
  | { type: "profileChanged"; user: string; name: string; before: string }
  /** Another device of the user, or this one, calls somebody otherwise (`Groups.setContact`); without a name, as they call themself. */
  | { type: "contactChanged"; user: string; name?: string }
  /** The group has another description or picture (`Group.setAppearance`). */
  | { type: "appearanceChanged"; group: string; by?: Member }
  /** Another device of the user, or this one, has set something of `Group.local`. */
  | { type: "localChanged"; group: string }
  /** A member has refused to add this device by an invitation (`Groups.join`). Another one may still do it. */
  | { type: "joinRefused"; group: string; name: string }
  /** This device has got messages that another device of the user had. */
  | { type: "history"; messages: number }
  /**
   * This device was off for longer than its relay keeps an address (`announcement_retention_hours`), and its address had ended from the first of these
   * times to the second. What was sent to it then was refused: members at its relay were told (`undelivered`), those at others were not.
   */
  | { type: "unreachable"; sinceSeconds: number; untilSeconds: number }
  /** This device was removed. */
  | { type: "removed"; group: string; by?: Member }
  /** This device has left. */
  | { type: "leftGroup"; group: string }
  /** This device cannot follow the group any more and must be added again. */
  | { type: "mustRejoin"; group: string; reason: RejoinReason }
  /** The relay of each other member has taken a message. */
  | { type: "sent"; group: string; message: string }
  /**
   * Something waits, because a relay has a limit or cannot be reached. It is tried again then, and later events say more: `sent`, `undelivered`, or this one
   * with a later time. `message` is its id, if it is a message. `addresses` are those that it waits for.
   */
  | {
      type: "delayed";
      group: string;
      message?: string;
      addresses: string[];
      error: ErrorName;
      retryAtMillis: number;
    }
  /**
   * A member's relay refuses something of this group for good. `message` is its id, if it is a message. `EXPIRED`: it could not be sent for seven
   * days, and the relay still refuses it, or the group has entered another epoch.
   */
  | { type: "undelivered"; group: string; address: string; error: UndeliveredReason; message?: string }
  /**
   * `Group.add` could not add an address. With `retryAtMillis` it is kept, and tried again then: the relay has a limit, or another relay cannot be
   * reached. Without, it was given up.
   */
  | { type: "notAdded"; group: string; address: string; error: Refused["error"]; retryAtMillis?: number }
  /** A member has sent something that nobody can read. */
  | { type: "unreadable"; group: string; receivedAtSeconds: number };

/** As it is stored: a message that has changed is named by its number, and read when the event is asked for. */
export type KeptEvent =
  | GroupEvent
  | (Omit<Extract<GroupEvent, { type: "messageChanged" }>, "message"> & { message: number });

/** An event that is kept until the application has dealt with it. `seq` rises. */
export type StoredEvent = GroupEvent & { seq: number };

export type Status = "connecting" | "online" | "offline" | "ended";

/** What only listeners hear: nothing of it is kept. */
export type PassingEvent =
  | { type: "status"; status: Status }
  | { type: "typing"; group: string; member: Member; isTyping: boolean }
  /** Something failed that will be tried again. */
  | { type: "problem"; problem: unknown };
