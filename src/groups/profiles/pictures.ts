// Pictures of users and groups. Each is a blob, so the relay has only encrypted bytes. A device keeps the pictures that it has read, because
// relays delete them after some time.

import { downloadBlob, loaded, uploadBlob } from "../../client/index.js";
import { demand, demandOneOf, demandOptions } from "../../client/runtime/arguments.js";
import { maxPictureBytes, pictureTypes, type StoredPicture } from "../encoding/picture-format.js";
import { type DeviceCore, untilClosed } from "../sending/device-core.js";
import { pictureKey } from "../sending/profile-messages.js";
import type { Transaction } from "../store/ledger.js";
import { picturesKey } from "../store/record-keys.js";

/** A picture to show: an image of at most 256 KiB, of the type that its sender says. */
export interface Picture {
  bytes: Uint8Array<ArrayBuffer>;
  /** PNG, JPEG, WebP, GIF or AVIF. */
  mediaType: string;
}

/** The longest time for which relays keep a blob, and when it is uploaded again. */
const lifetimeSeconds = 90 * 86_400;
const renewedBeforeSeconds = 45 * 86_400;
/** The most pictures that are kept. The oldest are dropped. */
const maxKept = 200;

/** Uploads a picture for the members of groups. */
export async function uploadPicture(
  core: DeviceCore,
  given: { bytes: Uint8Array; mediaType: string },
): Promise<StoredPicture> {
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

/** Whether it is time to upload a picture again, for the member with this rank among those who may. */
export function endsSoon({ endsAt = Number.POSITIVE_INFINITY }: StoredPicture, nowMillis: number, rank = 0): boolean {
  return endsAt - renewedBeforeSeconds / (rank + 1) < nowMillis / 1000;
}

/** Keeps the bytes of a picture. Drops the oldest picture if there are too many. */
export async function keepPicture(
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

/** A picture that this device keeps. With `mayDownload`, a missing one is downloaded from its relay and kept. `of` is a user or a group. */
export async function readPicture(
  core: DeviceCore,
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
  const there = await (await loaded(import("../sending/file-transfers.js"))).atRelay(core, {
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
