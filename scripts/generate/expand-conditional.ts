import type { Contract, Operation } from "./contract.js";
import { operationsOf } from "./contract.js";

const entityTag = {
  description: "Identifies this content of the answer (RFC 9110, section 8.8.3).",
  schema: { type: "string", maxLength: 128 },
  example: '"kK6pW3tq0nZ1bS8mYx2vTg"',
};

/** Gives every operation with `x-conditional` the parameter `If-None-Match`, an `ETag`, and the answer 304. */
export function expandConditional(contract: Contract): void {
  const conditional = operationsOf(contract).filter(({ operation }) => operation["x-conditional"] === true);
  for (const { operation } of conditional) addCondition(operation);
}

function addCondition(operation: Operation): void {
  const success = operation.responses["200"];
  if (success === undefined || "$ref" in success)
    throw new Error(`${operation.operationId}: x-conditional without 200`);
  success.headers = { ...success.headers, ETag: entityTag };
  operation.responses["304"] = {
    description: "The answer is what the caller has, by the entity tag that it sent.",
    headers: { ETag: entityTag },
  };
  operation.parameters = [
    ...(operation.parameters ?? []),
    {
      name: "If-None-Match",
      in: "header",
      description:
        "The entity tags of answers that the caller has. With one that still holds the answer is 304, without a body.",
      schema: { type: "string", maxLength: 4096 },
    },
  ];
}
