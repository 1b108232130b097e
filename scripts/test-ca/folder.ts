import "reflect-metadata";
import { X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { X509Crl } from "@peculiar/x509";
import { createTestAuthority, openTestAuthority, type TestAuthority } from "./authority.js";

/** A test authority kept in a folder, with the certificates it has issued and its revocation list. */
export interface AuthorityFolder {
  authority: TestAuthority;
  /** For FEDERATION_CA_FILE and FEDERATION_CRL_FILE. */
  caFile: string;
  crlFile: string;
  /** For TLS_CERT_FILE and TLS_KEY_FILE of the server with this name: `<name>.pem` and `<name>.key`. */
  filesOf(name: string): { certFile: string; keyFile: string };
  /** Issues a certificate for a name, replacing an earlier one. */
  issue(name: string): Promise<void>;
  /** Adds the certificate of a name to the revocation list. */
  revoke(name: string): Promise<void>;
}

const forOwner = 0o600;

/** Opens the authority of a folder, or creates both. `keyMode` is the file mode of servers' private keys. */
export async function openAuthorityFolder(
  folder: string,
  { now, keyMode = forOwner }: { now: Date; keyMode?: number },
): Promise<AuthorityFolder> {
  const inFolder = (name: string) => path.join(folder, name);
  const [caFile, caKeyFile, crlFile] = [inFolder("ca.pem"), inFolder("ca.key"), inFolder("crl.pem")];
  const filesOf = (name: string) => ({ certFile: inFolder(`${name}.pem`), keyFile: inFolder(`${name}.key`) });
  await mkdir(folder, { recursive: true });
  const authority = await openOrCreate({ caFile, caKeyFile, now });
  if (!existsSync(crlFile)) await writeFile(crlFile, await authority.revocationList([]));

  return {
    authority,
    caFile,
    crlFile,
    filesOf,
    async issue(name) {
      const { certFile, keyFile } = filesOf(name);
      const { cert, key } = await authority.issue({ hosts: [name] });
      await writeFile(keyFile, key, { mode: keyMode });
      await writeFile(certFile, cert);
    },
    async revoke(name) {
      const { serialNumber } = new X509Certificate(await readFile(filesOf(name).certFile));
      const known = new X509Crl(await readFile(crlFile, "utf8")).entries.map((entry) => entry.serialNumber);
      await writeFile(crlFile, await authority.revocationList([...known, serialNumber]));
    },
  };
}

async function openOrCreate(at: { caFile: string; caKeyFile: string; now: Date }): Promise<TestAuthority> {
  if (existsSync(at.caFile)) {
    const [cert, key] = await Promise.all([readFile(at.caFile, "utf8"), readFile(at.caKeyFile, "utf8")]);
    return openTestAuthority({ cert, key }, at.now);
  }
  const made = await createTestAuthority(at.now);
  await writeFile(at.caKeyFile, await made.key(), { mode: forOwner });
  await writeFile(at.caFile, made.cert);
  return made;
}
