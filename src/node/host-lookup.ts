import type { LookupFunction } from "node:net";
import { isPublicAddress } from "../platform/addresses/public-address.js";
import type { HostAddress, Resolve } from "./resolver.js";

/** A name that strangers have chosen does not lead where the relay may connect. */
export class AddressRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AddressRefused";
  }
}

/**
 * The addresses of a host that strangers have named: peers, push services. All of them must be public, unless private ones are
 * allowed. Throws AddressRefused. The connection must go to one of these addresses (`pinnedLookup`), so that a later change
 * of the name has no effect.
 */
export async function allowedAddresses(
  host: string,
  { resolve, allowPrivate }: { resolve: Resolve; allowPrivate: boolean },
): Promise<readonly HostAddress[]> {
  const addresses = await resolve(host).catch((cause: unknown) => {
    throw new AddressRefused(`${host} cannot be resolved`, { cause });
  });
  const usable = allowPrivate || addresses.every(({ address }) => isPublicAddress(address));
  if (addresses.length === 0 || !usable)
    throw new AddressRefused(`${host} does not resolve to an address that is allowed`);
  return addresses;
}

/** A look-up for `net.connect` that knows only these addresses. */
export function pinnedLookup(addresses: readonly HostAddress[]): LookupFunction {
  const [first = { address: "", family: 4 }] = addresses;
  return (_host, options, callback) => {
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}
