// The whole cipher suite of ts-mls: with HPKE, which the keys of an epoch are changed by, and which no message needs.

import type { CipherSuite } from "@hpke/core";
import { type CiphersuiteImpl, getCiphersuiteFromName } from "ts-mls";
import { makeGenericHpke } from "ts-mls/crypto/implementation/hpke.js";
import { hpkeOf } from "../../client/index.js";
import { messageSuite, suiteName } from "./ts-mls-crypto.js";
import type { MessageSuite } from "./ts-mls-native-crypto.js";

/** `native: false` is what a browser gets. */
export async function fastSuite({ native = true } = {}): Promise<CiphersuiteImpl> {
  return withHpke(await messageSuite({ native }), { native });
}

export async function withHpke(suite: MessageSuite, { native = true } = {}): Promise<CiphersuiteImpl> {
  const { encryptAead: encrypt, decryptAead: decrypt } = suite.hpke;
  const aead = { encrypt, decrypt } as Parameters<typeof makeGenericHpke>[1];
  const hpke = (await hpkeOf(1, { native })) as CipherSuite;
  return { ...suite, hpke: await makeGenericHpke(getCiphersuiteFromName(suiteName).hpke, aead, hpke) };
}
