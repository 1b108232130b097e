import { randomBytes } from "node:crypto";
import { getCiphersuiteFromName, getCiphersuiteImpl } from "ts-mls";
import { describe, expect, test } from "vitest";
import { suiteName } from "../../src/groups/mls/ts-mls-crypto.js";
import { fastSuite } from "../../src/groups/mls/ts-mls-hpke.js";

const reference = await getCiphersuiteImpl(getCiphersuiteFromName(suiteName));
const bytes = (length: number) => new Uint8Array(randomBytes(length));
const lengths = [0, 1, 31, 32, 33, 64, 1_000];

async function newKeys({ generateKeyPair, exportPrivateKey, exportPublicKey }: typeof reference.hpke) {
  const { privateKey, publicKey } = await generateKeyPair();
  return { publicKey: await exportPublicKey(publicKey), secretKey: await exportPrivateKey(privateKey) };
}

describe.each([
  ["of Node.js", await fastSuite()],
  ["of a browser", await fastSuite({ native: false })],
])("the cipher suite %s does as the library's own", (_, suite) => {
  test("it hashes", async () => {
    for (const length of lengths) {
      const [data, key] = [bytes(length), bytes(32)];
      expect(await suite.hash.digest(data)).toEqual(await reference.hash.digest(data));
      const mac = await reference.hash.mac(key, data);
      expect(await suite.hash.mac(key, data)).toEqual(mac);
      expect(await suite.hash.verifyMac(key, mac, data)).toBe(true);
      for (const wrong of [mac.map((byte, at) => (at === 31 ? byte ^ 1 : byte)), mac.slice(1), new Uint8Array()])
        expect(await suite.hash.verifyMac(key, wrong, data)).toBe(false);
    }
  });

  test("it derives keys", async () => {
    for (const length of lengths) {
      const [salt, key, info] = [bytes(32), bytes(32), bytes(length)];
      expect(await suite.kdf.extract(salt, info)).toEqual(await reference.kdf.extract(salt, info));
      expect(await suite.kdf.extract(new Uint8Array(), key)).toEqual(
        await reference.kdf.extract(new Uint8Array(), key),
      );
      for (const asked of [12, 16, 32, 33, 100, 255 * 32])
        expect(await suite.kdf.expand(key, info, asked)).toEqual(await reference.kdf.expand(key, info, asked));
    }
    expect(suite.kdf.size).toBe(reference.kdf.size);
    await expect(suite.kdf.expand(bytes(32), bytes(1), 255 * 32 + 1)).rejects.toThrow();
  });

  test("it encrypts, and refuses what was changed", async () => {
    for (const length of lengths) {
      const [key, nonce, bound, plaintext] = [bytes(16), bytes(12), bytes(length), bytes(length)];
      const sealed = await suite.hpke.encryptAead(key, nonce, bound, plaintext);
      expect(sealed).toEqual(await reference.hpke.encryptAead(key, nonce, bound, plaintext));
      expect(await suite.hpke.decryptAead(key, nonce, bound, sealed)).toEqual(plaintext);
      for (const wrong of [sealed.map((byte, at) => (at === 0 ? byte ^ 1 : byte)), sealed.slice(1), new Uint8Array()])
        await expect(suite.hpke.decryptAead(key, nonce, bound, wrong)).rejects.toThrow();
      await expect(suite.hpke.decryptAead(key, nonce, bytes(3), sealed)).rejects.toThrow();
    }
  });

  test("it seals to a key, and opens what was sealed", async () => {
    const { hpke } = suite;
    for (const length of lengths) {
      const [plaintext, info, bound] = [bytes(length), bytes(length), bytes(length)];
      for (const [sealing, opening] of [
        [hpke, reference.hpke],
        [reference.hpke, hpke],
        [hpke, hpke],
      ] as const) {
        const { publicKey, secretKey } = await newKeys(opening);
        const sealed = await sealing.seal(await sealing.importPublicKey(publicKey), plaintext, info, bound);
        const key = await opening.importPrivateKey(secretKey);
        expect(await opening.open(key, sealed.enc, sealed.ct, info, bound)).toEqual(plaintext);
        for (const [enc, ciphertext, otherInfo, otherBound] of [
          [sealed.enc, sealed.ct.map((byte, at) => (at === 0 ? byte ^ 1 : byte)), info, bound],
          [sealed.enc, sealed.ct.slice(1), info, bound],
          [sealed.enc, sealed.ct, bytes(length + 1), bound],
          [sealed.enc, sealed.ct, info, bytes(length + 1)],
          [publicKey, sealed.ct, info, bound],
          [sealed.enc.slice(1), sealed.ct, info, bound],
        ] as const)
          await expect(opening.open(key, enc, ciphertext, otherInfo, otherBound)).rejects.toThrow();
        const other = await opening.importPrivateKey((await newKeys(opening)).secretKey);
        await expect(opening.open(other, sealed.enc, sealed.ct, info, bound)).rejects.toThrow();
        const exported = await sealing.exportSecret(await sealing.importPublicKey(publicKey), info, 32, bound);
        expect(await opening.importSecret(key, info, exported.enc, 32, bound)).toEqual(exported.secret);
      }
    }
  });

  test("it derives key pairs, and reads no key of another length or of small order", async () => {
    const { hpke } = suite;
    for (const length of lengths.slice(3)) {
      const secret = bytes(length);
      const derived = await hpke.deriveKeyPair(secret);
      const theirs = await reference.hpke.deriveKeyPair(secret);
      expect(await hpke.exportPublicKey(derived.publicKey)).toEqual(
        await reference.hpke.exportPublicKey(theirs.publicKey),
      );
      expect(await hpke.exportPrivateKey(derived.privateKey)).toEqual(
        await reference.hpke.exportPrivateKey(theirs.privateKey),
      );
    }
    for (const length of [0, 31, 33]) {
      await expect(hpke.importPublicKey(bytes(length))).rejects.toThrow();
      await expect(hpke.importPrivateKey(bytes(length))).rejects.toThrow();
    }
    const zeros = await hpke.importPublicKey(new Uint8Array(32));
    await expect(hpke.seal(zeros, bytes(1), bytes(1))).rejects.toThrow();
  });

  test("it signs, and refuses what was changed", async () => {
    const [ours, theirs] = [await suite.signature.keygen(), await reference.signature.keygen()];
    for (const length of lengths) {
      const message = bytes(length);
      for (const [signing, checking, { signKey, publicKey }] of [
        [suite, reference, ours],
        [reference, suite, theirs],
        [suite, suite, theirs],
      ] as const) {
        const signature = await signing.signature.sign(signKey, message);
        expect(await checking.signature.verify(publicKey, message, signature)).toBe(true);
        expect(await checking.signature.verify(publicKey, bytes(length + 1), signature)).toBe(false);
        expect(await checking.signature.verify(publicKey, message, signature.slice(1))).toBe(false);
      }
    }
    const signature = await suite.signature.sign(ours.signKey, bytes(1));
    expect(await suite.signature.verify(bytes(31), bytes(1), signature)).toBe(false);
  });
});
