import type { Contract } from "../contract.js";
import { operationsOf } from "../contract.js";

/**
 * The standard lets the body of a link hold any value; only Schemathesis looks for expressions inside an object, and some
 * validators take nothing but a text. Such a body is handed on in a member of our own.
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
