import { decodeMlsMessage } from "ts-mls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDemoClient } from "../../scripts/demo/client.js";
import { createDatabase } from "../../src/database/pool/pool.js";
import { verifyBytes } from "../../src/protocol/signature.js";
import { startRelay, type TestRelay } from "../support/relay.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ seeds: { SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "100000" } });
});
afterAll(() => relay.stop());

test("no key that the relay stores verifies the signature of a stored message", async () => {
  const at = { url: relay.url, domain: relay.config.domain };
  const [ada, ben] = await Promise.all(["ada", "ben"].map((name) => createDemoClient(name, at, () => undefined)));
  if (ada === undefined || ben === undefined) throw new Error("there is no client");
  for (const client of [ada, ben]) await client.register();
  await ada.member.found("lighthouse");
  const keyPackage = await ada.fetchKeyPackageOf(ben);
  const { welcome } = await ada.member.add([keyPackage]);
  await ada.welcome(welcome, [{ client: ben, keyPackage }]);
  await ada.write("hello", [ben]);
  await ada.sendCommit(await ada.member.commit(), [ben]);

  const { keys, messages } = await storedAt(relay.databaseUrl);
  expect(keys).toContainEqual(ada.device.keys.publicKey);
  expect(keys.length, "the devices' keys, and Ada's leaf key in her key package").toBe(3);
  expect(messages).toHaveLength(3);
  const isNamed = messages.map(({ ciphertext, signature }) =>
    keys.some((key) => verifyBytes(key, ciphertext, signature)),
  );
  expect(isNamed).toEqual([false, false, false]);
  expect(new Set(messages.map(({ signature }) => signature)).size).toBe(3);
});

interface Stored {
  /** Every Ed25519 key in the database that belongs to a device or to a leaf. */
  keys: Uint8Array[];
  messages: { ciphertext: Uint8Array; signature: string }[];
}

async function storedAt(databaseUrl: string): Promise<Stored> {
  const db = createDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    const devices = await db.rows<{ public_key: Buffer }>("select public_key from devices");
    const packages = await db.rows<{ key_package: Buffer }>(
      "select key_package from key_packages where key_package is not null",
    );
    const messages = await db.rows<{ ciphertext: Buffer; signature: string }>(
      "select ciphertext, sender_signature as signature from messages",
    );
    const keys = [
      ...devices.map(({ public_key }) => public_key),
      ...packages.map(({ key_package }) => leafKey(key_package)),
    ];
    return { keys: keys.map((key) => new Uint8Array(key)), messages };
  } finally {
    await db.close();
  }
}

function leafKey(keyPackage: Uint8Array): Uint8Array {
  const message = decodeMlsMessage(new Uint8Array(keyPackage), 0)?.[0];
  if (message?.wireformat !== "mls_key_package") throw new Error("this is not a key package");
  return message.keyPackage.leafNode.signaturePublicKey;
}
