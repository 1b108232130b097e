import { createSecureContext } from "node:tls";
import { createFileWatcher, type FileWatcher } from "../../platform/file-watcher.js";
import type { Logger } from "../../platform/logger.js";
import type { TlsIdentity } from "./listener.js";

/**
 * The certificate and key to serve HTTPS with, read again when the files change; null without files. A key that does
 * not belong to the certificate is rejected.
 */
export function createTlsFiles(deps: {
  files: { tlsCertFile: string | null; tlsKeyFile: string | null };
  changed: (identity: TlsIdentity) => void;
  logger: Logger;
}): FileWatcher<TlsIdentity | null> {
  const { tlsCertFile, tlsKeyFile } = deps.files;
  return createFileWatcher<TlsIdentity | null>({
    name: "the certificate of the listener and its key",
    files: [
      ...(tlsCertFile === null ? [] : [{ variable: "TLS_CERT_FILE", path: tlsCertFile }]),
      ...(tlsKeyFile === null ? [] : [{ variable: "TLS_KEY_FILE", path: tlsKeyFile, holdsKey: true }]),
    ],
    make([cert, key]) {
      if (cert === undefined || key === undefined) return null;
      createSecureContext({ cert, key });
      return { cert, key };
    },
    changed: (identity) => {
      if (identity !== null) deps.changed(identity);
    },
    logger: deps.logger,
  });
}
