import { errorCatalogue } from "../../protocol/errors.js";
import type { PeerAnswer } from "./types.js";

const tokenCodes: ReadonlySet<unknown> = new Set([
  errorCatalogue.INVALID_TOKEN.code,
  errorCatalogue.INVALID_CERTIFICATE.code,
]);

/**
 * Whether a peer did not accept our token. The specification names the codes and leaves the status open, so the codes count
 * with any status. A receipt has none.
 */
export function refusesToken({ status, body }: PeerAnswer): boolean {
  if (status === errorCatalogue.INVALID_TOKEN.status) return true;
  if (typeof body !== "object" || body === null) return false;
  const { code, transaction_id: receiptFor } = body as { code?: unknown; transaction_id?: unknown };
  return tokenCodes.has(code) && receiptFor === undefined;
}
