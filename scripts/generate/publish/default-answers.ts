import type { Contract } from "../contract.js";
import { operationsOf } from "../contract.js";
import { limitHeaderRefs } from "../expand-errors.js";

const NAME = "UnexpectedError";
/** The same for operations with limits. */
const LIMITED = `${NAME}WithLimits`;

/** Adds a `default` response to every operation: a later version may answer with errors that are not listed yet. */
export function addDefaultAnswers(contract: Contract): void {
  const value = { error: "INTERNAL", message: "A fault of the server.", code: 5000 };
  const response = {
    description: "Any other error. A later version of the relay may answer with errors that are not listed here.",
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/ErrorBody" },
        examples: { unexpected: { summary: "An error that is not listed here.", value } },
      },
    },
  };
  contract.components.responses = {
    ...contract.components.responses,
    [NAME]: response,
    [LIMITED]: { ...structuredClone(response), headers: limitHeaderRefs() },
  };
  for (const { operation } of operationsOf(contract)) {
    const name = operation["x-rate-limits"] === undefined ? NAME : LIMITED;
    operation.responses["default"] = { $ref: `#/components/responses/${name}` };
  }
}

/**
 * Removes them from the document in OpenAPI 3.0. Generators that read only that fail on a `default` beside a success
 * (progenitor), or write code for ranges such as `4XX` that does not compile (orval) or warns (progenitor). All of them
 * return such an answer to the caller as unexpected.
 */
export function dropDefaultAnswers(contract: Contract): void {
  for (const { operation } of operationsOf(contract)) delete operation.responses["default"];
  delete contract.components.responses?.[NAME];
  delete contract.components.responses?.[LIMITED];
}
