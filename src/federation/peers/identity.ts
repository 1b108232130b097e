import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { pemCertificatesIn } from "../../certificates/certificate-text.js";
import type { ServerConfig } from "../../platform/config/server.js";
import { createFileWatcher, type FileWatcher } from "../../platform/file-watcher.js";
import type { Logger } from "../../platform/logger.js";
import { type Domain, hostOf } from "../../protocol/address.js";
import type { FederationSettings } from "../model/config.js";
import { signAnswer } from "./challenge-response.js";

/** The certificate of our domain and its key, which prove our domain to peers. */
export type Identity = ReturnType<typeof identityOf>;

/** The files of our certificate: the federation certificate, or the one that the relay serves HTTPS with. */
type IdentityFiles = Pick<FederationSettings, "federationCertFile" | "federationKeyFile"> &
  Pick<ServerConfig, "tlsCertFile" | "tlsKeyFile">;

/** Reads the certificate and its key, and reads them again when the files change. Null without files. */
export function createIdentity(deps: {
  domain: string;
  config: IdentityFiles;
  logger: Logger;
}): FileWatcher<Identity | null> {
  const { federationCertFile, federationKeyFile, tlsCertFile, tlsKeyFile } = deps.config;
  const hasOwn = federationCertFile !== null;
  const files = [
    { variable: hasOwn ? "FEDERATION_CERT_FILE" : "TLS_CERT_FILE", path: federationCertFile ?? tlsCertFile },
    {
      variable: hasOwn ? "FEDERATION_KEY_FILE" : "TLS_KEY_FILE",
      path: federationKeyFile ?? tlsKeyFile,
      holdsKey: hasOwn,
    },
  ];
  return createFileWatcher({
    name: "the certificate for peers and its key",
    files: files.flatMap(({ path, ...file }) => (path === null ? [] : [{ ...file, path }])),
    make: ([certificate, key]) =>
      certificate === undefined || key === undefined ? null : identityOf(deps.domain, String(certificate), key),
    logger: deps.logger,
  });
}

function identityOf(domain: string, pem: string, key: Buffer) {
  const chain = pemCertificatesIn(pem).map((text) => new X509Certificate(text));
  const privateKey = createPrivateKey(key);
  if (!isPair(chain[0], privateKey)) throw new Error("the private key does not belong to the certificate");
  const host = hostOf(domain as Domain);
  return {
    /** The chain in concatenated DER, leaf first, in base64. */
    certificate: Buffer.concat(chain.map(({ raw }) => raw)).toString("base64"),
    /** Whether the certificate names our domain and is in its time. */
    isValidAt: (millis: number) => chain[0] !== undefined && namesHost(chain[0], host) && isInTime(chain[0], millis),
    /** Signs the nonce of a peer. `audience` is the domain of the peer that was looked up. */
    answer: ({ nonce, audience }: { nonce: string; audience: string }) =>
      signAnswer({ nonce, originServer: domain, audience }, privateKey),
  };
}

function namesHost(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

function isInTime({ validFrom, validTo }: X509Certificate, millis: number): boolean {
  return Date.parse(validFrom) <= millis && millis <= Date.parse(validTo);
}

function isPair(certificate: X509Certificate | undefined, key: KeyObject): boolean {
  return certificate?.checkPrivateKey(key) === true;
}
