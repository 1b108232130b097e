import type { TlsIdentity } from "../http/listener.js";
import { createTlsFiles } from "../http/tls-files.js";
import { type AcmeCertificate, createAcmeCertificate } from "../platform/acme/certificate.js";
import type { Config } from "../platform/config/config.js";
import type { Lifecycle } from "../platform/lifecycle.js";
import type { Logger } from "../platform/logger.js";

export interface TlsDeps {
  config: Config;
  infrastructure: { logger: Logger };
  lifecycle: Lifecycle;
}

/** Gets the certificate, where the relay gets it itself. What reads the certificate's files starts after this. */
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
