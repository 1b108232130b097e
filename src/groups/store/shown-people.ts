// People as an application shows them.

import type { StoredPicture } from "../encoding/picture-format.js";
import type { Member, Person, PictureInfo, ShownMember } from "../mls/members.js";
import type { People } from "./people.js";

export function pictureInfo({ reference, mediaType }: StoredPicture): PictureInfo {
  return { id: reference.plaintext_hash, mediaType, size: reference.file_size };
}

/** `said` is what the user calls themself in a credential, if nothing newer is known. */
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
