import { readFile } from "node:fs/promises";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { errorCatalogue } from "../../../generated/errors.js";
import { routes } from "../../../generated/routes.js";

/** The parts of a response that the contract defines. */
interface Answered {
  operation: string;
  status: number;
  headers: Headers;
  text: string;
}

interface Media {
  schema?: object;
}
interface Header {
  $ref?: string;
  required?: boolean;
}
interface Answer {
  $ref?: string;
  headers?: Record<string, Header>;
  content?: Record<string, Media>;
}
interface Operation {
  operationId?: string;
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, Answer>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Answer>; headers: Record<string, Header> };
}

/** Checks answers against the contract. */
export interface ContractCheck {
  /** The operation of a method and path; undefined if there is none. */
  operationAt(method: string, path: string): string | undefined;
  /** The deviations of an answer from the contract, one line each. */
  deviations(answered: Answered): string[];
  /** The deviations of a request's body from the contract, one line each. */
  requestFaults(operation: string, text: string): string[];
}

// Any request may get these, so the contract does not list them per operation.
const everywhere = new Set(["METHOD_NOT_ALLOWED", "NOT_FOUND"]);
const catalogue: readonly { error: string; code: number; status: number; headers: readonly string[] }[] =
  Object.values(errorCatalogue);

/** The package has a copy of the contract beside its program. */
const contractFile = new URL(
  import.meta.url.endsWith(".ts") ? "../../../generated/openapi.json" : "openapi.json",
  import.meta.url,
);

let contract: Promise<ContractCheck> | undefined;

/** A process compiles the contract's schemas once, for all relays that it checks. */
export function readContract(): Promise<ContractCheck> {
  contract ??= compileContract();
  return contract;
}

async function compileContract(): Promise<ContractCheck> {
  const text = await readFile(contractFile, "utf8");
  const document = JSON.parse(text) as Document;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...document, $id: "contract" });
  const compiled = new Map<string, ValidateFunction>();
  const answers = answersOf(document);

  const validator = (key: string, schema: object): ValidateFunction => {
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const made = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/')));
    compiled.set(key, made);
    return made;
  };

  const bodies = new Map(operationsOf(document).map(({ operationId = "", requestBody }) => [operationId, requestBody]));

  return {
    operationAt,
    requestFaults(operation, text) {
      const body = bodies.get(operation);
      if (body === undefined || (text === "" && body.required !== true)) return [];
      const schema = body.content["application/json"]?.schema;
      if (schema === undefined) return [];
      const validate = validator(`${operation} request`, schema);
      return validate(jsonOf(text)) ? [] : faultsOf(validate, "the request");
    },
    deviations(answered) {
      const found = answers.get(answered.operation)?.[String(answered.status)];
      if (found === undefined) return outsideContract(answered);
      const answer = resolve(document.components.responses, found);
      return [
        ...missingHeaders(document, answer, answered),
        ...(answered.status >= 400 ? errorFaults(answered) : []),
        ...bodyFaults({ answer, answered, validator }),
      ];
    },
  };
}

function answersOf(document: Document): Map<string, Record<string, Answer>> {
  return new Map(operationsOf(document).map(({ operationId = "", responses }) => [operationId, responses]));
}

function operationsOf(document: Document): Operation[] {
  return Object.values(document.paths).flatMap((item) => Object.values(item));
}

function operationAt(method: string, path: string): string | undefined {
  const found = Object.entries(routes).find(([, route]) => {
    const pattern = route.path.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+");
    return route.method === method.toLowerCase() && new RegExp(`^${pattern}$`).test(path);
  });
  return found?.[0];
}

function resolve<T extends { $ref?: string }>(named: Record<string, T>, given: T): T {
  const name = given.$ref?.split("/").at(-1);
  return name === undefined ? given : (named[name] ?? given);
}

function outsideContract(answered: Answered): string[] {
  const error = errorOf(answered.text);
  if (error !== undefined && everywhere.has(error)) return errorFaults(answered);
  return [`status ${answered.status} (${error ?? "no error"}) is not in the contract of ${answered.operation}`];
}

function missingHeaders({ components }: Document, answer: Answer, { headers, status }: Answered): string[] {
  return Object.entries(answer.headers ?? {})
    .filter(([name, header]) => resolve(components.headers, header).required === true && !headers.has(name))
    .map(([name]) => `an answer ${status} lacks the header ${name}`);
}

/** Checks that name, code, status and headers of an error belong together. */
function errorFaults({ text, status, headers }: Answered): string[] {
  const { error, code } = jsonOf(text) as { error?: string; code?: number };
  const entry = catalogue.find((one) => one.error === error && one.code === code && one.status === status);
  if (entry === undefined) return [`${error} with code ${code} and status ${status} is not in the catalogue of errors`];
  return entry.headers.filter((name) => !headers.has(name)).map((name) => `${error} lacks the header ${name}`);
}

function bodyFaults(deps: {
  answer: Answer;
  answered: Answered;
  validator: (key: string, schema: object) => ValidateFunction;
}): string[] {
  const { answer, answered, validator } = deps;
  const type = (answered.headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";
  if (answer.content === undefined) return [];
  const media = answer.content[type];
  if (media === undefined) return [`an answer ${answered.status} came as ${type || "nothing"}`];
  if (type !== "application/json" || media.schema === undefined) return [];
  const validate = validator(`${answered.operation} ${answered.status}`, media.schema);
  return validate(jsonOf(answered.text)) ? [] : faultsOf(validate, `the body of ${answered.status}`);
}

function faultsOf({ errors }: ValidateFunction, what: string): string[] {
  const faults = (errors ?? []).slice(0, 3);
  return faults.map(({ instancePath, message }) => `${what}: ${instancePath || "/"} ${message ?? ""}`);
}

function errorOf(text: string): string | undefined {
  const { error } = jsonOf(text) as { error?: string };
  return error;
}

function jsonOf(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
