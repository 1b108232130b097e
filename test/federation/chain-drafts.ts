import {
  type CertificateDraft,
  dns,
  extendedUsage,
  type Issued,
  isAuthority,
  isNoAuthority,
  keyUsage,
  names,
  usages,
  write,
} from "./certificate-writer.js";

/** A server that shows a chain for `peer.example`. */
export interface ChainCase {
  title: string;
  /** As it is sent, the server's own certificate first. */
  chain: readonly Issued[];
  anchors: readonly Issued[];
  lists: readonly Buffer[];
  /** Part of what the relay's refusal says; undefined where it accepts. */
  refused: string | undefined;
  /** Why the relay refuses what OpenSSL accepts. */
  stricter: string | undefined;
}

export const host = "peer.example";

const dayMillis = 86_400_000;
export const inDays = (days: number): Date => new Date(Date.now() + days * dayMillis);

export const authorityExtensions = [isAuthority(), keyUsage(["keyCertSign", "cRLSign"])];
export const server = { usage: keyUsage(["digitalSignature"]), extended: extendedUsage([usages.server]) };
export const leafExtensions = (hosts: Buffer = names(dns(host)), ...more: Buffer[]) => [
  isNoAuthority(),
  server.usage,
  server.extended,
  hosts,
  ...more,
];
export const authority = (issuer: Issued | null, draft: CertificateDraft = {}): Issued =>
  write(issuer, { extensions: authorityExtensions, ...draft });
export const constrained = (issuer: Issued | null, ...more: Buffer[]): Issued =>
  authority(issuer, { extensions: [...authorityExtensions, ...more] });
export const leaf = (issuer: Issued, draft: CertificateDraft = {}): Issued =>
  write(issuer, { extensions: leafExtensions(), ...draft });
export const leafFor = (issuer: Issued, ...subjectNames: Buffer[]): Issued =>
  leaf(issuer, { extensions: leafExtensions(names(...subjectNames)) });

export const root = authority(null);
export const cases: ChainCase[] = [];

type Chain = readonly Issued[];
interface Around {
  anchors?: readonly Issued[];
  lists?: readonly Buffer[];
}

export function accepted(title: string, chain: Chain, { anchors = [root], lists = [] }: Around = {}): void {
  cases.push({ title, chain, anchors, lists, refused: undefined, stricter: undefined });
}

/** By OpenSSL as well. */
export function refused(title: string, chain: Chain, told: Around & { says: string }): void {
  const { anchors = [root], lists = [], says } = told;
  cases.push({ title, chain, anchors, lists, refused: says, stricter: undefined });
}

/** By the relay alone. */
export function stricter(title: string, chain: Chain, told: Around & { says: string; because: string }): void {
  const { anchors = [root], lists = [], says, because } = told;
  cases.push({ title, chain, anchors, lists, refused: says, stricter: because });
}

export const untrusted = "not from a trusted authority";
export const unfit = "a key or an extension that is not accepted";
export const unread = "not a certificate";
export const badKey = "key is of a kind or size";
export const mayNot = "may not certify";
