import { RelayError } from "../protocol/errors.js";

/** INVALID_REQUEST for one member of the body that the contract alone cannot judge. */
export function invalidMember(member: string, message: string, extras: object = {}): RelayError {
  const details = [{ path: `body/${member}`, message }];
  return new RelayError("INVALID_REQUEST", `${member}: ${message}`, { extras: { details, ...extras } });
}
