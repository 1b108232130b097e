import { type DerElement, derElements, derSequence, malformed } from "./der.js";

/** A name in a certificate (RFC 5280, section 4.2.1.6). Host names are in lower case. Other kinds are not parsed. */
export type GeneralName = { kind: "dns"; host: string } | { kind: "ip"; bytes: Buffer } | { kind: "other" };

/** Which names an authority may certify (RFC 5280, section 4.2.1.10). */
export interface NameConstraints {
  permitted: readonly GeneralName[];
  excluded: readonly GeneralName[];
}

const dnsTag = 0x82;
const ipTag = 0x87;
const permittedTag = 0xa0;
const excludedTag = 0xa1;
const printable = /^[\x21-\x7e]*$/;

/** Throws if the bytes are not names. */
export function readNames(raw: Buffer): GeneralName[] {
  return derSequence(raw).map(readName);
}

/** Throws if the bytes are not name constraints. */
export function readConstraints(raw: Buffer): NameConstraints {
  const parts = derSequence(raw);
  const under = (tag: number) => parts.filter((part) => part.tag === tag).flatMap(readSubtrees);
  if (parts.length === 0 || parts.some(({ tag }) => tag !== permittedTag && tag !== excludedTag)) throw malformed();
  return { permitted: under(permittedTag), excluded: under(excludedTag) };
}

/** RFC 5280 forbids a minimum or maximum in a subtree, so such a subtree counts as an unknown kind. */
function readSubtrees({ value }: DerElement): GeneralName[] {
  const subtrees = derElements(value);
  if (subtrees === undefined || subtrees.length === 0) throw malformed();
  return subtrees.map(({ whole }) => {
    const [base, ...bounds] = derSequence(whole);
    if (base === undefined) throw malformed();
    return bounds.length > 0 ? { kind: "other" } : readName(base);
  });
}

function readName({ tag, value }: DerElement): GeneralName {
  if (tag === dnsTag) return readHost(value);
  return tag === ipTag ? { kind: "ip", bytes: value } : { kind: "other" };
}

function readHost(value: Buffer): GeneralName {
  const host = value.toString("latin1").toLowerCase();
  if (!printable.test(host)) throw malformed();
  return { kind: "dns", host };
}

/** Limits the time to compare every name with every constraint. */
const maxComparisons = 10_000;

/**
 * Whether an authority with these constraints may certify these names. Constraints on names other than hosts and IP
 * addresses are not supported, so no certificate passes them.
 */
export function permits(constraints: NameConstraints, names: readonly GeneralName[]): boolean {
  const { permitted, excluded } = constraints;
  const bases = [...permitted, ...excluded];
  if (bases.some(({ kind }) => kind === "other") || bases.length * names.length > maxComparisons) return false;
  return names.every((name) => {
    const ofItsKind = permitted.filter(({ kind }) => kind === name.kind);
    const isPermitted = ofItsKind.length === 0 || ofItsKind.some((base) => covers(base, name));
    return isPermitted && !excluded.some((base) => covers(base, name) || matches(name, base));
  });
}

function covers(base: GeneralName, name: GeneralName): boolean {
  if (base.kind === "dns" && name.kind === "dns") return coversHost(base.host, name.host);
  return base.kind === "ip" && name.kind === "ip" && coversAddress(base.bytes, name.bytes);
}

/** `example.com` covers itself and the names below it, `.example.com` only those below it, and an empty base everything. */
function coversHost(base: string, host: string): boolean {
  if (base === "" || base === host) return true;
  return host.endsWith(base.startsWith(".") ? base : `.${base}`);
}

/** Whether a wildcard name matches an excluded name: `*.example.com` matches `a.example.com`. */
function matches(name: GeneralName, excluded: GeneralName): boolean {
  if (name.kind !== "dns" || excluded.kind !== "dns" || !name.host.startsWith("*.")) return false;
  return coversHost(name.host.slice(2), excluded.host.replace(/^\./, ""));
}

/** The base is an address followed by a mask of the same length. */
function coversAddress(base: Buffer, address: Buffer): boolean {
  if (base.length !== address.length * 2) return false;
  return address.every((byte, i) => {
    const mask = base[address.length + i] ?? 0;
    return (byte & mask) === ((base[i] ?? 0) & mask);
  });
}
