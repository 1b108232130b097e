import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { createFileWatcher, type FileWatcher } from "../platform/file-watcher.js";
import type { Logger } from "../platform/logger.js";
import { type Certificate, readCertificate } from "./certificate.js";
import { pemCertificatesIn } from "./certificate-text.js";
import { type RevocationList, readRevocationLists } from "./revocation.js";

/** The authorities that are trusted to certify other servers, and the revocation lists. */
export interface Trust {
  /** The trusted authorities that may have issued this certificate, by name and key identifier. */
  anchorsOf(certificate: Certificate): Certificate[];
  lists: readonly RevocationList[];
  /** For connections to peers, with TLS 1.3 or later. */
  secureContext(): SecureContext;
}

// Where distributions keep the authorities that the machine trusts. Without any of these, those of Node.js are used.
const systemBundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** Reads the authorities of the system and of FEDERATION_CA_FILE, and the revocation lists of FEDERATION_CRL_FILE. */
export function createTrustStore(deps: {
  config: { federationCaFile: string | null; federationCrlFile: string | null };
  logger: Logger;
}): FileWatcher<Trust> {
  const { federationCaFile, federationCrlFile } = deps.config;
  const own = federationCaFile === null ? [] : [federationCaFile];
  const lists = federationCrlFile === null ? [] : [federationCrlFile];
  return createFileWatcher({
    name: "certificate authorities and revocation lists",
    files: [
      ...own.map((path) => ({ variable: "FEDERATION_CA_FILE", path })),
      ...lists.map((path) => ({ variable: "FEDERATION_CRL_FILE", path })),
    ],
    make: (contents) => ({
      ...trusting(contents.slice(0, own.length).map(String)),
      lists: contents.slice(own.length).flatMap(readRevocationLists),
    }),
    logger: deps.logger,
  });
}

/** The authorities of the system, some 150 certificates, are parsed when first used. */
function trusting(texts: readonly string[]): Omit<Trust, "lists"> {
  const own = bySubject(texts.flatMap(readAuthorities));
  let context: SecureContext | undefined;
  return {
    anchorsOf({ issuer, node }) {
      const named = [...(own.get(issuer) ?? []), ...(systemAuthorities().get(issuer) ?? [])];
      const once = new Map(named.map((authority) => [authority.id, authority]));
      return [...once.values()].filter((authority) => node.checkIssued(authority.node));
    },
    secureContext() {
      context ??= createSecureContext({ ca: [systemText(), ...texts], minVersion: "TLSv1.3" });
      return context;
    },
  };
}

/** Authorities whose key or form is not accepted are left out, so nothing they issued is accepted. */
function readAuthorities(text: string): Certificate[] {
  const found = pemCertificatesIn(text);
  if (found.length === 0) throw new Error("the file contains no certificate in PEM");
  return found.map((pem) => readCertificate(new X509Certificate(pem).raw)).filter((read) => read !== undefined);
}

/** Indexes authorities by their names in DER. */
function bySubject(authorities: readonly Certificate[]): ReadonlyMap<string, readonly Certificate[]> {
  const named = new Map<string, Certificate[]>();
  for (const authority of authorities) {
    named.set(authority.subject, [...(named.get(authority.subject) ?? []), authority]);
  }
  return named;
}

let cachedText: string | undefined;
let cachedAuthorities: ReturnType<typeof bySubject> | undefined;

function systemText(): string {
  const bundle = systemBundles.find((path) => existsSync(path));
  cachedText ??= bundle === undefined ? rootCertificates.join("\n") : readFileSync(bundle, "utf8");
  return cachedText;
}

function systemAuthorities(): ReturnType<typeof bySubject> {
  cachedAuthorities ??= bySubject(readAuthorities(systemText()));
  return cachedAuthorities;
}
