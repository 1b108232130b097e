// What all members of a group know about it: an extension of the MLS group context. It changes by commits only, so that all agree on it.

import type { SlotRelay } from "../../client/index.js";
import { decodeBase64, encodeBase64, isHex32, utf8 } from "../../protocol/encodings.js";
import { maxGroupNameLength, shownName } from "../encoding/names.js";
import { fileOfPicture, readPicture, type StoredPicture } from "../encoding/picture-format.js";
import { maxBanned } from "./bans.js";
import { type Invitation, maxInvitations } from "./invitations.js";
import { membersOf } from "./members.js";
import type { GroupView } from "./mls.js";

/** From the range that RFC 9420 leaves for private use. */
export const groupContextType = 0xf042;

/** RFC 9420, section 11.1. Some MLS libraries refuse a change of extensions whose types it does not name. */
export const requiredCapabilitiesType = 3;

/** Requires these extension types (fewer than 32) of every member, and no others; nor any proposal or credential type. */
export function requiredCapabilities(types: readonly number[]): Uint8Array {
  return Uint8Array.of(types.length * 2, ...types.flatMap((type) => [type >> 8, type & 0xff]), 0, 0);
}

export interface GroupContext {
  name: string;
  /** The relay whose commit slots decide. */
  slots: SlotRelay;
  invitations: Invitation[];
  /** Users who were removed, the newest last: no link lets them in. */
  banned: string[];
  /** After how many seconds messages of this epoch disappear; missing if they stay. */
  disappearSeconds?: number | undefined;
  /** Missing if there is none. */
  description?: string | undefined;
  picture?: StoredPicture | undefined;
  /** The only two users of a direct chat, in ascending order. */
  direct?: DirectUsers | undefined;
}

export type DirectUsers = readonly [string, string];

export const secretBytes = 32;
/** The year 10000, in seconds since 1970: later times are no dates to many programs. */
export const endOfDates = 253_402_300_800;
export const maxDescriptionLength = 1_000;
/** Shorter, nobody could read a message that comes late; longer, nobody would wait for it. */
export const disappearRange = [10, 366 * 86_400] as const;

export function encodeGroupContext(context: GroupContext): Uint8Array {
  const { name, slots, invitations, banned, disappearSeconds, description, picture, direct } = context;
  const { domain, slotKey, memoryDays } = slots;
  return utf8(
    JSON.stringify({
      version: 1,
      name,
      slots: { domain, slot_key: encodeBase64(slotKey), memory_days: memoryDays },
      invitations: invitations.map(({ id, key, by, expiresAtSeconds, usesLeft, needsApproval }) => ({
        id,
        key: encodeBase64(key),
        by,
        expires_at: expiresAtSeconds,
        uses_left: usesLeft,
        needs_approval: needsApproval,
      })),
      banned,
      ...(disappearSeconds !== undefined && { disappear_seconds: disappearSeconds }),
      ...(description !== undefined && { description }),
      ...(picture !== undefined && {
        picture: { file: fileOfPicture(picture), media_type: picture.mediaType, relay: picture.relay },
      }),
      ...(direct !== undefined && { direct }),
    }),
  );
}

/** Undefined if it does not have this form: then the group is none of this package. */
export function readGroupContext(content: Uint8Array | undefined): GroupContext | undefined {
  if (content === undefined) return undefined;
  try {
    const read = JSON.parse(new TextDecoder().decode(content));
    const { name, slots, invitations, banned, disappear_seconds: disappearSeconds, description, direct } = read;
    const { domain, memory_days: memoryDays } = slots;
    if (typeof name !== "string" || name.length > maxGroupNameLength || typeof domain !== "string") return undefined;
    if (invitations.length > maxInvitations || banned.length > maxBanned || !banned.every(isHex32)) return undefined;
    if (!Number.isSafeInteger(memoryDays) || memoryDays < 1) return undefined;
    if (disappearSeconds !== undefined && !isDisappearing(disappearSeconds)) return undefined;
    if (direct !== undefined && !isPair(direct)) return undefined;
    if (description !== undefined && !isDescription(description)) return undefined;
    const shown = read.picture && readPicture(read.picture.file, read.picture.media_type, read.picture.relay);
    if (read.picture !== undefined && shown === undefined) return undefined;
    return {
      name,
      slots: { domain, slotKey: secretIn(slots.slot_key), memoryDays },
      invitations: invitations.map(readInvitation),
      banned,
      ...(disappearSeconds !== undefined && { disappearSeconds }),
      ...(description !== undefined && { description }),
      ...(shown && { picture: shown }),
      ...(direct !== undefined && { direct }),
    };
  } catch {
    return undefined;
  }
}

const contexts = new WeakMap<Uint8Array, GroupContext | undefined>();

/** It is asked for each message, so each content is read once. */
export function contextIn(view: GroupView): GroupContext | undefined {
  const content = view.extension(groupContextType);
  if (content === undefined) return undefined;
  if (!contexts.has(content)) contexts.set(content, readGroupContext(content));
  return contexts.get(content);
}

/** After how many seconds messages disappear that were sent in this epoch. */
export function disappearSecondsOf(view: GroupView): number | undefined {
  return contextIn(view)?.disappearSeconds;
}

/** A direct chat is named after the other user, also after they have left it; before they come, as its context says. `before` is what it was called. */
export function groupNameIn(view: GroupView, before = ""): string {
  const context = contextIn(view);
  const own = ownUserIn(view);
  const other = membersOf(view).find(({ user }) => user !== own && context?.direct?.includes(user));
  const name = context?.direct === undefined ? context?.name : (other?.name ?? (before || context.name));
  return shownName(name ?? before, maxGroupNameLength);
}

export function ownUserIn(view: GroupView): string | undefined {
  return membersOf(view).find(({ isMe }) => isMe)?.user;
}

/** What the group says of itself beside its name. */
export function appearanceOf(view: GroupView): Pick<GroupContext, "description" | "picture"> {
  const { description, picture } = contextIn(view) ?? {};
  return { description, picture };
}

export function isDescription(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxDescriptionLength;
}

function isPair(value: unknown): value is DirectUsers {
  const [first = "", second = ""] = Array.isArray(value) && value.every(isHex32) ? value : [];
  return first < second && (value as string[]).length === 2;
}

function isDisappearing(value: unknown): boolean {
  const [min, max] = disappearRange;
  return isCount(value) && value >= min && value <= max;
}

function readInvitation(value: Record<string, unknown>): Invitation {
  const { id, key, by, expires_at: expiresAtSeconds, uses_left: usesLeft, needs_approval: needsApproval } = value;
  const hasForm =
    typeof id === "string" &&
    /^[0-9a-f]{16}$/.test(id) &&
    isHex32(by) &&
    isCount(expiresAtSeconds) &&
    expiresAtSeconds < endOfDates &&
    isCount(usesLeft);
  if (!hasForm) throw new Error("the invitation is malformed");
  return { id, key: secretIn(key), by, expiresAtSeconds, usesLeft, needsApproval: needsApproval === true };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function secretIn(value: unknown): Uint8Array {
  const bytes = typeof value === "string" ? decodeBase64(value) : undefined;
  if (bytes?.length !== secretBytes) throw new Error("the secret is malformed");
  return Uint8Array.from(bytes);
}
