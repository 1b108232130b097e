import { getDomain } from "tldts";
import { createLruCache } from "../../platform/lru-cache.js";
import { type Domain, type DomainRules, parseDomain } from "../../protocol/address.js";
import { RelayError } from "../../protocol/errors.js";

// Blocks, allowlist, limits and scores apply to host names without ports, since another port costs an attacker nothing.

/** Parses the domain of a peer. Throws INVALID_ADDRESS if it is not a domain, or if it is this server's domain. */
export function readPeerDomain(text: string, rules: DomainRules): Domain {
  const domain = parseDomain(text, rules);
  if (domain === undefined) throw new RelayError("INVALID_ADDRESS", "not the domain of a server");
  if (domain === rules.ownDomain?.toLowerCase()) {
    throw new RelayError("INVALID_ADDRESS", "this is the domain of this server");
  }
  return domain;
}

// The list is searched label by label for each delivery, mostly for the same few hosts.
const registrable = createLruCache<string, string>(10_000);

/** The registrable domain of a host by the public suffix list (`relay.example.co.uk` -> `example.co.uk`). */
export function registrableOf(host: string): string {
  let domain = registrable.get(host);
  if (domain === undefined) {
    domain = getDomain(host, { allowPrivateDomains: true }) ?? host;
    registrable.set(host, domain);
  }
  return domain;
}
