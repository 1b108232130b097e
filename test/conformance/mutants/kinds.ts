import { type CatalogueEntry, type ErrorId, errorCatalogue } from "../../../generated/errors.js";
import type { OperationId } from "../../../generated/handlers.js";
import { routes } from "../../../generated/routes.js";
import type { Deviation, Members, Passing } from "../../../src/conformance/harness/deviating-proxy.js";

/** A relay that breaks one rule. It is made anew for each run, because some mutants remember what they have seen. */
export type Mutant = () => Deviation;

/** An exchange of which a mutant changes the answer. */
interface Exchange {
  sent: Members;
  body: Members;
  passing: Passing;
}

type When = (exchange: Exchange) => boolean;

const patterns = Object.entries(routes).map(([operation, { method, path }]) => {
  const pattern = path.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+");
  return { operation: operation as OperationId, method: method.toUpperCase(), pattern: new RegExp(`^${pattern}$`) };
});

export function operationOf({ method, path }: Pick<Passing, "method" | "path">): OperationId | undefined {
  const bare = path.split("?")[0] ?? "";
  return patterns.find((one) => one.method === method && one.pattern.test(bare))?.operation;
}

/** Changes the body of successes of an operation. */
export function answers(operation: OperationId, change: (exchange: Exchange) => void, when?: When): Mutant {
  return onAnswer(operation, (exchange) => {
    if (exchange.passing.status < 400 && (when?.(exchange) ?? true)) change(exchange);
  });
}

/** Answers another error where the relay answers this one. */
export function refuses(operation: OperationId, from: ErrorId, to: ErrorId, when?: When): Mutant {
  return onAnswer(operation, (exchange) => {
    const { error, code } = errorCatalogue[from];
    const { body, passing } = exchange;
    if (body["error"] === error && body["code"] === code && (when?.(exchange) ?? true)) becomes(passing, body, to);
  });
}

/** Turns an answer into this error. */
export function becomes(passing: Passing, body: Members, to: ErrorId): void {
  const { error, code, status, headers }: CatalogueEntry = errorCatalogue[to];
  passing.status = status;
  Object.assign(body, { error, code, message: "a mutant" });
  for (const name of headers) passing.headers[name.toLowerCase()] ??= "1";
  passing.headers["content-type"] = "application/json; charset=utf-8";
}

/** Looks at every answer of an operation. */
export function onAnswer(operation: OperationId, change: (exchange: Exchange) => void): Mutant {
  return () => ({
    answer(passing) {
      if (operationOf(passing) !== operation) return;
      const before = passing.body;
      const body = parse(before);
      change({ sent: parse(passing.sent), body, passing });
      if (passing.body === before && /\bjson\b/.test(passing.headers["content-type"] ?? ""))
        passing.body = JSON.stringify(body);
    },
  });
}

/** Changes requests of an operation before they reach the relay. */
export function requests(operation: OperationId, change: (sent: Members, passing: Passing) => void): Mutant {
  return () => ({
    request(passing) {
      if (operationOf(passing) !== operation) return;
      const sent = parse(passing.body);
      change(sent, passing);
      if (passing.body !== "") passing.body = JSON.stringify(sent);
    },
  });
}

/** A mutant with a state, which is new for each run. */
export function remembering<S>(begin: () => S, make: (state: S) => Mutant): Mutant {
  return () => make(begin())();
}

/** Changes frames of the server. */
export function frames(change: NonNullable<Deviation["frame"]>): Mutant {
  return () => ({ frame: change });
}

export function parse(text: string): Members {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
