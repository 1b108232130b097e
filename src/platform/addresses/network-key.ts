import ipaddr from "ipaddr.js";
import { parseUnmappedIp } from "./ip-address.js";

/** The unit that limits and bans count by: an IPv4 address as it is, IPv6 as its /64 (`2001:db8:0:1::/64`). */
export function networkKey(ip: string): string {
  // Most addresses are IPv4 and need no parsing.
  if (!ip.includes(":")) return ip;
  const address = parseUnmappedIp(ip);
  if (!(address instanceof ipaddr.IPv6)) return address?.toString() ?? ip;
  return `${address.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** The /48 that an IPv6 network key lies in (`2001:db8:0::/48`), as a provider assigns to one customer. None for IPv4. */
export function siteKey(networkKey: string): string | undefined {
  if (!networkKey.endsWith("::/64")) return undefined;
  return `${networkKey.split(":").slice(0, 3).join(":")}::/48`;
}
