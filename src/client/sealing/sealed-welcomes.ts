// Welcomes for one joiner each. A bare Welcome lists the references of the joiners' key packages, which the relay stores.
//
//   version | HPKE (RFC 9180, base mode) to the init key: encapsulated key | ciphertext of what padding.ts makes
//
// The suite of HPKE is that of the key package's cipher suite (RFC 9420, section 17.1). Its first byte tells a Welcome from other
// messages: who joins has no group key yet.

import type { CipherSuite } from "@hpke/core";
import { concatBytes, utf8 } from "../../protocol/encodings.js";
import { kindOfEnvelope, type SealOptions, welcomeVersion } from "../crypto/envelope.js";
import { pad, unpad } from "../crypto/padding.js";
import { demand, demandArray, demandBytes, demandNonEmptyBytes, demandOptions } from "../runtime/arguments.js";
import { loaded } from "../runtime/loading.js";

/** What a Welcome is sealed to: two members of the joiner's key package. */
export interface WelcomeRecipient {
  /**
   * The number of the MLS cipher suite, 1 to 7, or one with X-Wing, which resists quantum computers: 83, 84, 87 or 88, as ts-mls has
   * them. The suites 4 and 6 need X448 in WebCrypto, which browsers do not have.
   */
  cipherSuite: number;
  /** The package's init key, as the package has it. */
  initKey: Uint8Array;
}

/** One's own key package that somebody may have fetched. */
export interface OwnKeyPackage {
  cipherSuite: number;
  initPrivateKey: Uint8Array;
}

const info = utf8("mls-relay welcome 1");
const tagBytes = 16;
const maxPackages = 10_000;

/** Seals a Welcome to one joiner. Seal it for each joiner, and send it to each alone. */
export async function sealWelcome(
  recipient: WelcomeRecipient,
  welcome: Uint8Array,
  { maxBytes = Number.MAX_SAFE_INTEGER }: Pick<SealOptions, "maxBytes"> = {},
): Promise<Uint8Array> {
  demandOptions(recipient, "recipient");
  demandBytes(recipient.initKey, "recipient.initKey");
  demandNonEmptyBytes(welcome, "welcome");
  const suite = await suiteOf(recipient.cipherSuite, "recipient.cipherSuite");
  const padded = pad(welcome, { around: 1 + suite.kem.encSize + tagBytes, maxBytes });
  const recipientPublicKey = await suite.kem.deserializePublicKey(recipient.initKey);
  const { enc, ct } = await suite.seal({ recipientPublicKey, info }, padded);
  return concatBytes(Uint8Array.of(welcomeVersion), new Uint8Array(enc), new Uint8Array(ct));
}

/**
 * Opens a Welcome with the first of these key packages that it was sealed to; undefined if there is none. Pass them in the order in
 * which they were uploaded, in which the relay gives them out, and the package of last resort last. Delete the init key after joining.
 */
export async function openWelcome<P extends OwnKeyPackage>(
  packages: readonly P[],
  sealed: Uint8Array,
): Promise<{ welcome: Uint8Array; keyPackage: P } | undefined> {
  demandArray(packages, { what: "packages", max: maxPackages }, demandOptions);
  demandBytes(sealed, "sealed");
  if (kindOfEnvelope(sealed) !== "welcome") return undefined;
  for (const [index, keyPackage] of packages.entries()) {
    demandBytes(keyPackage.initPrivateKey, `packages[${index}].initPrivateKey`);
    const suite = await suiteOf(keyPackage.cipherSuite, `packages[${index}].cipherSuite`);
    const welcome = await open(suite, keyPackage.initPrivateKey, sealed);
    if (welcome !== undefined) return { welcome, keyPackage };
  }
  return undefined;
}

async function open(suite: CipherSuite, privateKey: Uint8Array, sealed: Uint8Array): Promise<Uint8Array | undefined> {
  const [enc, ciphertext] = [sealed.slice(1, 1 + suite.kem.encSize), sealed.slice(1 + suite.kem.encSize)];
  try {
    const recipientKey = await suite.kem.deserializePrivateKey(privateKey);
    return unpad(new Uint8Array(await suite.open({ recipientKey, enc, info }, ciphertext)));
  } catch {
    return undefined;
  }
}

/**
 * HPKE (RFC 9180) with the suite of an MLS cipher suite, for an MLS library: the `CipherSuite` of @hpke/core. `native: false` is the suite 1
 * as browsers have it.
 */
export async function hpkeOf(cipherSuite: number, { native = true } = {}): Promise<object> {
  return suiteOf(cipherSuite, "cipherSuite", { native });
}

/** Loaded with the first Welcome, or the first keys that a group changes: most starts see none. */
async function suiteOf(cipherSuite: number, what: string, { native = true } = {}): Promise<CipherSuite> {
  const { hpkeSuite } = await loaded(import("../crypto/hpke-suites.js"));
  const suite = await hpkeSuite(cipherSuite, { native });
  demand(suite !== undefined, cipherSuite, {
    what,
    expected: "the number of an MLS cipher suite: 1 to 7, 83, 84, 87 or 88",
  });
  return suite as CipherSuite;
}
