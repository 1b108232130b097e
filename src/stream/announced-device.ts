import { RelayError } from "../protocol/errors.js";

/** A device that holds no active address gets no stream. Throws DEVICE_NOT_ANNOUNCED. */
export async function demandAnnounced(
  deviceId: string,
  { hasActiveAddress }: { hasActiveAddress(deviceId: string): Promise<boolean> },
): Promise<void> {
  if (await hasActiveAddress(deviceId)) return;
  throw new RelayError("DEVICE_NOT_ANNOUNCED", "the device holds no active address");
}
