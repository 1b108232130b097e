import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import type { Config } from "../platform/config.js";
import { createFileCopy, type FileCopy } from "../platform/file-copy.js";
import type { Logger } from "../platform/logger.js";
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
export function createTrustStore(needs: {
  limits: Pick<Config, "federationCaFile" | "federationCrlFile">;
  logger: Logger;
}): FileCopy<Trust> {
  const { federationCaFile, federationCrlFile } = needs.limits;
  const own = federationCaFile === null ? [] : [federationCaFile];
  const lists = federationCrlFile === null ? [] : [federationCrlFile];
  return createFileCopy({
    name: "certificate authorities and revocation lists",
    paths: [...own, ...lists],
    make: (contents) => ({
      ...trusting(contents.slice(0, own.length).map(String)),
      lists: contents.slice(own.length).flatMap(readRevocationLists),
    }),
    logger: needs.logger,
  });
}

/** The system's authorities are some 150 certificates, so they are read when somebody asks, and each whole when it fits. */
function trusting(texts: readonly string[]): Omit<Trust, "lists"> {
  const own = texts.flatMap(readAuthorities);
  const whole = new Map<X509Certificate, Certificate | undefined>();
  let context: SecureContext | undefined;
  const read = (authority: X509Certificate): Certificate | undefined => {
    if (!whole.has(authority)) whole.set(authority, readCertificate(authority.raw));
    return whole.get(authority);
  };
  return {
    anchorsOf({ node }) {
      const issuers = [...own, ...systemAuthorities()].filter((authority) => node.checkIssued(authority));
      return issuers.map(read).filter((anchor) => anchor !== undefined);
    },
    secureContext() {
      context ??= createSecureContext({ ca: [systemText(), ...texts], minVersion: "TLSv1.3" });
      return context;
    },
  };
}

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function readAuthorities(text: string): X509Certificate[] {
  const found = text.match(pemCertificate) ?? [];
  if (found.length === 0) throw new Error("the file holds no certificate in PEM");
  return found.map((pem) => new X509Certificate(pem));
}

let cachedText: string | undefined;
let cachedAuthorities: X509Certificate[] | undefined;

function systemText(): string {
  const bundle = systemBundles.find((path) => existsSync(path));
  cachedText ??= bundle === undefined ? rootCertificates.join("\n") : readFileSync(bundle, "utf8");
  return cachedText;
}

function systemAuthorities(): X509Certificate[] {
  cachedAuthorities ??= readAuthorities(systemText());
  return cachedAuthorities;
}
