import { randomBytes } from "node:crypto";
import { ed25519, x25519 as library } from "@noble/curves/ed25519.js";
import { expect, test } from "vitest";
import { x25519, x25519KeyOf, x25519SecretOf } from "../../src/client/crypto/x25519.js";

test("keys, shared secrets and conversions are those of the whole library", () => {
  for (let round = 0; round < 100; round++) {
    const [ours, theirs] = [randomBytes(32), randomBytes(32)];
    const theirKey = library.getPublicKey(theirs);
    expect(x25519.getPublicKey(ours)).toEqual(library.getPublicKey(ours));
    expect(x25519.getSharedSecret(ours, theirKey)).toEqual(library.getSharedSecret(ours, theirKey));
    expect(x25519KeyOf(ed25519.getPublicKey(ours))).toEqual(ed25519.utils.toMontgomery(ed25519.getPublicKey(ours)));
    expect(x25519SecretOf(ours)).toEqual(ed25519.utils.toMontgomerySecret(ours));
  }
});
