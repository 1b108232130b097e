import { streamPath } from "../../generated/frames.js";
import type { Reply } from "../../generated/handlers.js";
import { routes } from "../../generated/routes.js";
import type { Config } from "../platform/config.js";
import { supportedMlsVersions } from "../protocol/mls-versions.js";
import type { ServerSettings } from "../settings/service.js";

/** The server's name and address, and the limits of the stream. */
export type DocumentConfig = Pick<
  Config,
  | "domain"
  | "baseUrl"
  | "maxConnectionsPerDevice"
  | "maxMessageBacklog"
  | "keepaliveIntervalSeconds"
  | "connectionTimeoutSeconds"
>;

/** Where the front door serves the contracts themselves. They are no operations of the contract. */
const contractPaths = { openapi: "/openapi.json", asyncapi: "/asyncapi.json" };

type DiscoveryDocument = Reply<"getDiscovery">["body"];

/** The discovery document (specification, "Discovery and published block list"). */
export function discoveryDocument(config: DocumentConfig, settings: ServerSettings): DiscoveryDocument {
  const { baseUrl } = config;
  const { federation, registration } = settings;
  return {
    server: config.domain,
    base_url: baseUrl,
    federation_url: baseUrl,
    versions: { protocol: settings.server.protocol_version, api: ["v1"], federation: ["v1"] },
    capabilities: {
      max_message_size: settings.server.max_message_size,
      federation_enabled: federation.enabled,
      supported_mls_versions: [...supportedMlsVersions],
    },
    federation_enabled: federation.enabled,
    stream: {
      url: `${baseUrl.replace(/^http/, "ws")}${streamPath}`,
      max_connections_per_device: config.maxConnectionsPerDevice,
      max_message_backlog: config.maxMessageBacklog,
      keepalive_interval_seconds: config.keepaliveIntervalSeconds,
      connection_timeout_seconds: config.connectionTimeoutSeconds,
    },
    registration: { enabled: registration.enabled, mode: registration.mode },
    links: {
      openapi: `${baseUrl}${contractPaths.openapi}`,
      asyncapi: `${baseUrl}${contractPaths.asyncapi}`,
      jwks: `${baseUrl}${routes.getSigningKeys.path}`,
    },
  };
}
