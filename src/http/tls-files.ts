import { createSecureContext } from "node:tls";
import { createFileCopy, type FileCopy } from "../platform/file-copy.js";
import type { Logger } from "../platform/logger.js";
import type { TlsIdentity } from "./listener.js";

/**
 * The certificate and key to serve HTTPS with, read again when the files change; null without files. Files that do not
 * belong together are not taken.
 */
export function createTlsFiles(needs: {
  files: { tlsCertFile: string | null; tlsKeyFile: string | null };
  changed: (identity: TlsIdentity) => void;
  logger: Logger;
}): FileCopy<TlsIdentity | null> {
  const { tlsCertFile, tlsKeyFile } = needs.files;
  return createFileCopy<TlsIdentity | null>({
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
      if (identity !== null) needs.changed(identity);
    },
    logger: needs.logger,
  });
}
