// HPKE (RFC 9180) with the suites of MLS cipher suites (RFC 9420, section 17.1).

import {
  type AeadInterface,
  Aes128Gcm,
  Aes256Gcm,
  CipherSuite,
  DhkemP256HkdfSha256,
  DhkemP384HkdfSha384,
  DhkemP521HkdfSha512,
  DhkemX448HkdfSha512,
  HkdfSha384,
  HkdfSha512,
} from "@hpke/core";
import { builtinModule } from "../runtime/builtin-module.js";
import { loaded } from "../runtime/loading.js";
import { nativeHpkeParts } from "./native-hpke-parts.js";
import { SynchronousHkdf } from "./synchronous-hkdf.js";
import { x25519Kem } from "./x25519-kem.js";

const suites: Readonly<Record<number, () => CipherSuite | Promise<CipherSuite>>> = {
  1: async () => (await nativeSuite()) ?? portableSuite(),
  2: () => new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new SynchronousHkdf(), aead: new Aes128Gcm() }),
  3: async () =>
    new CipherSuite({ kem: await x25519Kem(), kdf: new SynchronousHkdf(), aead: await chacha20Poly1305() }),
  4: () => new CipherSuite({ kem: new DhkemX448HkdfSha512(), kdf: new HkdfSha512(), aead: new Aes256Gcm() }),
  5: () => new CipherSuite({ kem: new DhkemP521HkdfSha512(), kdf: new HkdfSha512(), aead: new Aes256Gcm() }),
  6: async () =>
    new CipherSuite({ kem: new DhkemX448HkdfSha512(), kdf: new HkdfSha512(), aead: await chacha20Poly1305() }),
  7: () => new CipherSuite({ kem: new DhkemP384HkdfSha384(), kdf: new HkdfSha384(), aead: new Aes256Gcm() }),
  83: () => withXWing(new Aes256Gcm()),
  84: async () => withXWing(await chacha20Poly1305()),
  87: () => withXWing(new Aes256Gcm()),
  88: async () => withXWing(await chacha20Poly1305()),
};

async function portableSuite(): Promise<CipherSuite> {
  return new CipherSuite({ kem: await x25519Kem(), kdf: new SynchronousHkdf(), aead: new Aes128Gcm() });
}

/** Nearly all groups have the suite 1. Undefined where there are no functions of Node.js. */
async function nativeSuite(): Promise<CipherSuite | undefined> {
  if (builtinModule("node:crypto") === undefined) return undefined;
  // Browsers do not load it.
  const { nativeAes128Gcm, nativeX25519Kem } = (await loaded(import("./native-hpke.js"))).nativeHpkeWith(
    nativeHpkeParts,
  );
  const [kem, aead] = [nativeX25519Kem(), nativeAes128Gcm()];
  return kem && aead && new CipherSuite({ kem, kdf: new SynchronousHkdf(), aead });
}

/** Loaded when it is needed: most groups have AES. */
async function chacha20Poly1305(): Promise<AeadInterface> {
  const { Chacha20Poly1305 } = await loaded(import("@hpke/chacha20poly1305"));
  return new Chacha20Poly1305();
}

/** The hybrid KEM is loaded when it is needed: it is larger than the rest of HPKE. */
async function withXWing(aead: AeadInterface): Promise<CipherSuite> {
  const { XWing } = await loaded(import("@hpke/hybridkem-x-wing"));
  return new CipherSuite({ kem: new XWing(), kdf: new HkdfSha512(), aead });
}

/** Undefined if no cipher suite has the number. `native: false` is the suite 1 as browsers have it. */
export async function hpkeSuite(
  cipherSuite: number,
  { native }: { native: boolean },
): Promise<CipherSuite | undefined> {
  return cipherSuite === 1 && !native ? portableSuite() : suites[cipherSuite]?.();
}
