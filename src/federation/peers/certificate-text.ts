const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const pemLine = /-----[A-Z ]+-----/g;
const base64Form = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** The certificates in a text, each in PEM. */
export function pemCertificatesIn(text: string): readonly string[] {
  return text.match(pemCertificate) ?? [];
}

/**
 * The DER of the certificates that a peer sent as text. The specification says "base64" and no more, so each usual reading is
 * taken: base64 of DER or of PEM, in lines or in the alphabet for URLs, and PEM itself. Undefined if the text is none of these.
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
