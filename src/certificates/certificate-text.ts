const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const pemLine = /-----[A-Z ]+-----/g;
const base64Form = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** The certificates in a text, each in PEM. */
export function pemCertificatesIn(text: string): readonly string[] {
  return text.match(pemCertificate) ?? [];
}

/**
 * The DER of the certificates that a peer sent as text. The specification says only "base64", so each usual reading is
 * accepted: base64 of DER or of PEM, with line breaks or in the URL-safe alphabet, and PEM. Undefined if the text is
 * none of these.
 */
export function readCertificateText(text: string): Buffer | undefined {
  const bytes = readPem(text) ?? decodeLoosely(text);
  return bytes === undefined ? undefined : (readPem(bytes.toString("latin1")) ?? bytes);
}

function readPem(text: string): Buffer | undefined {
  const parts = pemCertificatesIn(text).map((pem) => decodeLoosely(pem.replaceAll(pemLine, "")));
  const read = parts.filter((part) => part !== undefined);
  return parts.length > 0 && read.length === parts.length ? Buffer.concat(read) : undefined;
}

function decodeLoosely(text: string): Buffer | undefined {
  const inOneLine = text.replaceAll(/\s/g, "");
  return base64Form.test(inOneLine) ? Buffer.from(inOneLine, "base64") : undefined;
}
