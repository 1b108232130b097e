import type { Request, RequestHandler } from "express";
import { RelayError } from "../../protocol/errors.js";
import { type OperationSchema, resolved } from "./violations.js";

/**
 * Looks at parameters as they were sent, before the validator turns texts into numbers. It does that as JavaScript does,
 * and so takes `Infinity`, `0x10`, `1e1` and ` 5` for integers, the first of them even past a maximum; and of a name in
 * brackets it may lose the whole. Here an integer is decimal digits, with a minus where the schema allows negative
 * numbers, and a name is one that the contract has.
 */
export function checkParameters(operationId: string, document: unknown): RequestHandler {
  const parameters = parametersOf(operationId, document);
  const names = new Set(parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name));
  const integers = parameters.filter(({ isInteger }) => isInteger);
  return (req, _res, next) => {
    if (req.url.includes("?")) refuseUnknownNames(req, names);
    for (const parameter of integers) checkInteger(parameter, sentValues(req, parameter));
    next();
  };
}

interface Parameter {
  name: string;
  in: string;
  isInteger: boolean;
  mayBeNegative: boolean;
}

function refuseUnknownNames(req: Request, names: ReadonlySet<string>): void {
  const unknown = Object.keys(req.query).find((name) => !names.has(name));
  if (unknown === undefined) return;
  // Of `limit[a]` the name is `limit`.
  throw refusal(`query/${unknown.split("[", 1)[0] || unknown}`, "is no parameter of this operation");
}

function checkInteger(parameter: Parameter, values: readonly string[]): void {
  const digits = parameter.mayBeNegative ? /^-?\d+$/ : /^\d+$/;
  for (const value of values) {
    if (digits.test(value) && Number.isSafeInteger(Number(value))) continue;
    const place = parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name;
    throw refusal(`${parameter.in}/${place}`, "must be an integer in decimal digits");
  }
}

/** All values under a name; that there is one only is judged by the validator. */
function sentValues(req: Request, parameter: Parameter): string[] {
  const value =
    parameter.in === "query"
      ? req.query[parameter.name]
      : parameter.in === "header"
        ? req.headers[parameter.name.toLowerCase()]
        : req.params[parameter.name];
  return value === undefined ? [] : [value].flat().map(String);
}

const longestName = 200;

function refusal(path: string, problem: string): RelayError {
  const shown = path.slice(0, longestName);
  return new RelayError("INVALID_REQUEST", `${shown} ${problem}`, {
    extras: { details: [{ path: shown, message: problem }] },
  });
}

function parametersOf(operationId: string, document: unknown): Parameter[] {
  const { paths } = document as { paths: Record<string, Record<string, OperationSchema & { operationId?: string }>> };
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const found = operations.find((operation) => operation.operationId === operationId);
  return (found?.parameters ?? []).map((listed) => {
    const { name = "", in: place = "", schema = {} } = resolved(document, listed);
    const { type, minimum = Number.NEGATIVE_INFINITY } = resolved(document, schema);
    return { name, in: place, isInteger: [type].flat().includes("integer"), mayBeNegative: minimum < 0 };
  });
}
