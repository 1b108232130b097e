import { isDeepStrictEqual } from "node:util";
import type { BreakingChange } from "./breaking-change.js";
import { type Json, list, object, resolve } from "./json.js";
import { compareSchemas } from "./schemas.js";

const methods = ["get", "put", "post", "delete", "patch", "head", "options", "trace"];

/** Both versions of one thing. */
interface Versions<T = Json> {
  before: T;
  after: T;
}

interface Operation {
  id: string;
  document: Json;
  operation: Json;
}

/** The breaking changes between two versions of the OpenAPI document. */
export function compareOpenApi(before: Json, after: Json): BreakingChange[] {
  const now = operationsOf(after);
  const breakingChanges = [...operationsOf(before)].flatMap(([place, old]): BreakingChange[] => {
    const kept = now.get(place);
    if (kept === undefined) return [{ subject: old.id, what: `${place} is removed` }];
    return compareOperation({ before: old, after: kept }).map((what) => ({ subject: old.id, what }));
  });
  return [...breakingChanges, ...compareErrors(before, after)];
}

/** Operations by method and path. */
function operationsOf(document: Json): Map<string, Operation> {
  const found = new Map<string, Operation>();
  for (const [path, item] of Object.entries(object(document["paths"]))) {
    for (const method of methods) {
      const operation = object(object(item)[method]);
      const id = operation["operationId"];
      if (typeof id === "string") found.set(`${method.toUpperCase()} ${path}`, { id, document, operation });
    }
  }
  return found;
}

function compareOperation(versions: Versions<Operation>): string[] {
  const { before, after } = versions;
  return [
    ...(before.id === after.id ? [] : [`its name was ${before.id} and is ${after.id}`]),
    ...compareSecurity(versions),
    ...compareParameters(versions),
    ...compareBodies(versions),
    ...compareAnswers(versions),
  ];
}

/** A client that could call an operation must still be able to call it with the tokens that it has. */
function compareSecurity({ before, after }: Versions<Operation>): string[] {
  const suffices = (held: string[]) => alternatives(after).some((one) => one.every((scheme) => held.includes(scheme)));
  const refused = alternatives(before).filter((held) => !suffices(held));
  const schemes = new Set(alternatives(before).flat());
  const changed = [...schemes].filter((name) => !isDeepStrictEqual(schemeOf(before, name), schemeOf(after, name)));
  return [
    ...refused.map((held) => `${held.join(" and ") || "no token"} no longer suffices`),
    ...changed.map((name) => `the security scheme ${name} has changed`),
  ];
}

/** The alternatives of an operation's security, each a list of schemes; none if it is open. */
function alternatives({ document, operation }: Operation): string[][] {
  const requirements = list(operation["security"] ?? document["security"]);
  return requirements.length === 0 ? [[]] : requirements.map((one) => Object.keys(object(one)));
}

function schemeOf({ document }: Operation, name: string): Json {
  const { description: _, ...scheme } = object(object(object(document["components"])["securitySchemes"])[name]);
  return scheme;
}

function compareParameters({ before, after }: Versions<Operation>): string[] {
  const [old, now] = [parametersOf(before), parametersOf(after)];
  const gone = [...old.keys()].filter((name) => !now.has(name)).map((name) => `the ${name} is no longer accepted`);
  const changed = [...now].flatMap(([name, parameter]) => {
    const known = old.get(name);
    const isRequiredNow = parameter["required"] === true && known?.["required"] !== true;
    const schemas =
      known === undefined
        ? []
        : compareSchemas(
            { document: before.document, schema: known["schema"] },
            { document: after.document, schema: parameter["schema"] },
            "request",
          );
    return [
      ...(isRequiredNow ? [`the ${name} is required now`] : []),
      ...schemas.map((what) => `the ${name}: ${what}`),
    ];
  });
  return [...gone, ...changed];
}

/** Parameters by location and name, for example `query limit`. */
function parametersOf({ document, operation }: Operation): Map<string, Json> {
  const all = list(operation["parameters"]).map((parameter) => resolve(document, parameter));
  return new Map(all.map((parameter) => [`${parameter["in"]} ${String(parameter["name"]).toLowerCase()}`, parameter]));
}

function compareBodies({ before, after }: Versions<Operation>): string[] {
  const old = resolve(before.document, before.operation["requestBody"]);
  const now = resolve(after.document, after.operation["requestBody"]);
  if (old["content"] === undefined) return now["required"] === true ? ["a body is required now"] : [];
  const required = now["required"] === true && old["required"] !== true ? ["the body is required now"] : [];
  return [
    ...required,
    ...compareContents({ before: { ...before, operation: old }, after: { ...after, operation: now } }, "request"),
  ];
}

function compareAnswers({ before, after }: Versions<Operation>): string[] {
  const [old, now] = [successesOf(before), successesOf(after)];
  const unknown = [...now.keys()].filter((status) => !old.has(status)).map((status) => `it may answer ${status} now`);
  const kept = [...old].flatMap(([status, answer]) => {
    const later = now.get(status);
    if (later === undefined) return [`it no longer answers ${status}`];
    const versions = { before: { ...before, operation: answer }, after: { ...after, operation: later } };
    return [...compareHeaders(versions), ...compareContents(versions, "answer")].map((what) => `${status}: ${what}`);
  });
  return [...unknown, ...kept];
}

/** Errors are not compared here: a client must expect any of them. */
function successesOf({ document, operation }: Operation): Map<string, Json> {
  const answers = Object.entries(object(operation["responses"])).filter(([status]) => status.startsWith("2"));
  return new Map(answers.map(([status, answer]) => [status, resolve(document, answer)]));
}

function compareHeaders({ before, after }: Versions<Operation>): string[] {
  const now = object(after.operation["headers"]);
  return Object.keys(object(before.operation["headers"]))
    .filter((name) => !(name in now))
    .map((name) => `the header ${name} is removed`);
}

/** Bodies by media type. `operation` is the body or the answer here. */
function compareContents({ before, after }: Versions<Operation>, side: "request" | "answer"): string[] {
  const [old, now] = [object(before.operation["content"]), object(after.operation["content"])];
  const gone = Object.keys(old).filter((type) => !(type in now));
  const added = side === "answer" ? Object.keys(now).filter((type) => !(type in old)) : [];
  const kept = Object.keys(old).filter((type) => type in now);
  return [
    ...gone.map((type) => `${side}s in ${type} are removed`),
    ...added.map((type) => `answers may be in ${type} now`),
    ...kept.flatMap((type) =>
      compareSchemas(
        { document: before.document, schema: schemaOf(before.document, object(old[type])) },
        { document: after.document, schema: schemaOf(after.document, object(now[type])) },
        side,
      ),
    ),
  ];
}

/**
 * An operation with two success responses has one schema for both, because many generators support only one. `x-narrower`
 * holds what each response promises beyond that schema.
 */
function schemaOf(document: Json, media: Json): unknown {
  const narrower = object(media["x-narrower"]);
  if (Object.keys(narrower).length === 0) return media["schema"];
  const schema = resolve(document, media["schema"]);
  const members = object(schema["properties"]);
  const narrowed = Object.entries(object(narrower["properties"])).map(([name, bounds]) => [
    name,
    { ...resolve(document, members[name]), ...object(bounds) },
  ]);
  const required = [...list(schema["required"]), ...list(narrower["required"])];
  return { ...schema, required, properties: { ...members, ...Object.fromEntries(narrowed) } };
}

const errorBody = { $ref: "#/components/schemas/ErrorBody" };

/** An error's name keeps its code and its status. */
function compareErrors(before: Json, after: Json): BreakingChange[] {
  const [old, now] = [errorsOf(before), errorsOf(after)];
  const names = new Set(now.values());
  const body = compareSchemas(
    { document: before, schema: errorBody },
    { document: after, schema: errorBody },
    "answer",
  );
  const changed = [...old].filter(([meaning, name]) => names.has(name) && !now.has(meaning));
  return [
    ...body.map((what) => ({ subject: "Error", what })),
    ...changed.map(([meaning, subject]) => ({ subject, what: `it no longer has ${meaning}` })),
  ];
}

/** Names of errors by their code and status, read from the examples of responses. */
function errorsOf(document: Json): Map<string, string> {
  const found = new Map<string, string>();
  for (const { operation } of operationsOf(document).values()) {
    for (const [status, answer] of Object.entries(object(operation["responses"]))) {
      if (Number(status) < 400) continue;
      const media = object(object(resolve(document, answer)["content"])["application/json"]);
      for (const example of Object.values(object(media["examples"]))) {
        const { error, code } = object(object(example)["value"]);
        if (typeof error === "string") found.set(`name ${error}, code ${code} and status ${status}`, error);
      }
    }
  }
  return found;
}
