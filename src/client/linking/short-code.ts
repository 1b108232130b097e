import { linkingCodeOf, shownLinkingCode } from "../../protocol/linking-code.js";

/** 40 bits as eight characters, `XXXX-XXXX`. */
export function shortCode(bytes: Uint8Array): string {
  return shownLinkingCode(linkingCodeOf(bytes));
}
