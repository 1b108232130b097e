import type { OperationId } from "../../../generated/handlers.js";
import { type Route, routes } from "../../../generated/routes.js";
import { hold, NotChecked, refused } from "../harness/assertions.js";
import { federationToken } from "../harness/origin.js";
import type { Harness, Rule } from "../harness/types.js";

const operations = Object.keys(routes) as OperationId[];
const methods = ["get", "post", "put", "patch", "delete"];
const uuid = "0b0a1d3e-5f6a-4b7c-8d9e-0f1a2b3c4d5e";
/** A value for every path parameter, so that a request reaches the rule under test. */
const samples: Readonly<Record<string, string>> = {
  message_id: "0193a5f0-7b1c-7c3e-9d52-4f6a8b0c1d2e",
  transaction_id: uuid,
  device_id: "ab".repeat(32),
  blob_id: "ab".repeat(32),
  server_domain: "conformance.invalid",
  invite_id: uuid,
  session_id: "3b9f2c1e-6a7d-4e8f-9b0a-1c2d3e4f5a6b",
  url_segment: uuid,
  segment: "ab".repeat(16),
  slot: "ab".repeat(32),
  prefix: uuid,
  code: "K7QM2XWD",
  id: uuid,
};

/** A token with the right form but no valid signature. */
const unsigned = [
  { alg: "none", typ: "JWT" },
  { sub: "ab".repeat(32), exp: 4_102_444_800 },
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .join(".");

/** Rules for all operations, one for each operation, so that the report names the operation that breaks it. */
export const generalRules: readonly Rule[] = [
  ...operations.filter((id) => routeOf(id).security.length > 0).map(tokenRule),
  ...operations.filter((id) => routeOf(id).bodyLimit !== null && hasBody(id)).map(bodyRule),
  ...[...new Set(operations.map((id) => routes[id].path))].map(methodRule),
  {
    id: "general.unknown-route",
    title: "a path that the contract does not have is answered with NOT_FOUND",
    source: "errors.yaml: NOT_FOUND",
    check: async (harness) => refused(await harness.ask("GET", "/v1/conformance/nowhere"), "NOT_FOUND"),
  },
  {
    id: "general.unknown-query",
    title: "a query parameter that the contract does not name is refused",
    source: "openapi: description",
    async check(harness) {
      const bob = await harness.bob();
      refused(await bob.call("pollMessages", { query: { colour: "red" } }), "INVALID_REQUEST");
    },
  },
];

function routeOf(id: OperationId): Route {
  return routes[id];
}

function hasBody(id: OperationId): boolean {
  return methods.indexOf(routes[id].method) > 0 && routes[id].method !== "delete";
}

/** A token of another kind is refused before anything else is checked. */
function tokenRule(id: OperationId): Rule {
  return {
    id: `general.token.${id}`,
    title: `${id} refuses tokens of other kinds`,
    source: `openapi: ${id}, security; errors.yaml: INVALID_TOKEN`,
    async check(harness) {
      const sending = { params: samples, ...(hasBody(id) && { body: {} }) };
      const wrong = [
        "nonsense",
        `${unsigned}.`,
        `${unsigned}.${"A".repeat(86)}`,
        ...(await foreignTokens(harness, id)),
      ];
      for (const token of routeOf(id).tokenOptional ? wrong : [undefined, ...wrong]) {
        const answer = await harness.call(id, { ...sending, token });
        refused(answer, "INVALID_TOKEN");
      }
      const basic = await harness.call(id, { ...sending, headers: { authorization: "Basic YTpi" } });
      refused(basic, "INVALID_TOKEN");
    },
  };
}

/** Valid tokens of the other kinds, if available, and a modified one. */
async function foreignTokens(harness: Harness, id: OperationId): Promise<string[]> {
  const own = routeOf(id).security;
  const device = (await harness.bob()).token();
  const admin = harness.meets("admin") ? (await harness.adminClient()).session()?.accessToken : undefined;
  const server = harness.meets("origin") ? await federationToken(harness) : undefined;
  const all = { device, admin, federation: server };
  const foreign = Object.entries(all).filter(([kind]) => !own.includes(kind as keyof typeof all));
  const mine = Object.entries(all).find(([kind]) => own.includes(kind as keyof typeof all))?.[1];
  return [...foreign.map(([, token]) => token), ...(mine === undefined ? [] : [changed(mine)])].filter(
    (token) => token !== undefined,
  );
}

/** The same token with another payload. */
function changed(token: string): string {
  const [head, payload = "", signature] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  const other = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 1 })).toString("base64url");
  return [head, other, signature].join(".");
}

/** A body that violates the contract never reaches the operation. */
function bodyRule(id: OperationId): Rule {
  return {
    id: `general.body.${id}`,
    title: `${id} refuses a body of another media type, one that is not JSON, and one without the required members`,
    source: `openapi: ${id}, requestBody; errors.yaml: UNSUPPORTED_MEDIA_TYPE, INVALID_REQUEST`,
    async check(harness) {
      const sending = { params: samples, token: await ownToken(harness, id) };
      const plain = { ...sending, raw: "{}", headers: { "content-type": "text/plain" } };
      refused(await harness.call(id, plain), "UNSUPPORTED_MEDIA_TYPE");
      const latin = { ...sending, raw: "{}", headers: { "content-type": "application/json; charset=iso-8859-1" } };
      refused(await harness.call(id, latin), "UNSUPPORTED_MEDIA_TYPE");
      refused(await harness.call(id, { ...sending, raw: '{"a":' }), "INVALID_REQUEST");
      refused(await harness.call(id, { ...sending, raw: "[]" }), "INVALID_REQUEST");
      const unknown = { ...sending, body: { conformance_unknown: true } };
      refused(await harness.call(id, unknown), "INVALID_REQUEST", "INVALID_CONFIG");
    },
  };
}

async function ownToken(harness: Harness, id: OperationId): Promise<string | undefined> {
  const [kind] = routeOf(id).security;
  if (kind === undefined) return undefined;
  if (kind === "device") return (await harness.bob()).token();
  if (kind === "federation") return federationToken(harness);
  if (!harness.meets("admin")) throw new NotChecked("requires: admin");
  return (await harness.adminClient()).session()?.accessToken;
}

function methodRule(path: string): Rule {
  const taken = operations.filter((id) => routes[id].path === path).map((id) => routes[id].method as string);
  const filled = path.replace(/:(\w+)/g, (_, name: string) => samples[name] ?? uuid);
  return {
    id: `general.methods.${path.replace(/^\//, "").replaceAll("/", ".").replaceAll(":", "")}`,
    title: `${path} knows ${taken.join(" and ").toUpperCase()} only, and says so in Allow`,
    source: "errors.yaml: METHOD_NOT_ALLOWED",
    async check(harness) {
      for (const method of methods.filter((one) => !taken.includes(one))) {
        const answer = await harness.ask(method.toUpperCase(), filled);
        if (answer.status === 404 && sharesPath(path, method)) continue;
        refused(answer, "METHOD_NOT_ALLOWED");
        const allowed = (answer.headers.get("allow") ?? "").toLowerCase();
        for (const one of taken) hold(allowed.includes(one), `Allow does not name ${one.toUpperCase()}: ${allowed}`);
      }
    },
  };
}

/** A path with a parameter may look like another one: `/v1/messages/batch` has the form of `/v1/messages/{message_id}`. */
function sharesPath(path: string, method: string): boolean {
  const pattern = (one: string) => new RegExp(`^${one.replaceAll(".", "\\.").replace(/:\w+/g, "[^/]+")}$`);
  return operations.some((id) => {
    const other = routes[id];
    return other.path !== path && other.method === method && pattern(other.path).test(path);
  });
}
