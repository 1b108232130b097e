// Sets this user's name and picture, tells them to the members of groups, and reads the pictures of others. A picture is a blob, so that the relay has only
// encrypted bytes; a device keeps those that it has read, because a relay deletes them after some time.

import type { Devices } from "../devices/devices.js";
import type { Membership } from "../membership/membership.js";
import type { Change } from "../mls/changes.js";
import type { ShownMember } from "../mls/members.js";
import type { Core } from "../sending/core.js";
import type { Transaction } from "../store/ledger.js";
import type { People } from "../store/people.js";
import type { StoredPicture, StoredProfile } from "../store/records.js";
import type { ProfileParts } from "./profile-parts.js";

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
function namesakesAmong({ called }: People, members: readonly ShownMember[]): ShownMember[] {
  const all = members.map((one) => [looksOf(one.name), one.user || String(one.id)] as const);
  const named = [...all, ...[...called].map(([user, name]) => [looksOf(name), user] as const)];
  const isShared = ({ isContact, isMe }: ShownMember, at: number) =>
    !isContact && !isMe && named.some(([looks, user]) => looks === all[at]?.[0] && user !== all[at]?.[1]);
  return members.filter(isShared);
}

export function profilesWith(parts: ProfileParts) {
  const { demand, demandOneOf, demandOptions, keyOf, owedPrefix, picturesKey, pictureKey, restOf, shownName } = parts;

  /** Uploads a picture for the members of groups. */
  async function uploadPicture(core: Core, given: { bytes: Uint8Array; mediaType: string }): Promise<StoredPicture> {
    demandOptions(given, "picture");
    const { bytes, mediaType } = given;
    const holds = bytes instanceof Uint8Array && bytes.length > 0 && bytes.length <= parts.maxPictureBytes;
    demand(holds, bytes, { what: "picture.bytes", expected: `1 to ${parts.maxPictureBytes} bytes` });
    demandOneOf(mediaType, "picture.mediaType", parts.pictureTypes);
    const { device, sealing } = core;
    const options = { lifetimeSeconds, signal: parts.untilClosed(core) };
    const { reference, expiresAt } = await parts.uploadBlob(device, bytes, options);
    return { reference, mediaType, relay: sealing.domain, endsAt: expiresAt };
  }

  /** Sets what this user tells from now on. Throws a RangeError if others would not take so many changes. */
  async function setProfile(core: Core, those: Told, options: ProfileOptions): Promise<void> {
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
  async function setContact(
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
    if ((called.get(user) ?? "") !== shown)
      await devices.setLocal({ user }, { [parts.calledName]: shown || undefined });
  }

  async function tell(
    { account }: Core,
    { devices, memberships }: Told,
    { profile, bytes }: NewProfile,
  ): Promise<void> {
    const changes = { [parts.profileName]: profile };
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

  function endsSoon({ endsAt = Number.POSITIVE_INFINITY }: StoredPicture, nowMillis: number): boolean {
    return endsAt - renewedBeforeSeconds < nowMillis / 1000;
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
  async function changeAppearance(
    core: Core,
    { group, description, picture }: { group: string } & AppearanceOptions,
  ): Promise<Extract<Change, { kind: "describe" }>> {
    const holds = description === undefined || description === "" || parts.isDescription(description);
    demand(holds, description, {
      what: "description",
      expected: `a string of at most ${parts.maxDescriptionLength} characters`,
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
  async function readPicture(
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
    const there = await parts.atRelay(core, relay, reference);
    const stream = parts.downloadBlob(there, { runtime, signal: parts.untilClosed(core) });
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    await ledger.inTurn(async (transaction) => {
      await keepPicture(transaction, { of, picture, bytes });
      await transaction.commit();
    });
    return { bytes, mediaType };
  }

  /** Goes on with what a start or the time has left. */
  async function resume(core: Core, those: Told): Promise<void> {
    await tellOwed(core, those);
    await renew(core, those);
  }

  /** Tells the members of the groups to which it is owed, now or a little later. */
  async function tellOwed(core: Core, those: Told): Promise<void> {
    const { ledger, nowMillis } = core;
    let next = Number.MAX_SAFE_INTEGER;
    for (const [key, { atMillis }] of await ledger.readAll(owedPrefix)) {
      const membership = those.memberships.get(restOf(key, owedPrefix));
      if (atMillis > nowMillis() && membership?.isActive) {
        next = Math.min(next, atMillis);
        continue;
      }
      await ledger.inTurn(async (transaction) => {
        const body = membership?.isFollowed ? await parts.takeOwed(transaction, core, membership.id) : undefined;
        if (membership !== undefined && body !== undefined) await parts.seal(transaction, membership, body);
        transaction.remove(key);
        await transaction.commit();
      });
    }
    const again = () => void tellOwed(core, those).catch(core.problem);
    if (next < Number.MAX_SAFE_INTEGER) core.sleep(next - nowMillis()).then(again, () => undefined);
  }

  return { namesakesAmong, setProfile, setContact, changeAppearance, readPicture, resume };
}
