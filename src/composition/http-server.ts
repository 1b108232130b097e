import { readFileSync } from "node:fs";
import type { AllHandlers, OperationId } from "../../generated/handlers.js";
import { bodyValidators, parameterValidators } from "../../generated/request-validators.js";
import { routes, securitySchemes } from "../../generated/routes.js";
import { createBodyLimits } from "../http/body/body-limits.js";
import type { TlsIdentity } from "../http/connection/listener.js";
import type { LoadSheddingBounds } from "../http/overload/load-shedding.js";
import { createDocumentRoutes } from "../http/pages/routes.js";
import type { Authenticators, Contract } from "../http/request/contract.js";
import { createHttpServer, type HttpDeps, type HttpServer } from "../http/server.js";
import { countAnswer } from "../metrics/service.js";
import { parseTrustedProxies } from "../platform/addresses/client-ip.js";
import { packageRoot } from "../platform/package-root.js";
import type { Tracer } from "../platform/tracing/tracer.js";
import { beforeLongBody } from "./before-long-bodies.js";
import type { Config } from "./config.js";
import type { Infrastructure } from "./infrastructure.js";
import type { Services } from "./services.js";

/** The HTTP server in front of the services. It does not listen yet. */
export function createRelayHttpServer(deps: {
  config: Config;
  infrastructure: Infrastructure;
  services: Services;
  authenticators: Authenticators;
  handlers: AllHandlers;
  /** Null for plain HTTP. */
  tls: TlsIdentity | null;
  tracer: Tracer;
}): HttpServer {
  const { config, infrastructure, services, authenticators, handlers, tls, tracer } = deps;
  return createHttpServer({
    clock: infrastructure.clock,
    random: infrastructure.random,
    logger: infrastructure.logger,
    config,
    loadShedding: loadShedding(config),
    atOncePerCaller: { takeSlot: config.slotTakingsAtOnce },
    beforeLongBody: beforeLongBody(services),
    contract: servedContract(),
    handlers,
    authenticators,
    bodyLimits: createBodyLimits(config, () => services.settings.current().server.max_message_size),
    pages: createDocumentRoutes({ ...config, application: applicationOf(config) }),
    linkApp: linkApp(config),
    onAnswered(answered) {
      countAnswer(services.metrics, answered);
      tracer.record({ ...answered, route: routes[answered.operation as OperationId]?.path ?? null });
    },
    validateResponses: config.validateResponses,
    trustedProxies: parseTrustedProxies(config.trustedProxies),
    realm: config.domain,
    tls,
  });
}

/** The page of the application that opens shared links and invites of this relay. */
function applicationOf({ app, appUrl, baseUrl }: Config): string | null {
  return appUrl ?? (app === "on" ? `${baseUrl}/app/` : null);
}

function linkApp(config: Config): NonNullable<HttpDeps["linkApp"]> | null {
  const page = applicationOf(config);
  return page === null ? null : { page, relay: config.baseUrl };
}

/** Sheds only the operations that add load. Polls and acknowledgements reduce it. */
function loadShedding(config: Config): Partial<Record<OperationId, LoadSheddingBounds>> {
  const { sendWaitMillis: waitMillis, sendsAlwaysTaken, batchesAlwaysTaken } = config;
  return {
    sendMessage: { waitMillis, alwaysTaken: sendsAlwaysTaken },
    sendMessageBatch: { waitMillis, alwaysTaken: batchesAlwaysTaken },
    sendMessageToMany: { waitMillis, alwaysTaken: batchesAlwaysTaken },
  };
}

let contract: Contract | undefined;

/** Reads the contract once per process, because its validators are compiled once for each object. */
function servedContract(): Contract {
  const read = () => JSON.parse(readFileSync(new URL("generated/contract.json", packageRoot()), "utf8"));
  contract ??= { openapi: read(), routes, securitySchemes, bodyValidators, parameterValidators };
  return contract;
}
