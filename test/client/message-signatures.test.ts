import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { newSecretKey } from "../../src/client/crypto/keys.js";
import { signCiphertext, signOnce, verifyCiphertext } from "../../src/client/crypto/message-signatures.js";
import { publicKeyOf, verifyBytes } from "../../src/protocol/signature.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { keysOf, newClient } from "./harness.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay();
});
afterAll(() => relay.stop());
afterEach(() => vi.unstubAllGlobals());

const ciphertext = new TextEncoder().encode("a ciphertext");

test("each message without a signature is signed by a key of its own, not by the device's", async () => {
  const [ada, ben] = [await newClient(relay), await newClient(relay)];
  const to = ben.session()?.addresses[0] ?? "";
  await ada.send({ to, ciphertext });
  await ada.sendBatch([{ to, ciphertext }]);
  await ada.sendToGroup({ to: [to], ciphertext });
  const signatures = (await ben.poll()).messages.map(({ sender_signature }) => sender_signature);
  expect(new Set(signatures).size).toBe(3);
  for (const signature of signatures) {
    expect(verifyBytes(keysOf(ada).publicKey, ciphertext, signature)).toBe(false);
  }
});

test.each([
  ["with WebCrypto", undefined],
  ["without WebCrypto", { getRandomValues: crypto.getRandomValues.bind(crypto) }],
])("a signature that is used once differs each time, and is one of Ed25519: %s", async (_, crypto) => {
  if (crypto !== undefined) vi.stubGlobal("crypto", crypto);
  const signatures = await Promise.all(Array.from({ length: 4 }, () => signOnce(ciphertext)));
  expect(new Set(signatures.map(String)).size).toBe(4);
  for (const signature of signatures) {
    expect(signature).toHaveLength(64);
    // S is below the order of the group, which is a little above 2^252 (RFC 8032, section 5.1.7).
    expect(signature[63]).toBeLessThanOrEqual(0x10);
  }
});

test("a group that has a key for signatures can check them", () => {
  const key = newSecretKey();
  const senderSignature = Buffer.from(signCiphertext(key, ciphertext)).toString("hex");
  expect(verifyCiphertext(publicKeyOf(key), { ciphertext, senderSignature })).toBe(true);
  expect(verifyCiphertext(publicKeyOf(newSecretKey()), { ciphertext, senderSignature })).toBe(false);
});
