import { BlockList, isIP } from "node:net";

/** The proxies whose word about a client's address counts. */
export type TrustedProxies = BlockList;

/**
 * Reads a list of networks in CIDR notation, or single addresses, of either family.
 *
 * @throws RangeError naming the first entry that is neither.
 */
export function parseTrustedProxies(entries: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const entry of entries) addNetwork(list, entry);
  return list;
}

/**
 * The address a request comes from: the socket's peer, or, where that is a trusted proxy, the rightmost entry of
 * X-Forwarded-For that is not one. An entry that is no address ends the search, because whoever wrote it may have
 * invented what stands to its left: the nearest trusted hop is then all that is known. Mapped IPv4 is given as IPv4.
 */
export function clientIp(socketPeer: string, forwardedFor: string | undefined, trusted: TrustedProxies): string {
  let nearest = unmapped(socketPeer);
  if (forwardedFor === undefined || !contains(trusted, nearest)) return nearest;
  for (const entry of forwardedFor.split(",").reverse()) {
    const address = unmapped(entry.trim());
    if (isIP(address) === 0) return nearest;
    nearest = address;
    if (!contains(trusted, address)) return address;
  }
  return nearest;
}

/** Whether a connection comes from a proxy whose word about its clients' addresses counts. */
export function isTrustedProxy(socketPeer: string, trusted: TrustedProxies): boolean {
  return contains(trusted, unmapped(socketPeer));
}

/** The unit that limits and bans count by: an IPv4 address as it is, IPv6 as its /64 (`2001:db8:0:1::/64`). */
export function networkKey(ip: string): string {
  const address = unmapped(ip);
  if (!address.includes(":")) return address;
  return `${groupsOf(address)
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** The /48 that an IPv6 network key lies in (`2001:db8:0::/48`): what one customer is given. None for IPv4. */
export function siteKey(networkKey: string): string | undefined {
  if (!networkKey.endsWith("::/64")) return undefined;
  return `${networkKey.split(":").slice(0, 3).join(":")}::/48`;
}

function addNetwork(list: BlockList, entry: string): void {
  const [address = "", bits, ...rest] = entry.trim().split("/");
  const version = isIP(address);
  const longest = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? longest : Number(bits);
  const digits = bits === undefined || /^\d{1,3}$/.test(bits);
  if (version === 0 || rest.length > 0 || !digits || prefix > longest) {
    throw new RangeError(`"${entry}" is neither an IP address nor a network in CIDR notation`);
  }
  list.addSubnet(address, prefix, version === 4 ? "ipv4" : "ipv6");
}

function contains(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 4 ? "ipv4" : "ipv6");
}

/** Drops a zone index, and gives an IPv4-mapped address (dotted or in hex) as IPv4. */
function unmapped(ip: string): string {
  const address = ip.split("%", 1)[0] ?? ip;
  if (!address.includes(":") || isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  if (groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff) return address.toLowerCase();
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The eight 16-bit groups of a valid IPv6 address. */
export function groupsOf(address: string): number[] {
  const [head = "", tail] = dottedEndAsHex(address).split("::");
  const left = groupList(head);
  if (tail === undefined) return left;
  const right = groupList(tail);
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function groupList(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

function dottedEndAsHex(address: string): string {
  const end = address.slice(address.lastIndexOf(":") + 1);
  if (!end.includes(".")) return address;
  const [a = 0, b = 0, c = 0, d = 0] = end.split(".").map(Number);
  const hex = [(a << 8) | b, (c << 8) | d].map((group) => group.toString(16)).join(":");
  return address.slice(0, -end.length) + hex;
}
