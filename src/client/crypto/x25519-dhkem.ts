import { DhkemX25519HkdfSha256 } from "@hpke/core";
import { utf8 } from "../../protocol/encodings.js";
import { SynchronousHkdf } from "./synchronous-hkdf.js";

/** What it asks a platform for. */
export type Primitives = DhkemX25519HkdfSha256["_prim"];

/** "KEM" and the number of this one (RFC 9180, sections 4.1 and 7.1). */
const suiteId = Uint8Array.of(...utf8("KEM"), 0x00, 0x20);

/** DHKEM(X25519, HKDF-SHA256) (RFC 9180, section 7.1), by Web Crypto unless other functions are passed. */
export class X25519Dhkem extends DhkemX25519HkdfSha256 {
  constructor(primitivesOf?: (hkdf: SynchronousHkdf) => Primitives) {
    super();
    const hkdf = new SynchronousHkdf();
    hkdf.init(suiteId);
    this._kdf = hkdf;
    if (primitivesOf !== undefined) this._prim = primitivesOf(hkdf);
  }
}
