import { RelayError } from "../protocol/errors.js";
import type { Device } from "./device.js";

/** The error for an operator's request about a device that is not registered here. */
export function deviceNotFound(): RelayError {
  return new RelayError("DEVICE_NOT_FOUND", "the device is not registered here");
}

/** The device that a request names. Throws DEVICE_NOT_FOUND if there is none. */
export function requireDevice(device: Device | undefined): Device {
  if (device === undefined) throw deviceNotFound();
  return device;
}
