// Sets this user's name and picture, tells them to the members of groups, and reads the pictures of others. A picture is a blob, so that the relay has only
// encrypted bytes; a device keeps those that it has read, because a relay deletes them after some time.

import { downloadBlob, uploadBlob } from "../../client/index.js";
import { demand, demandOneOf, demandOptions } from "../../client/runtime/arguments.js";
import { shownName } from "../encoding/names.js";
import { maxPictureBytes, pictureTypes, type StoredPicture } from "../encoding/pictures.js";
import type { Membership } from "../membership/membership.js";
import { seal } from "../membership/sealing.js";
import type { Change } from "../mls/changes.js";
import { appearanceOf, isDescription, maxDescriptionLength } from "../mls/group-context.js";
import type { ShownMember } from "../mls/members.js";
import { type Core, untilClosed } from "../sending/core.js";
import { pictureKey, takeOwed } from "../sending/profile-messages.js";
import type { Transaction } from "../store/ledger.js";
import type { People } from "../store/people.js";
import { keyOf, owedPrefix, picturesKey, restOf } from "../store/record-keys.js";
import type { StoredProfile } from "../store/records.js";
import type { Devices } from "./devices.js";
import { calledName, profileName } from "./local-state.js";

/** A picture to show: an image of at most 256 KiB, of the type that its sender says. */
export interface Picture {
  bytes: Uint8Array<ArrayBuffer>;
  /** PNG, JPEG, WebP, GIF or AVIF. */
  mediaType: string;
}

/** What is missing stays. */
export interface ProfileOptions {
  /** What the user is called from now on, of 1 to 200 characters. */
  name?: string | undefined;
  /** At most 256 KiB; `null` removes it. Remove the place where a photo was taken first: people see all that the file has. */
  picture?: { bytes: Uint8Array; mediaType: string } | null | undefined;
}

/** What is missing stays; an empty description and `null` remove what there was. */
export interface AppearanceOptions {
  description?: string | undefined;
  picture?: { bytes: Uint8Array; mediaType: string } | null | undefined;
}

/** Who is told of a profile. */
interface Told {
  devices: Devices;
  memberships: ReadonlyMap<string, Membership>;
  change(membership: Membership, change: Change): Promise<void>;
}

/** The profile, and the bytes of its picture if it has a new one. */
interface NewProfile {
  profile: Omit<StoredProfile, "at">;
  bytes?: Uint8Array | undefined;
}

const maxNameLength = 200;
/** Others take 30 in a day of theirs. */
const maxChanges = 10;
const maxContacts = 1_000;
const dayMillis = 86_400_000;
/** The longest that relays keep a blob, and when it is uploaded again. */
const lifetimeSeconds = 90 * 86_400;
const renewedBeforeSeconds = 45 * 86_400;
/** Between two renewals of a group's picture by this device, whatever members say when it ends. */
const pauseMillis = dayMillis;
/** When this device last renewed pictures, by group. */
const renewals = new WeakMap<Core, Map<string, number>>();
/** Pictures that are kept. The oldest make way. */
const maxKept = 200;

const alike = [..."аaеeоoрpсcуyхxіiјjѕsһhԁdոnαaοoρpνvιiκk"];
const latin = new Map(alike.flatMap((letter, at) => (at % 2 === 0 ? [[letter, alike[at + 1] as string]] : [])));
/** Digits and letters that are drawn as one stroke or a circle. */
const drawn: Record<string, string> = { "0": "o", "1": "l", i: "l", "|": "l" };

/** A name without marks, case, spaces and punctuation, in the letters that it looks like. */
function looksOf(name: string): string {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{Extended_Pictographic}|]/gu, "");
  const letters = [...plain].map((letter) => latin.get(letter) ?? letter);
  return letters.map((letter) => drawn[letter] ?? letter).join("");
}

/** Members whose names look like that of another member or of a contact, and who are no contacts themselves. */
export function namesakesAmong({ called }: People, members: readonly ShownMember[]): ShownMember[] {
  const all = members.map((one) => [looksOf(one.name), one.user || String(one.id)] as const);
  const named = [...all, ...[...called].map(([user, name]) => [looksOf(name), user] as const)];
  const isShared = ({ isNamed, isMe }: ShownMember, at: number) =>
    !isNamed && !isMe && named.some(([looks, user]) => looks === all[at]?.[0] && user !== all[at]?.[1]);
  return members.filter(isShared);
}

/** Uploads a picture for the members of groups. */
async function uploadPicture(core: Core, given: { bytes: Uint8Array; mediaType: string }): Promise<StoredPicture> {
  demandOptions(given, "picture");
  const { bytes, mediaType } = given;
  const holds = bytes instanceof Uint8Array && bytes.length > 0 && bytes.length <= maxPictureBytes;
  demand(holds, bytes, { what: "picture.bytes", expected: `1 to ${maxPictureBytes} bytes` });
  demandOneOf(mediaType, "picture.mediaType", pictureTypes);
  const { device, sealing } = core;
  const options = { lifetimeSeconds, signal: untilClosed(core) };
  const { reference, expiresAt } = await uploadBlob(device, bytes, options);
  return { reference, mediaType, relay: sealing.domain, endsAt: expiresAt };
}

/** Sets what this user tells from now on. Throws a RangeError if others would not take so many changes. */
export async function setProfile(core: Core, those: Told, options: ProfileOptions): Promise<void> {
  demandOptions(options, "options");
  const { name, picture } = options;
  const { account, ledger, nowMillis } = core;
  const known = ledger.people.profiles.get(account.user);
  const shown = name === undefined ? (known?.name ?? account.name) : typeof name === "string" ? shownName(name) : "";
  demand(shown !== "" && (name?.length ?? 0) <= maxNameLength, name, {
    what: "options.name",
    expected: `a string of 1 to ${maxNameLength} characters`,
  });
  const today = Math.floor(nowMillis() / dayMillis);
  const { day, changes } = known?.day === today ? known : { day: today, changes: 0 };
  if (changes >= maxChanges)
    throw new RangeError(`a user changes their name and picture at most ${maxChanges} times a day`);
  const uploaded = picture ? await uploadPicture(core, picture) : picture === null ? undefined : known?.picture;
  const profile = { name: shown, day, changes: changes + 1, ...(uploaded && { picture: uploaded }) };
  await tell(core, those, { profile, bytes: picture?.bytes });
  await tellOwed(core, those);
}

/** Calls a user so on all devices of this one, or without a name as they call themself. */
export async function setContact(
  { ledger, account }: Core,
  { devices }: Told,
  { user, name }: { user: string; name: string | undefined },
): Promise<void> {
  const { called } = ledger.people;
  if (user === account.user) throw new TypeError("a user is no contact of themself: use setProfile");
  const shown = typeof name === "string" ? shownName(name) : "";
  const expected = "a string with a character that can be seen";
  demand(name === undefined || shown !== "", name, { what: "name", expected });
  if (shown !== "" && !called.has(user) && called.size >= maxContacts)
    throw new RangeError(`a user has at most ${maxContacts} contacts`);
  if ((called.get(user) ?? "") !== shown) await devices.setLocal({ user }, { [calledName]: shown || undefined });
}

async function tell({ account }: Core, { devices, memberships }: Told, { profile, bytes }: NewProfile): Promise<void> {
  const changes = { [profileName]: profile };
  await devices.setLocal({ user: account.user }, changes, async (transaction) => {
    const { picture } = profile;
    if (bytes && picture) await keepPicture(transaction, { of: account.user, picture, bytes });
    for (const { id, isFollowed } of memberships.values())
      if (isFollowed) transaction.set(keyOf(owedPrefix, id), { atMillis: 0 });
  });
}

/** Uploads this user's picture again if the relay deletes it soon, and this device has its bytes. */
async function renew(core: Core, those: Told): Promise<void> {
  const { account, ledger, nowMillis } = core;
  const known = ledger.people.profiles.get(account.user);
  if (known?.picture === undefined || !endsSoon(known.picture, nowMillis())) return;
  const bytes = await ledger.store.get(pictureKey(account.user, known.picture));
  if (bytes === undefined) return;
  const { at: _, ...profile } = known;
  await tell(core, those, {
    profile: { ...profile, picture: await uploadPicture(core, { ...known.picture, bytes }) },
  });
}

/**
 * Uploads the pictures of groups again that this device has the bytes of, and may change. The first of the members who may change it has half of a picture's time for that; the others begin
 * one after another, if it was not done.
 */
async function renewGroups(core: Core, { memberships, change }: Told): Promise<void> {
  const { ledger, nowMillis, problem } = core;
  const done = renewals.get(core) ?? new Map<string, number>();
  renewals.set(core, done);
  for (const membership of memberships.values()) {
    const { id, isFollowed } = membership;
    const picture = isFollowed ? appearanceOf(membership.view).picture : undefined;
    if (picture === undefined || !membership.may("rename")) continue;
    const able = membership.members().filter((one) => membership.may("rename", one.id));
    const isPaused = (done.get(id) ?? 0) > nowMillis() - pauseMillis;
    if (
      isPaused ||
      !endsSoon(
        picture,
        nowMillis(),
        able.findIndex(({ isMe }) => isMe),
      )
    )
      continue;
    const bytes = await ledger.store.get(pictureKey(id, picture));
    if (bytes === undefined) continue;
    done.set(id, nowMillis());
    const uploaded = await uploadPicture(core, { ...picture, bytes });
    // It waits while the relay with the group's slots is away.
    change(membership, { kind: "describe", picture: uploaded, replaces: picture.reference.url }).catch(problem);
  }
}

function endsSoon({ endsAt = Number.POSITIVE_INFINITY }: StoredPicture, nowMillis: number, rank = 0): boolean {
  return endsAt - renewedBeforeSeconds / (rank + 1) < nowMillis / 1000;
}

/** Keeps the bytes of a picture, in place of the oldest if there are too many. */
async function keepPicture(
  transaction: Transaction,
  { of, picture, bytes }: { of: string; picture: StoredPicture; bytes: Uint8Array },
) {
  const key = pictureKey(of, picture);
  const { keys } = (await transaction.read(picturesKey)) ?? { keys: [] };
  const all = [...keys.filter((one) => one !== key), key];
  for (const old of all.slice(0, -maxKept)) transaction.remove(old);
  transaction.set(picturesKey, { keys: all.slice(-maxKept) });
  transaction.setBytes(key, bytes);
}

/** What a commit changes of a group. The description has been checked. */
export async function changeAppearance(
  core: Core,
  { group, description, picture }: { group: string } & AppearanceOptions,
): Promise<Extract<Change, { kind: "describe" }>> {
  const holds = description === undefined || description === "" || isDescription(description);
  demand(holds, description, {
    what: "description",
    expected: `a string of at most ${maxDescriptionLength} characters`,
  });
  const uploaded = picture ? await uploadPicture(core, picture) : picture;
  if (picture && uploaded)
    await core.ledger.inTurn(async (transaction) => {
      await keepPicture(transaction, { of: group, picture: uploaded, bytes: picture.bytes });
      await transaction.commit();
    });
  return {
    kind: "describe",
    ...(description !== undefined && { description: description || null }),
    ...(uploaded !== undefined && { picture: uploaded }),
  };
}

/** A picture as this device keeps it, or if `mayDownload` from its relay, and kept then. `of` is a user or a group. */
export async function readPicture(
  core: Core,
  { of, picture, mayDownload }: { of: string; picture: StoredPicture | undefined; mayDownload: boolean },
): Promise<Picture | undefined> {
  if (picture === undefined) return undefined;
  const { ledger, device } = core;
  const { mediaType, relay, reference } = picture;
  const kept = await ledger.store.get(pictureKey(of, picture));
  if (kept !== undefined) return { bytes: Uint8Array.from(kept), mediaType };
  if (!mayDownload) return undefined;
  const { runtime } = device.connection;
  const signal = untilClosed(core);
  const there = await (await import("../sending/file-transfers.js")).atRelay(core, {
    domain: relay,
    reference,
    signal,
  });
  const stream = downloadBlob(there, { runtime, signal });
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  await ledger.inTurn(async (transaction) => {
    await keepPicture(transaction, { of, picture, bytes });
    await transaction.commit();
  });
  return { bytes, mediaType };
}

/** Goes on with what a start or the time has left. */
export async function resume(core: Core, those: Told): Promise<void> {
  await tellOwed(core, those);
  await renew(core, those);
  await renewGroups(core, those);
}

/** Tells the members of the groups to which it is owed, now or a little later. */
export async function tellOwed(core: Core, those: Told): Promise<void> {
  const { ledger, nowMillis } = core;
  let next = Number.MAX_SAFE_INTEGER;
  for (const [key, { atMillis }] of await ledger.readAll(owedPrefix)) {
    const membership = those.memberships.get(restOf(key, owedPrefix));
    if (atMillis > nowMillis() && membership?.isActive) {
      next = Math.min(next, atMillis);
      continue;
    }
    await ledger.inTurn(async (transaction) => {
      const body = membership?.isFollowed ? await takeOwed(transaction, core, membership.id) : undefined;
      if (membership !== undefined && body !== undefined) await seal(transaction, membership, body);
      transaction.remove(key);
      await transaction.commit();
    });
  }
  const again = () => void tellOwed(core, those).catch(core.problem);
  if (next < Number.MAX_SAFE_INTEGER) core.sleep(next - nowMillis()).then(again, () => undefined);
}
