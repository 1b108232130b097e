import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Logger } from "../platform/logger.js";

/** When the first certificate of a certificate file expires. */
export interface CertificateWatch {
  /** Reads the file; if it cannot be read, the earlier result stays. */
  look(): Promise<void>;
  /** Unix seconds; 0 if there is no file. */
  expiresAt(): number;
}

export function createCertificateWatch(deps: { file: string | null; logger: Logger }): CertificateWatch {
  const { file, logger } = deps;
  let expiresAt = 0;
  return {
    async look() {
      if (file === null) return;
      try {
        expiresAt = Math.floor(Date.parse(new X509Certificate(await readFile(file)).validTo) / 1000);
      } catch (error) {
        logger.warn({ err: error }, "the certificate could not be read");
      }
    },
    expiresAt: () => expiresAt,
  };
}
