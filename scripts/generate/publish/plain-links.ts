import type { Contract } from "../contract.js";
import { operationsOf } from "../contract.js";

/**
 * Moves the body of a link into an extension if it is an object. The standard allows any value there, but only Schemathesis
 * evaluates expressions inside an object, and some validators accept only a string.
 */
export function plainLinks(contract: Contract): void {
  for (const { operation } of operationsOf(contract)) {
    for (const response of Object.values(operation.responses)) {
      if ("$ref" in response) continue;
      for (const link of Object.values(response.links ?? {})) {
        if (typeof link.requestBody !== "object") continue;
        link["x-request-body"] = link.requestBody;
        delete link.requestBody;
      }
    }
  }
}
