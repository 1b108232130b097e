import type { Contract, Operation, PlacedOperation } from "./contract.js";
import { operationsOf, principalOf, securityOf, successStatuses } from "./contract.js";
import { writeGenerated } from "./output.js";

/** Writes what a client must know to call an operation. The table of routes is four times as long. */
export async function writeCalls(contract: Contract, root: URL): Promise<void> {
  const calls = operationsOf(contract).map(({ method, path, operation }) => {
    const { "x-token-with": tokenWith, operationId } = operation;
    const inputs = [
      `'${pathOf(path)}'`,
      ...tokensOf(operation),
      ...(tokenWith === undefined ? [] : [`'${tokenWith}'`]),
    ];
    return `  ${operationId}: ${method === "delete" ? "remove" : method}(${inputs.join(", ")}),`;
  });
  await writeGenerated(
    root,
    "calls.ts",
    `${CALL_TYPE}
/** How each operation is called, by its id. */
export const calls = /* @__PURE__ */ (() => {
  const [device, admin, federation] = [['device'], ['admin'], ['federation']] as const;
  // Calls are shorter than objects, and the table is a tenth of a page's client.
  const by = (method: Call['method']) => (path: string, tokens?: Call['tokens'], tokenWith?: string): Call => ({ method, path, tokens, tokenWith });
  const [get, put, post, remove, patch] = [by('get'), by('put'), by('post'), by('delete'), by('patch')];
  return {
${calls.map((call) => `  ${call}`).join("\n")}
  };
})();
`,
  );
}

function tokensOf(operation: Operation): string[] {
  const [only, ...more] = securityOf(operation);
  if (only === undefined) return [];
  return [more.length === 0 ? only : `[${[only, ...more].map((name) => `'${name}'`).join(", ")}]`];
}

const CALL_TYPE = `export interface Call {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch';
  /** With the contract's parameter names, each after a colon. */
  readonly path: string;
  /** The kinds of token that the operation takes; none where it is public. */
  readonly tokens?: readonly ('device' | 'admin' | 'federation')[] | undefined;
  /** The query parameter that needs a token; the operation is public without it. */
  readonly tokenWith?: string | undefined;
}
`;

/** The form of Express. */
function pathOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

/** Writes what the types cannot carry: method, path, security and limits of each operation. */
export async function writeRoutes(contract: Contract, root: URL): Promise<void> {
  const routes = operationsOf(contract).map((placed) => `  ${placed.operation.operationId}: ${routeOf(placed)},`);
  const schemes = Object.keys(contract.components.securitySchemes).map(
    (scheme) => `  ${scheme}: '${principalOf(scheme)}',`,
  );
  await writeGenerated(
    root,
    "routes.ts",
    `${ROUTE_TYPE}
/** Every operation by its id. Paths are in the form of Express, with the contract's parameter names. */
export const routes = {
${routes.join("\n")}
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;

/** The version of the contract, as its documents say. */
export const contractVersion = '${contract.info.version}';

/** The version of the interface that the specification names. */
export const interfaceVersion = '${contract.info["x-interface-version"]}';

/** Whose token each security scheme of the contract takes. */
export const securitySchemes = {
${schemes.join("\n")}
} as const;
`,
  );
}

const ROUTE_TYPE = `export type BodyLimitName = 'default' | 'message' | 'batch' | 'multi' | 'federation' | 'keypackages' | 'infopackage' | 'provisioning' | 'slot' | 'bulk';

export interface Route {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'patch';
  readonly path: string;
  readonly tag: string;
  /** The status of success; the type names all of them, the value is the lowest. */
  readonly success: number;
  readonly security: readonly ('device' | 'admin' | 'federation')[];
  /** Whether a request without a token is taken as well. */
  readonly tokenOptional: boolean;
  /** Which limit the body has; null where the operation takes none. */
  readonly bodyLimit: BodyLimitName | null;
  /** The array in the body whose items are judged one by one, so that text in one of them concerns that one alone. */
  readonly itemsCheckedApart: string | null;
  /** The media type of a body of JSON with bytes behind it, which is taken as well. */
  readonly attachedBytes: string | null;
  /** What an admin must be permitted to do; null where any admin, or anybody, may call. */
  readonly permission: string | null;
  /** Whether the body of success is sent piece by piece. */
  readonly streamed: boolean;
  /** Whether the handler reads the body, bytes without a limit of their own, as they arrive. */
  readonly streamedBody: boolean;
  /** Whether HEAD is answered where GET is. */
  readonly head: boolean;
  /** Whether people send its address to each other. */
  readonly sharedLink: boolean;
  /** Whether the answer has an entity tag, and is 304 to a caller who sends it. */
  readonly conditional: boolean;
}
`;

function routeOf({ method, path, operation }: PlacedOperation): string {
  const security = securityOf(operation).map((name) => `'${name}'`);
  const members = [
    `method: '${method}'`,
    `path: '${pathOf(path)}'`,
    `tag: '${operation.tags[0]}'`,
    `success: ${successOf(operation)}`,
    `security: [${security.join(", ")}]`,
    `tokenOptional: ${operation["x-token-with"] !== undefined}`,
    `bodyLimit: ${bodyLimit(operation)}`,
    `itemsCheckedApart: ${quoted(operation["x-items-checked-apart"])}`,
    `attachedBytes: ${quoted(operation["x-attached-bytes"])}`,
    `permission: ${quoted(operation["x-permission"])}`,
    `streamed: ${operation["x-streamed"] === true}`,
    `streamedBody: ${operation["x-streamed-body"] === true}`,
    `head: ${operation["x-head"] === true}`,
    `sharedLink: ${operation["x-shared-link"] === true}`,
    `conditional: ${operation["x-conditional"] === true}`,
  ];
  return `{ ${members.join(", ")} }`;
}

function successOf(operation: Operation): string {
  const [lowest, ...others] = successStatuses(operation);
  return others.length === 0 ? String(lowest) : `${lowest} as ${[lowest, ...others].join(" | ")}`;
}

function bodyLimit(operation: Operation): string {
  if (operation.requestBody === undefined || operation["x-streamed-body"] === true) return "null";
  return quoted(operation["x-body-limit"] ?? "default");
}

function quoted(text: string | undefined): string {
  return text === undefined ? "null" : `'${text}'`;
}
