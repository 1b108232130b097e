// The GroupInfo of a commit as one blob for all joiners at this device's relay. With the ratchet tree of 200 members it has 100 KB, which each
// Welcome would contain otherwise.

import { type BlobReference, type DecidedCommit, readBlobReference, uploadBlob } from "../../client/index.js";
import { decodeRecord } from "../encoding/records.js";
import { isAtRelay } from "../mls/members.js";
import type { DeviceCore } from "../sending/device-core.js";
import type { OwnCommit } from "./applying-commits.js";
import { maxSharedBytes } from "./welcomes.js";

/** If the Welcomes would take less than this together, each contains the GroupInfo. */
const worthBytes = 64 * 1024;
/** Longer than the outbox retries a message and a relay keeps it. */
const keptSeconds = 45 * 86_400;

/**
 * Uploads the GroupInfo of this device's commit if that saves much. Undefined if it does not, or if the relay refuses the blob: then each Welcome
 * contains it. After a crash it is uploaded again, and the earlier blob expires.
 */
export async function shareGroupInfo(
  { device, sealing, closing, problem }: DeviceCore,
  { state }: DecidedCommit,
): Promise<BlobReference | undefined> {
  const { welcomes, joiners } = state === undefined ? { joiners: [] } : decodeRecord<OwnCommit>(state);
  const sharing = joiners.filter(({ address }) => isAtRelay(address, sealing)).length;
  if (welcomes === undefined || sharing < 2) return undefined;
  const { length } = welcomes.groupInfo;
  if (sharing * length <= worthBytes || length > maxSharedBytes) return undefined;
  if ((await sealing.discover()).capabilities.blobs !== true) return undefined;
  try {
    const options = { lifetimeSeconds: keptSeconds, signal: closing };
    return readBlobReference((await uploadBlob(device, welcomes.groupInfo, options)).reference);
  } catch (what) {
    closing.throwIfAborted();
    problem(what);
    return undefined;
  }
}
