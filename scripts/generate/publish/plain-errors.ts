import type { Contract } from "../contract.js";
import { operationsOf } from "../contract.js";

/**
 * Removes errors that are pages and not JSON. Generators make one type of all errors of an operation, or fail. A client that
 * asks for JSON never gets such a page; the descriptions of these operations mention it (`x-shared-link`).
 */
export function plainErrors(contract: Contract): void {
  for (const { operation } of operationsOf(contract)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const isPage = !("$ref" in response) && response.content?.["text/html"] !== undefined;
      if (isPage && Number(status) >= 400) delete operation.responses[status];
    }
  }
}
