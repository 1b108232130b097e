import { linkingCodeOf, shownLinkingCode } from "../../protocol/linking-code.js";

/** The code that users compare on both devices: 40 bits as eight characters, `XXXX-XXXX`. */
export function comparisonCode(bytes: Uint8Array): string {
  return shownLinkingCode(linkingCodeOf(bytes));
}
