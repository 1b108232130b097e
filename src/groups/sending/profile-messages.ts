// What members tell of themselves: their name and picture. MLS messages carry it, each signed by its sender. Those who join later get it when the others next write, in small
// groups soon after they have come.

import type { SvcMessage } from "../../client/index.js";
import { lastMillisOf } from "../../protocol/units.js";
import { shownName } from "../encoding/names.js";
import { fileOfPicture, readPicture, type StoredPicture } from "../encoding/picture-format.js";
import type { Member } from "../mls/members.js";
import type { Transaction } from "../store/ledger.js";
import { keyOf, owedPrefix, picturePrefix, profilePrefix } from "../store/record-keys.js";
import type { StoredProfile } from "../store/records.js";
import type { People } from "../store/shown-people.js";
import type { DeviceCore } from "./device-core.js";
import { newBody } from "./new-body.js";

/** Changes of one user in a day. This device makes fewer, because others count other days. */
const maxChanges = 30;
/** Users whose profile is kept, this one included. */
const maxProfiles = 10_000;
const daySeconds = 86_400;
/** In a larger group, newcomers are told with the next message. */
const maxPeopleToTell = 20;
/** So that not all tell a newcomer at the same moment. */
const tellWithinMillis = 5_000;

/** Notes what another user tells of themself. Only the latest counts, and only so often in a day that everybody can follow. */
export async function noteProfile(
  transaction: Transaction,
  { ledger, account }: DeviceCore,
  {
    group,
    body,
    by,
    at,
  }: { group: string; body: Extract<SvcMessage, { type: "persona_update" }>; by: Member; at: number },
): Promise<void> {
  const { people } = ledger;
  const { user, address } = by;
  // The other devices of this user tell each other.
  if (!by.isSigned || user === account.user) return;
  const key = keyOf(profilePrefix, user);
  const known = await transaction.read(key);
  // A time to come would refuse all later ones.
  const setAt = Math.min(body.set_at_millis ?? body.sent_at_millis, lastMillisOf(at));
  const name = shownName(body.name);
  if ((known !== undefined && setAt <= known.at) || name === "") return;
  const gone = known === undefined ? makingWay(people, group) : [];
  if (gone === undefined) return;
  const relay = address.slice(address.indexOf("@") + 1);
  const picture = body.picture && readPicture(body.picture, body.media_type, relay);
  const before = known?.name ?? by.name;
  const isSame = before === name && hashOf(known) === hashOf({ picture });
  const today = Math.floor(at / daySeconds);
  const { day, changes } = known?.day === today ? known : { day: today, changes: 0 };
  if (!isSame && changes >= maxChanges) return;
  const counted = { day, changes: changes + (isSame ? 0 : 1) };
  const profile = { name, ...(picture && { picture }), at: setAt, ...counted, group: known?.group ?? group };
  for (const [other, { picture: old }] of gone) {
    transaction.remove(keyOf(profilePrefix, other));
    if (old !== undefined) transaction.remove(pictureKey(other, old));
    transaction.afterwards(() => void people.profiles.delete(other));
  }
  transaction.set(key, profile);
  if (known?.picture && hashOf(known) !== hashOf(profile)) transaction.remove(pictureKey(user, known.picture));
  transaction.afterwards(() => void people.profiles.set(user, profile));
  if (!isSame) transaction.event({ type: "profileChanged", user, name, before });
}

/**
 * Whose profiles make way for one of a user of this group: of the group whose members have brought most, the last. So a member who adds users who do not exist pushes out nobody of other groups. Undefined if
 * that is the same group.
 */
function makingWay({ profiles, own }: People, group: string): [user: string, profile: StoredProfile][] | undefined {
  if (profiles.size < maxProfiles) return [];
  const byGroup = new Map<string, [string, StoredProfile][]>();
  for (const [user, profile] of profiles) {
    const { group: of = "" } = profile;
    const those = byGroup.get(of) ?? [];
    if (user !== own) those.push([user, profile]);
    byGroup.set(of, those);
  }
  const gone: [string, StoredProfile][] = [];
  while (profiles.size - gone.length >= maxProfiles) {
    const most = [...byGroup.values()].reduce((one, other) => (other.length > one.length ? other : one));
    if (most === byGroup.get(group)) return undefined;
    gone.push(most.pop() as [string, StoredProfile]);
  }
  return gone;
}

const hashOf = (profile: { picture?: StoredPicture | undefined } | undefined) =>
  profile?.picture?.reference.plaintext_hash;

/** `of` is a user or a group. */
export function pictureKey(of: string, { reference }: StoredPicture) {
  return keyOf(picturePrefix, `${of}/${reference.plaintext_hash}`);
}

/** The members of a group are still to be told this user's profile, if there is one: at once, or if others have joined, after a while. */
export function oweProfile(
  transaction: Transaction,
  { ledger, account, nowMillis, randomBytes }: DeviceCore,
  { id, joined }: { id: string; joined?: { among: readonly Member[] } },
): void {
  if (!ledger.people.profiles.has(account.user)) return;
  const isLarge = new Set(joined?.among.map(({ user }) => user)).size > maxPeopleToTell;
  const atMillis = nowMillis() + (joined ? ((randomBytes(1)[0] ?? 0) / 256) * tellWithinMillis : 0);
  transaction.set(keyOf(owedPrefix, id), { atMillis: isLarge ? Number.MAX_SAFE_INTEGER : atMillis });
}

/** What a group is told with this device's next message. */
export async function takeOwed(
  transaction: Transaction,
  core: DeviceCore,
  group: string,
): Promise<SvcMessage | undefined> {
  const profile = core.ledger.people.profiles.get(core.account.user);
  const key = keyOf(owedPrefix, group);
  if (profile === undefined || (await transaction.get(key)) === undefined) return undefined;
  transaction.remove(key);
  const { name, at, picture } = profile;
  const file = picture && { picture: { ...fileOfPicture(picture) }, media_type: picture.mediaType };
  return newBody(core, { type: "persona_update", name, set_at_millis: at, ...file });
}
