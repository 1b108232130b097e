import type { KemInterface } from "@hpke/core";
import { loaded } from "../runtime/loading.js";
import { X25519Dhkem } from "./x25519-dhkem.js";

/** Any 32 bytes are a private key (RFC 7748, section 5). */
const startsWithZero = new Uint8Array(32).fill(1, 1);

let isUsable: Promise<boolean> | undefined;

/**
 * DHKEM(X25519, HKDF-SHA256) (RFC 9180, section 7.1), by Web Crypto if that has X25519 and takes every key. Browsers have it since 2024 and
 * 2025, and WebKitGTK refuses one key in 256, in every use of a key (https://bugs.webkit.org/show_bug.cgi?id=307095).
 */
export async function x25519Kem(): Promise<KemInterface> {
  const kem = new X25519Dhkem();
  isUsable ??= kem.deserializePrivateKey(startsWithZero).then(
    () => true,
    () => false,
  );
  if (await isUsable) return kem;
  const portable = await loaded(import("@hpke/dhkem-x25519"));
  return new portable.DhkemX25519HkdfSha256();
}
