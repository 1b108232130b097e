// Sets this user's name and picture, and tells the members of groups.

import { demand, demandOptions } from "../../client/runtime/arguments.js";
import type { Devices } from "../devices/devices.js";
import { profileName } from "../devices/local-state.js";
import { shownName } from "../encoding/names.js";
import type { Membership } from "../membership/membership.js";
import { seal } from "../membership/sealing.js";
import type { Change } from "../mls/changes.js";
import type { DeviceCore } from "../sending/device-core.js";
import { pictureKey, takeOwed } from "../sending/profile-messages.js";
import { keyOf, owedPrefix, restOf } from "../store/record-keys.js";
import type { StoredProfile } from "../store/records.js";
import { renewGroupPictures } from "./group-appearance.js";
import { endsSoon, keepPicture, uploadPicture } from "./pictures.js";

/** Missing members stay as they are. */
export interface ProfileOptions {
  /** The new name, of 1 to 200 characters. */
  name?: string | undefined;
  /** At most 256 KiB; `null` removes it. Strip metadata such as the location of a photo first: members get the whole file. */
  picture?: { bytes: Uint8Array; mediaType: string } | null | undefined;
}

/** Who is told about a profile. */
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
/** Others accept 30 from a user in one of their days. */
const maxChanges = 10;
const dayMillis = 86_400_000;

/** Changes this user's profile. Throws a RangeError after ten changes in a day, because others ignore more. */
export async function setProfile(core: DeviceCore, those: Told, options: ProfileOptions): Promise<void> {
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

async function tell(
  { account }: DeviceCore,
  { devices, memberships }: Told,
  { profile, bytes }: NewProfile,
): Promise<void> {
  const changes = { [profileName]: profile };
  await devices.setLocal({ user: account.user }, changes, async (transaction) => {
    const { picture } = profile;
    if (bytes && picture) await keepPicture(transaction, { of: account.user, picture, bytes });
    for (const { id, isFollowed } of memberships.values())
      if (isFollowed) transaction.set(keyOf(owedPrefix, id), { atMillis: 0 });
  });
}

/** Uploads this user's picture again if the relay will delete it soon and this device has its bytes. */
async function renew(core: DeviceCore, those: Told): Promise<void> {
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

/** Resumes what was left undone at the last stop, or has become due. */
export async function resume(core: DeviceCore, those: Told): Promise<void> {
  await tellOwed(core, those);
  await renew(core, those);
  await renewGroupPictures(core, those);
}

/** Tells the members of the groups that have not been told yet, now or a little later. */
export async function tellOwed(core: DeviceCore, those: Told): Promise<void> {
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
