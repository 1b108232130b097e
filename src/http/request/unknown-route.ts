import { edits } from "../../platform/config/similar-names.js";
import { RelayError } from "../../protocol/errors.js";
import type { RouteEntry } from "./contract.js";

const contractPath = "/openapi.json";
const maxEdits = 3;
const longestPath = 100;

/** The error for a path that neither the contract nor the pages have. It names operations with similar paths. */
export type UnknownRoute = (target: string) => RelayError;

export function createUnknownRoute(entries: readonly RouteEntry[]): UnknownRoute {
  const firstSegments = new Set(entries.map(({ path }) => path.split("/")[1]));
  return (target) => {
    const path = target.split("?", 1)[0] ?? "";
    const mayBeMeant = path.length <= longestPath && firstSegments.has(path.split("/")[1]);
    const meant = mayBeMeant ? entries.filter((entry) => isSimilar(path, entry.path)) : [];
    return new RelayError("NOT_FOUND", "there is no such route", { extras: { details: [routesDetail(meant)] } });
  };
}

export function methodNotAllowed(entries: readonly RouteEntry[], methods: readonly string[]): RelayError {
  const allow = methods.join(", ");
  const options = { headers: { Allow: allow }, extras: { details: [routesDetail(entries)] } };
  return new RelayError("METHOD_NOT_ALLOWED", `this path takes ${allow}`, options);
}

function routesDetail(entries: readonly RouteEntry[]): { path: string; message: string } {
  const names = entries.map(({ method, path }) => `${method.toUpperCase()} ${path.replace(/:(\w+)/g, "{$1}")}`);
  const contract = `the contract is at ${contractPath}`;
  return { path: "path", message: names.length === 0 ? contract : `there is ${names.join(", ")}; ${contract}` };
}

/** Path parameters are compared as they were sent. */
function isSimilar(path: string, template: string): boolean {
  const sent = path.split("/");
  const segments = template.split("/");
  if (sent.length !== segments.length) return false;
  const known = segments.map((segment, at) => (segment.startsWith(":") ? (sent[at] ?? "") : segment)).join("/");
  return Math.abs(known.length - path.length) <= maxEdits && edits(path, known) <= maxEdits;
}
