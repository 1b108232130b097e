// The description and the picture of a group.

import { demand } from "../../client/runtime/arguments.js";
import type { Membership } from "../membership/membership.js";
import type { Change } from "../mls/changes.js";
import { appearanceOf, isDescription, maxDescriptionLength } from "../mls/group-context.js";
import type { DeviceCore } from "../sending/device-core.js";
import { pictureKey } from "../sending/profile-messages.js";
import { endsSoon, keepPicture, uploadPicture } from "./pictures.js";

/** Missing members stay as they are; an empty description or `null` removes the present one. */
export interface AppearanceOptions {
  description?: string | undefined;
  picture?: { bytes: Uint8Array; mediaType: string } | null | undefined;
}

/** The least time between two renewals of a group's picture by this device, whatever expiry members state. */
const pauseMillis = 86_400_000;
/** When this device last renewed pictures, by group. */
const renewals = new WeakMap<DeviceCore, Map<string, number>>();

/** What a commit changes in a group. The description has been checked. */
export async function changeAppearance(
  core: DeviceCore,
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

interface Renewing {
  memberships: ReadonlyMap<string, Membership>;
  change(membership: Membership, change: Change): Promise<void>;
}

/**
 * Uploads group pictures again, if this device has their bytes and may change them. The first member who may change a picture does so halfway
 * through its lifetime; the others follow one by one if that has not happened.
 */
export async function renewGroupPictures(core: DeviceCore, { memberships, change }: Renewing): Promise<void> {
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
    // It waits while the relay with the group's slots cannot be reached.
    change(membership, { kind: "describe", picture: uploaded, replaces: picture.reference.url }).catch(problem);
  }
}
