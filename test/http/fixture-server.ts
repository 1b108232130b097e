import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { parse } from "yaml";
import { compileRequestValidators } from "../../scripts/generate/request-validators.js";
import type { Contract } from "../../src/http/request/contract.js";
import { createHttpServer, type HttpDeps, type HttpServer } from "../../src/http/server.js";
import { createSystemClock } from "../../src/node/clock.js";
import { parseTrustedProxies } from "../../src/platform/addresses/client-ip.js";
import { createLogger } from "../../src/platform/logger.js";
import { createSystemRandom } from "../../src/platform/random.js";
import { RelayError } from "../../src/protocol/errors.js";

export interface Call {
  params: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  body: Record<string, unknown> | undefined;
  principal: Record<string, unknown> | null;
  ip: string;
  userAgent: string | null;
  requestId: string;
  token: string | null;
  reply(reply: unknown): unknown;
  gone(): AbortSignal;
}

type Answer = (call: Call) => unknown;

export interface FixtureServer {
  url: string;
  port: number;
  http: HttpServer;
  /** All calls that reached a handler. */
  calls: Call[];
  /** Log lines, parsed. */
  log: Record<string, unknown>[];
  /** Sends a request and gives status, headers and body. */
  send(path: string, init?: RequestInit): Promise<{ status: number; headers: Headers; body: Body }>;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers are looked into freely
type Body = any;

const none = { bodyLimit: null, permission: null, security: [] };
const json = { bodyLimit: "default", permission: null, security: [] };

const openapi: unknown = parse(readFileSync(new URL("fixture.yaml", import.meta.url), "utf8"));
const validators = await compiledValidators();

async function compiledValidators(): Promise<Pick<Contract, "bodyValidators" | "parameterValidators">> {
  const code = await compileRequestValidators(openapi);
  return import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
}

/** The route table of fixture.yaml, in the form of the generated one. */
export const contract: Contract = {
  openapi,
  bodyValidators: validators.bodyValidators,
  parameterValidators: validators.parameterValidators,
  routes: {
    getOpen: { ...none, method: "get", path: "/open", success: 200 },
    getThing: { ...none, method: "get", path: "/things/:thing_id", success: 200 },
    deleteThing: {
      ...none,
      method: "delete",
      path: "/things/:thing_id",
      success: 204,
      security: ["admin"],
      permission: "verify_devices",
    },
    createThing: { ...json, method: "post", path: "/things", success: 202, security: ["device"], bodyLimit: "message" },
    listThings: { ...none, method: "get", path: "/things", success: 200, security: ["device", "federation"] },
    putSpecial: { ...json, method: "put", path: "/things/special", success: 200 },
    patchSettings: { ...json, method: "patch", path: "/settings", success: 200 },
    postFrame: { ...json, method: "post", path: "/frames", success: 200 },
    getExport: { ...none, method: "get", path: "/export", success: 200 },
  },
  securitySchemes: { deviceToken: "device", adminToken: "admin", federationToken: "federation" },
};

const config = {
  bodyStallSeconds: 30,
  slowestBytesPerSecond: 0,
  slowBodiesPerNode: 1000,
  slowBodiesPerCaller: 1000,
  ipv6SiteFactor: 2,
  bodiesInFlightBytes: 1024 * 1024,
  bodyBytesPerCaller: 1024 * 1024,
  unauthenticatedBodiesBytes: 1024 * 1024,
  unauthenticatedBodyBytesPerIp: 1024 * 1024,
  jsonMaxDepth: 32,
  jsonMaxValues: 1_000,
  longBodyBytes: 50_000,
  headersTimeoutSeconds: 10,
  idleConnectionSeconds: 65,
  connectionsPerNode: 1000,
  connectionsPerIp: 1000,
  answerStallSeconds: 60,
  answersInFlightBytes: 256 * 1024 * 1024,
  pipelinedRequestsPerConnection: 16,
  pipelinedRequestsPerNode: 1000,
  tlsHandshakeSeconds: 10,
  tlsHandshakesAtOnce: 100,
};

interface Options extends Partial<Omit<HttpDeps, "config" | "handlers">> {
  answers?: Record<string, Answer>;
  config?: Partial<HttpDeps["config"]>;
}

/** Opens a HTTP layer on a free port of 127.0.0.1; it is closed when the test is done. */
export async function serveFixture({ answers = {}, ...overrides }: Options = {}): Promise<FixtureServer> {
  const calls: Call[] = [];
  const log: Record<string, unknown>[] = [];
  const http = createHttpServer({
    contract,
    authenticators,
    bodyLimits: (name) => (name === "message" ? 100_000 : 2_000),
    validateResponses: true,
    trustedProxies: parseTrustedProxies([]),
    realm: "relay.example",
    pages: (_req, _res, next) => next(),
    linkApp: null,
    onAnswered: () => undefined,
    beforeLongBody: {},
    loadShedding: {},
    atOncePerCaller: {},
    tls: null,
    logger: createLogger({ level: "debug", destination: { write: (line) => void log.push(JSON.parse(line)) } }),
    random: createSystemRandom(),
    clock: createSystemClock(),
    ...overrides,
    config: { ...config, ...overrides.config },
    handlers: recording(overrides.contract ?? contract, { answers, calls }),
  });
  await new Promise<void>((resolve) => http.server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => http.close(0));
  const { port } = http.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return { url, port, http, calls, log, send: (path, init) => send(url + path, init) };
}

/** A JSON request. */
export function withJson(method: string, body: unknown, headers: Record<string, string> = {}): RequestInit {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { method, body: text, headers: { "content-type": "application/json", ...headers } };
}

export const deviceToken = { authorization: "Bearer device-1" };

const authenticators = {
  device: holderOf("device"),
  admin: holderOf("admin"),
  federation: holderOf("federation"),
};

/** Tokens are `<kind>-<name>`; some names stand for a failure. */
function holderOf(kind: string) {
  return async (token: string): Promise<object> => {
    if (token === "limited")
      throw new RelayError("RATE_LIMIT_EXCEEDED", "Blocked.", { extras: { limit: 0, reset_at: null } });
    if (token === "database") throw new RelayError("DATABASE_UNAVAILABLE", "It is away.");
    if (token === "broken") throw new TypeError("a secret of the authenticator");
    const [of, name] = token.split("-");
    if (of !== kind) throw new RelayError("INVALID_TOKEN", "This is another kind of token.");
    return {
      kind,
      deviceId: name,
      permissions: name === "chief" ? ["all"] : name === "verifier" ? ["verify_devices"] : [],
    };
  };
}

function recording(of: Contract, to: { answers: Record<string, Answer>; calls: Call[] }): object {
  const handlers = Object.entries(of.routes).map(([id, { success }]) => [
    id,
    async (call: Call) => {
      to.calls.push(call);
      const answer = to.answers[id];
      if (answer !== undefined) return answer(call);
      return call.reply(success === 204 ? { status: 204 } : { status: success, body: { said: id } });
    },
  ]);
  return Object.fromEntries(handlers);
}

async function send(url: string, init?: RequestInit): Promise<{ status: number; headers: Headers; body: Body }> {
  const response = await fetch(url, init);
  const text = await response.text();
  const isJson = text !== "" && response.headers.get("content-type")?.startsWith("application/json") === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
