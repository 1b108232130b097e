// Pictures of people and groups: small images in blobs, of types that browsers show without running anything.

import { type BlobReference, readBlobReference } from "../../client/index.js";

/** Where a picture is, and what it has. */
export interface StoredPicture {
  reference: BlobReference;
  mediaType: string;
  /** The domain of the relay that has it. */
  relay: string;
  /** When that relay deletes it, in seconds since 1970; missing if nobody has said so. */
  endsAt?: number;
}

export const maxPictureBytes = 256 * 1024;
const maxUrlLength = 500;
const maxDomainLength = 255;
export const pictureTypes: readonly string[] = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/avif"];

/** As somebody else has written it. Undefined if it is none that this package would show. */
export function readPicture(file: unknown, mediaType: unknown, relay: unknown): StoredPicture | undefined {
  try {
    const reference = readBlobReference(file);
    const { expires_at: endsAt } = file as { expires_at?: unknown };
    const { file_size: size, url } = reference;
    if (size < 1 || size > maxPictureBytes || url.length > maxUrlLength || !pictureTypes.includes(mediaType as string))
      return undefined;
    if (typeof relay !== "string" || relay.length > maxDomainLength) return undefined;
    const isTime = Number.isSafeInteger(endsAt) && (endsAt as number) >= 0;
    return { reference, mediaType: mediaType as string, relay, ...(isTime && { endsAt: endsAt as number }) };
  } catch {
    return undefined;
  }
}

/** What a message or the group's context has of it. */
export function fileOfPicture({
  reference,
  endsAt,
}: StoredPicture): StoredPicture["reference"] & { expires_at?: number } {
  return { ...reference, ...(endsAt !== undefined && { expires_at: endsAt }) };
}
