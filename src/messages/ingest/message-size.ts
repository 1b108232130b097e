import { RelayError } from "../../protocol/errors.js";
import type { MessageRules } from "../model/types.js";

/** The size is that of the ciphertext, not of its Base64. Throws MESSAGE_TOO_LARGE. */
export function checkMessageSize(bytes: number, { maxMessageSize }: Pick<MessageRules, "maxMessageSize">): void {
  if (bytes <= maxMessageSize) return;
  throw new RelayError("MESSAGE_TOO_LARGE", `mls_ciphertext is larger than ${maxMessageSize} bytes`);
}
