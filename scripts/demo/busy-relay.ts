import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createConsoleLinks } from "../../src/admin/service.js";
import { createAuditService } from "../../src/audit/service.js";
import { newSecretKey } from "../../src/client/crypto/keys.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { type Clock, createSystemClock } from "../../src/node/clock.js";
import { createSystemRandom } from "../../src/platform/random.js";
import { encodeHex } from "../../src/protocol/encodings.js";
import { publicKeyOf } from "../../src/protocol/signature.js";
import { createTestAuthority } from "../test-ca/authority.js";
import { type ConnectedDevices, makeBusy } from "./busy-scenario.js";
import type { Say } from "./log.js";
import { type OwnRelay, ownDomain, startOwnRelay } from "./relays.js";

/** A separate relay that looks as it would after a busy day. */
interface BusyOwnRelay extends OwnRelay {
  adminKey: Uint8Array;
  /** Makes a link that signs a browser in once. */
  makeLink(): Promise<string>;
}

export async function startBusyRelay(say: Say): Promise<BusyOwnRelay> {
  const clock = createSystemClock();
  const adminKey = newSecretKey();
  const folder = await mkdtemp(path.join(tmpdir(), "mls-relay-busy-"));
  const relay = await startOwnRelay({
    ...(await writeCertificate(folder, clock)),
    BACKUP_DIR: path.join(folder, "backups"),
    ADMIN_LIST: `${encodeHex(publicKeyOf(adminKey))}=all`,
    SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
  });
  let devices: ConnectedDevices | undefined;
  const stop = async (): Promise<void> => {
    await devices?.disconnect();
    await relay.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    devices = await makeBusy({ ...relay, adminKey, now: clock.nowSeconds() }, say);
    return { ...relay, adminKey, makeLink: () => makeLink(relay, clock), stop };
  } catch (problem) {
    await stop();
    throw problem;
  }
}

/** Without a certificate a relay sends nothing to others. */
async function writeCertificate(folder: string, clock: Clock): Promise<Readonly<Record<string, string>>> {
  const authority = await createTestAuthority(new Date(clock.nowMillis()));
  const { cert, key } = await authority.issue({ hosts: [ownDomain] });
  const [certFile, keyFile] = [path.join(folder, "cert.pem"), path.join(folder, "key.pem")];
  await writeFile(certFile, cert);
  await writeFile(keyFile, key, { mode: 0o600 });
  return { FEDERATION_CERT_FILE: certFile, FEDERATION_KEY_FILE: keyFile };
}

async function makeLink({ url, databaseUrl }: OwnRelay, clock: Clock): Promise<string> {
  const db = createDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    const random = createSystemRandom();
    const audit = createAuditService({ clock, random });
    const links = createConsoleLinks({ db, clock, random, audit, config: { baseUrl: url } });
    return (await links.make(undefined)).url;
  } finally {
    await db.close();
  }
}
