import { parse } from "node:querystring";
import { RelayError } from "../../protocol/errors.js";
import type { RequestContext } from "../request/request-context.js";
import { type OperationSchema, resolved } from "./violations.js";

/** The parameters of a request as they were sent. */
export interface RequestParameters {
  /** Decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Without the question mark. */
  readonly queryString: string;
}

/** Sets the parameters of a request in its context. Throws INVALID_REQUEST. */
type ParameterReader = (context: RequestContext, sent: RequestParameters) => void;

/**
 * Reads parameters as they were sent: an integer is decimal digits, with a minus where the schema allows negative
 * numbers, and a name is one that the contract has. JavaScript and express-openapi-validator would also accept
 * `Infinity`, `0x10`, `1e1` and ` 5` as integers (`Infinity` even above a maximum), and might lose a name in brackets.
 */
export function createParameterReader(operationId: string, document: unknown): ParameterReader {
  const parameters = parametersOf(operationId, document);
  const integersIn = (place: string) => parameters.filter((one) => one.in === place && one.isInteger);
  const integers = { path: integersIn("path"), query: integersIn("query"), header: integersIn("header") };
  const names = new Set(parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name));
  return (context, { params, queryString }) => {
    context.params = withNumbers(params, integers.path);
    if (queryString !== "" || names.size > 0) context.query = readQuery(queryString, names, integers.query);
    if (integers.header.length > 0) context.headers = withNumbers(context.headers, integers.header) as never;
  };
}

/** A parameter of an operation. */
interface Parameter {
  /** In lower case if it is a header. */
  name: string;
  in: string;
  isInteger: boolean;
  mayBeNegative: boolean;
}

type Values = Readonly<Record<string, unknown>>;

function readQuery(queryString: string, names: ReadonlySet<string>, integers: readonly Parameter[]): Values {
  const query = queryString === "" ? {} : parse(queryString);
  const unknown = Object.keys(query).find((name) => !names.has(name));
  // The name of `limit[a]` is `limit`.
  if (unknown !== undefined) {
    throw refusal(`query/${unknown.split("[", 1)[0] || unknown}`, "is no parameter of this operation");
  }
  return withNumbers(query, integers);
}

/** A parameter that occurs more than once is left unchanged, and the validators refuse it. */
function withNumbers(values: Values, integers: readonly Parameter[]): Values {
  if (integers.length === 0) return values;
  const numbers = { ...values };
  for (const parameter of integers) {
    const value = values[parameter.name];
    for (const text of value === undefined ? [] : [value].flat()) checkInteger(parameter, String(text));
    if (typeof value === "string") numbers[parameter.name] = Number(value);
  }
  return numbers;
}

function checkInteger(parameter: Parameter, text: string): void {
  const digits = parameter.mayBeNegative ? /^-?\d+$/ : /^\d+$/;
  if (digits.test(text) && Number.isSafeInteger(Number(text))) return;
  throw refusal(`${parameter.in}/${parameter.name}`, "must be an integer in decimal digits");
}

const longestName = 200;

function refusal(path: string, problem: string): RelayError {
  const shown = path.slice(0, longestName);
  return new RelayError("INVALID_REQUEST", `${shown} ${problem}`, {
    extras: { details: [{ path: shown, message: problem }] },
  });
}

function parametersOf(operationId: string, document: unknown): Parameter[] {
  const found = operationIn(document, operationId);
  return (found?.parameters ?? []).map((listed) => {
    const { name = "", in: place = "", schema = {} } = resolved(document, listed);
    const { type, minimum = Number.NEGATIVE_INFINITY } = resolved(document, schema);
    return {
      name: place === "header" ? name.toLowerCase() : name,
      in: place,
      isInteger: [type].flat().includes("integer"),
      mayBeNegative: minimum < 0,
    };
  });
}

type Operations = ReadonlyMap<string | undefined, OperationSchema>;

/** Each is asked for several times when a relay starts. */
const operationsOf = new WeakMap<object, Operations>();

/** An operation of an OpenAPI document. */
export function operationIn(document: unknown, operationId: string): OperationSchema | undefined {
  const { paths } = document as { paths: Record<string, Record<string, OperationSchema & { operationId?: string }>> };
  const operations =
    operationsOf.get(paths) ??
    new Map(Object.values(paths).flatMap((item) => Object.values(item).map((one) => [one.operationId, one] as const)));
  operationsOf.set(paths, operations);
  return operations.get(operationId);
}
