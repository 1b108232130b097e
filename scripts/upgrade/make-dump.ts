import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { connectAdmin } from "../../src/client/admin.js";
import { connect } from "../../src/client/connection/connection.js";
import { type DeviceKeys, deviceKeysOf, newSecretKey } from "../../src/client/crypto/keys.js";
import { connectDevice, type DeviceClient } from "../../src/client/device/client.js";
import { share } from "../../src/client/infopackages/share.js";
import { uploadKeyPackages } from "../../src/client/keys/key-packages.js";
import { beginLinking } from "../../src/client/linking/linking-exchange.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { encodeBase64, encodeHex, utf8 } from "../../src/protocol/encodings.js";
import { publicKeyOf } from "../../src/protocol/signature.js";
import { takingKeyFrom } from "../../src/protocol/taking-key.js";
import { makeBusy } from "../demo/busy-scenario.js";
import { startOwnRelay } from "../demo/relays.js";
import { createTestAuthority } from "../test-ca/authority.js";
import { dumpDatabase } from "./dump.js";
import type { Facts } from "./facts.js";
import { writeRareRows } from "./rare-rows.js";

// Plays a relay with every feature, and stores its database and a backup of it in test/upgrade/<version>/, with what the tests have
// to know about them. Run once for each release, from its tag, after `npm run build`.

const project = fileURLToPath(new URL("../..", import.meta.url));
const { version } = JSON.parse(await readFile(join(project, "package.json"), "utf8")) as { version: string };
const target = join(project, "test/upgrade", version);
const folder = await mkdtemp(join(tmpdir(), "mls-relay-dump-"));
const masterKey = randomBytes(32).toString("hex");
const adminKey = newSecretKey();

const { cert, key } = await (await createTestAuthority(new Date())).issue({ hosts: ["relay.demo"] });
const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
await writeFile(certFile, cert);
await writeFile(keyFile, key, { mode: 0o600 });
const relay = await startOwnRelay({
  MASTER_KEY: masterKey,
  FEDERATION_CERT_FILE: certFile,
  FEDERATION_KEY_FILE: keyFile,
  ADMIN_LIST: `${encodeHex(publicKeyOf(adminKey))}=all`,
  BACKUP_DIR: join(folder, "backups"),
  SEED_REGISTRATION_REQUIRE_PROOF_OF_WORK: "false",
});
const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
try {
  const now = Math.floor(Date.now() / 1_000);
  const busy = await makeBusy({ ...relay, adminKey, now }, () => undefined);
  await busy.disconnect();
  const facts = await play();
  await run("console", "--json").catch(() => run("console"));
  await writeRareRows(db, { now, device: facts.recipient.deviceId });
  await mkdir(target, { recursive: true });
  const sql = await dumpDatabase(db);
  await writeFile(join(target, "database.sql.gz"), gzipSync(sql, { level: 9 }));
  const backup = join(folder, "made.backup");
  await run("backup", backup, "--quiet");
  await writeFile(join(target, "relay.backup"), await readFile(backup));
  await writeFile(join(target, "facts.json"), `${JSON.stringify({ ...facts, madeAt: now }, null, 2)}\n`);
  console.log(`${target} holds a database of ${version}: ${sql.length} characters`);
} finally {
  await db.close();
  await relay.stop();
  await rm(folder, { recursive: true, force: true });
}

/** A command of the built relay on this database. */
async function run(...args: string[]): Promise<string> {
  const env = { PATH: process.env["PATH"] ?? "", DATABASE_URL: relay.databaseUrl, MASTER_KEY: masterKey };
  const own = { DOMAIN: relay.domain, BASE_URL: relay.url, LOG_LEVEL: "error" };
  const program = join(project, "dist/src/cli/main.js");
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { env: { ...env, ...own } });
  return stdout;
}

async function newDevice(): Promise<{ keys: DeviceKeys; secretKey: Uint8Array; client: DeviceClient }> {
  const secretKey = newSecretKey();
  const keys = deviceKeysOf(secretKey);
  const client = await connectDevice({ url: relay.url, domain: relay.domain, keys });
  return { keys, secretKey, client };
}

/** Does what the busy day does not. */
async function play(): Promise<Omit<Facts, "madeAt">> {
  const admin = await connectAdmin({ url: relay.url, domain: relay.domain, keys: deviceKeysOf(adminKey) });
  await admin.login();
  const invite = await admin.call("createInvite", { body: { max_uses: 2 } });
  const [sender, recipient] = [await newDevice(), await newDevice()];
  // An invite is used only if a proof would be needed otherwise.
  await admin.call("updateConfig", { body: { registration: { require_proof_of_work: true } } });
  await sender.client.register({ admission: { by: "invite", code: invite.invite_code } });
  await admin.call("updateConfig", { body: { registration: { require_proof_of_work: false } } });
  await recipient.client.register({ admission: { by: "nothing" } });

  const address = recipient.client.session()?.addresses.at(-1) ?? "";
  const queued: { messageId: string; text: string }[] = [];
  for (const text of ["first", "second", "third"]) {
    const { message_id: messageId } = await sender.client.send({ to: address, ciphertext: utf8(text) });
    queued.push({ messageId, text });
  }
  await uploadKeyPackages(recipient.client, [randomBytes(80), randomBytes(80)], { lastResort: randomBytes(80) });
  const content = {
    group_id: "g",
    group_name: "Hut",
    welcome_message: "AA==",
    invited_by: "u",
    invited_by_name: "Ada",
  };
  const invitation = { ...content, created_at: Math.floor(Date.now() / 1_000) };
  const { link } = await share(sender.client, invitation, { displayName: "Hut", ttlSeconds: 30 * 86_400 });
  await beginLinking(await connect({ url: relay.url, domain: relay.domain }));
  const { slots } = await sender.client.call("getDiscovery", {});
  const { slot, sign } = takingKeyFrom(new Uint8Array(randomBytes(32)), relay.domain);
  const commit = utf8("a commit");
  const body = { content: encodeBase64(commit), slot_key: slots?.key ?? "", ...sign(commit) };
  const { receipt } = await sender.client.call("takeSlot", { path: { slot }, body });
  const policy = { allowlist_mode: false, auto_block_threshold: 0.3, require_certificate_validation: true };
  const published = { publish_blocklist: true, allowlist: ["friend.example"] };
  await admin.call("setFederationPolicy", { body: { ...policy, ...published } });
  const second = await connectAdmin({ url: relay.url, domain: relay.domain, keys: deviceKeysOf(adminKey) });
  await second.login();
  await second.logout();
  return {
    domain: relay.domain,
    masterKey,
    adminSecretKey: encodeHex(adminKey),
    sender: { deviceId: sender.keys.deviceId, secretKey: encodeHex(sender.secretKey) },
    recipient: { deviceId: recipient.keys.deviceId, secretKey: encodeHex(recipient.secretKey), address, queued },
    infoLink: link,
    slot: { name: slot, content: body.content, receipt },
  };
}
