// Which endpoints of push services the relay calls: https URLs with a host name, an allowed port, and only addresses that the relay may call.

import { isIP, type LookupFunction } from "node:net";
import { allowedAddresses, pinnedLookup } from "../node/host-lookup.js";
import type { Resolve } from "../node/resolver.js";
import { RelayError } from "../protocol/errors.js";
import type { PushSettings } from "./config.js";

const httpsPort = 443;

/** Parses an https URL with a host name and an allowed port. Throws PUSH_ENDPOINT_REFUSED. */
export function endpointUrl(endpoint: string, { pushPorts }: Pick<PushSettings, "pushPorts">): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "")
    throw refused("must be an https URL without credentials");
  // A look-up, which checks addresses, is made for names only.
  const isAddress = isIP(url.hostname) !== 0 || url.hostname.startsWith("[");
  if (isAddress) throw refused("must have a host name, not an address");
  const port = Number(url.port || httpsPort);
  if (!pushPorts.includes(port)) throw refused(`has port ${port}, which is not allowed for push services`);
  return url;
}

/** Resolves each name when a connection is opened, and connects to what was checked. */
export function guardedLookup({
  resolve,
  config,
}: {
  resolve: Resolve;
  config: Pick<PushSettings, "pushAllowPrivate">;
}): LookupFunction {
  return (host, options, callback) => {
    allowedAddresses(host, { resolve, allowPrivate: config.pushAllowPrivate }).then(
      (addresses) => pinnedLookup(addresses)(host, options, callback),
      (error: Error) => callback(error, ""),
    );
  };
}

/** The host resolves to an address that the relay never calls, or to none. */
export function addressRefused(): RelayError {
  return refused("must have a host that resolves to addresses that are allowed");
}

/** The message never repeats the endpoint: anyone who knows it can push to the device. */
function refused(problem: string): RelayError {
  const details = [{ path: "body/endpoint", message: problem }];
  return new RelayError("PUSH_ENDPOINT_REFUSED", `nothing is pushed to this endpoint: it ${problem}`, {
    extras: { details },
  });
}
