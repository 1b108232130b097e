import "reflect-metadata";
import { type KeyObject, webcrypto } from "node:crypto";
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";
import { dayMillis } from "../../protocol/units.js";
import { importKey } from "./files.js";

/**
 * A self-signed certificate to serve with until the real one exists. It expires after a day, so the alert about
 * expiring certificates is raised at once.
 */
export async function createTemporaryCertificate(host: string, key: KeyObject, nowMillis: number): Promise<string> {
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=${host}`,
      keys: (await importKey(webcrypto as webcrypto.Crypto, key)) as never,
      signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
      notBefore: new Date(nowMillis - dayMillis),
      notAfter: new Date(nowMillis + dayMillis),
      extensions: [new SubjectAlternativeNameExtension([{ type: "dns", value: host }])],
    },
    webcrypto as never,
  );
  return certificate.toString("pem");
}
