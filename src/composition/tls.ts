import { type AcmeCertificate, createAcmeCertificate } from "../certificates/acme/certificate.js";
import type { TlsIdentity } from "../http/connection/listener.js";
import { createTlsFiles } from "../http/connection/tls-files.js";
import type { Logger } from "../platform/logger.js";
import type { Lifecycle } from "../process/lifecycle.js";
import type { Config } from "./config.js";

interface TlsDeps {
  config: Config;
  infrastructure: { logger: Logger };
  lifecycle: Lifecycle;
}

/** Gets a certificate from ACME_DIRECTORY, if that is set. Whatever reads the certificate's files starts after this. */
export async function openAcme({ config, infrastructure, lifecycle }: TlsDeps): Promise<AcmeCertificate | null> {
  if (config.acmeDirectory === null) return null;
  const acme = createAcmeCertificate({ config, logger: infrastructure.logger });
  await lifecycle.begin(acme);
  return acme;
}

/** Loads the listener's certificate and key, and reports changes while the relay runs; null for plain HTTP. */
export async function openTls(
  { config, infrastructure, lifecycle }: TlsDeps,
  changed: (identity: TlsIdentity) => void,
): Promise<TlsIdentity | null> {
  const files = createTlsFiles({ files: config, changed, logger: infrastructure.logger });
  await lifecycle.begin(files);
  return files.current();
}
