import type { Contract } from "../contract.js";
import { operationsOf } from "../contract.js";

const NAME = "UnexpectedError";

/** Adds a `default` response to every operation: a later version may answer with errors that are not listed yet. */
export function addDefaultAnswers(contract: Contract): void {
  const value = { error: "INTERNAL", message: "A fault of the server.", code: 5000 };
  contract.components.responses = {
    ...contract.components.responses,
    [NAME]: {
      description: "Any other error. A later version of the relay may answer with errors that are not listed here.",
      content: {
        "application/json": {
          schema: { $ref: "#/components/schemas/ErrorBody" },
          examples: { unexpected: { summary: "An error that is not listed here.", value } },
        },
      },
    },
  };
  for (const { operation } of operationsOf(contract)) {
    operation.responses["default"] = { $ref: `#/components/responses/${NAME}` };
  }
}
