import type { OperationId } from "../../../generated/handlers.js";
import { routes } from "../../../generated/routes.js";
import { becomes, type Mutant, operationOf, parse } from "./kinds.js";

/** The mutant of a rule that every operation or path has: it breaks the rule for that one alone. */
export function generalMutant(id: string): Mutant | undefined {
  const [, kind, name = ""] = /^general\.(token|body|methods)\.(.+)$/.exec(id) ?? [];
  if (kind === "token") return forOperation(name, "INVALID_TOKEN", "UNAUTHORIZED");
  if (kind === "body") return forOperation(name, "UNSUPPORTED_MEDIA_TYPE", "INVALID_REQUEST");
  if (kind === "methods") return withoutAllow(name);
  return undefined;
}

/** What is selected to find the mutant: the rules about the same operation, or about the paths beside it. */
export function neighboursOf(id: string, all: readonly string[]): string[] {
  const [, , ...name] = id.split(".");
  if (id.startsWith("general.methods.")) return all.filter((one) => one.startsWith(id.slice(0, id.lastIndexOf("."))));
  return all.filter((one) => one.startsWith("general.") && one.endsWith(`.${name.join(".")}`));
}

function forOperation(operation: string, from: string, to: "UNAUTHORIZED" | "INVALID_REQUEST"): Mutant {
  return () => ({
    answer(passing) {
      const body = parse(passing.body);
      if (operationOf(passing) !== (operation as OperationId) || body["error"] !== from) return;
      becomes(passing, body, to);
      passing.body = JSON.stringify(body);
    },
  });
}

/** Refuses other methods without saying which there are. */
function withoutAllow(name: string): Mutant {
  const path = Object.values(routes).find((route) => dotted(route.path) === name)?.path ?? "";
  const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+")}$`);
  const others = Object.values(routes).filter((route) => route.path !== path && !route.path.includes(":"));
  return () => ({
    answer(passing) {
      const bare = passing.path.split("?")[0] ?? "";
      const isOther = others.some((route) => route.path === bare);
      if (passing.status === 405 && pattern.test(bare) && !isOther) passing.headers["allow"] = "TRACE";
    },
  });
}

function dotted(path: string): string {
  return path.replace(/^\//, "").replaceAll("/", ".").replaceAll(":", "");
}
