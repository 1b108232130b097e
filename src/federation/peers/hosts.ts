import { getDomain } from "tldts";
import { type Domain, type DomainRules, parseDomain } from "../../protocol/address.js";
import { RelayError } from "../../protocol/errors.js";

// Blocks, allowlist, limits and score go by host names without ports: a port costs nothing.

/** A domain that somebody named. Throws INVALID_ADDRESS for what is none, and for this server's own. */
export function readPeerDomain(text: string, rules: DomainRules): Domain {
  const domain = parseDomain(text, rules);
  if (domain === undefined) throw new RelayError("INVALID_ADDRESS", "this is not the domain of a server");
  if (domain === rules.ownDomain?.toLowerCase()) {
    throw new RelayError("INVALID_ADDRESS", "this server's own domain cannot be meant");
  }
  return domain;
}

/** The host itself and every name above it: blocking one of them blocks the host. */
export function namesCovering(host: string): string[] {
  const labels = host.split(".");
  return labels.map((_, i) => labels.slice(i).join("."));
}

/** What can be registered of a host (`relay.example.co.uk` -> `example.co.uk`), by the public suffix list. */
export function registrableOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}
