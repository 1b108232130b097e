import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import type { Config } from "../../platform/config/config.js";
import { createFileWatcher, type FileWatcher } from "../../platform/file-watcher.js";
import type { Logger } from "../../platform/logger.js";
import { type Certificate, readCertificate } from "./certificate.js";
import { type RevocationList, readRevocationLists } from "./revocation.js";

/** Whom we believe about other servers' names, and whom not any more. */
export interface Trust {
  /** The trusted authorities that may have issued this certificate, by name and key identifier. */
  anchorsOf(certificate: Certificate): Certificate[];
  lists: readonly RevocationList[];
  /** For connections to peers; TLS 1.3 or later. */
  secureContext(): SecureContext;
}

// Where distributions keep the bundle of authorities that the machine trusts; the runtime's own one without it.
const systemBundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** Keeps the system's authorities and those of FEDERATION_CA_FILE, and the lists of FEDERATION_CRL_FILE. */
export function createTrustStore(deps: {
  config: Pick<Config, "federationCaFile" | "federationCrlFile">;
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

/** The system's authorities are some 150 certificates, so they are read when somebody asks. */
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

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Those that cannot be accepted, for their keys or their form, are left out: nothing they issued is accepted either. */
function readAuthorities(text: string): Certificate[] {
  const found = text.match(pemCertificate) ?? [];
  if (found.length === 0) throw new Error("the file holds no certificate in PEM");
  return found.map((pem) => readCertificate(new X509Certificate(pem).raw)).filter((read) => read !== undefined);
}

/** By their names in DER, so that looking one up does not take longer the more there are. */
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
