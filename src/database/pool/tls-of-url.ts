import { existsSync, readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import type pg from "pg";

/**
 * The driver's settings for a URL. `sslrootcert=system` means what it does for other clients of PostgreSQL: the authorities that the
 * machine trusts, and `sslmode=verify-full`. The driver would look for a file of that name.
 */
export function settingsOfUrl(given: string): Pick<pg.ClientConfig, "connectionString" | "ssl"> {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const rootcert = url?.searchParams.get("sslrootcert") ?? null;
  if (url === undefined || rootcert === null) return { connectionString: given };
  if (rootcert === "system") {
    for (const name of ["sslrootcert", "sslmode"]) url.searchParams.delete(name);
    return { connectionString: url.href, ssl: { ca: systemAuthorities() } };
  }
  try {
    readFileSync(rootcert);
  } catch (cause) {
    throw new Error("the file that sslrootcert names in the database's URL cannot be read", { cause });
  }
  return { connectionString: given };
}

/** Where Debian and Red Hat, and what follows them, keep the authorities. */
const usualFiles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

function systemAuthorities(): string[] {
  const files = [process.env["SSL_CERT_FILE"] ?? usualFiles.find((file) => existsSync(file))];
  // Node.js adds these to its own authorities only as long as no others are given.
  files.push(process.env["NODE_EXTRA_CA_CERTS"]);
  return [
    ...rootCertificates,
    ...files.flatMap((file) => (file && existsSync(file) ? [readFileSync(file, "utf8")] : [])),
  ];
}
