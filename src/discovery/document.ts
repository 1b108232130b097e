import { streamPath } from "../../generated/frames.js";
import type { Reply } from "../../generated/handlers.js";
import { routes } from "../../generated/routes.js";
import type { ServerConfig } from "../platform/config/server.js";
import { capabilitiesOf } from "../protocol/capabilities.js";
import { encodeHex } from "../protocol/encodings.js";
import { greatestFrameBytes } from "../protocol/frame-size.js";
import type { ServerSettings } from "../settings/service.js";

export interface DocumentDeps {
  settings: ServerSettings;
  /** The relay's domain and public URL. */
  server: Pick<ServerConfig, "domain" | "baseUrl">;
  /** Whether this server has a certificate to show to others. */
  hasCertificate: boolean;
  /** Whether that certificate is valid for this server's domain now. */
  provesDomain: boolean;
  /** What this relay says about its commit slots. */
  slots: {
    key: Uint8Array;
    maxContentBytes: number;
    retentionDays: number;
    memoryDays: number;
    slotsPerReading: { own: number; ofPeers: number };
  };
  /** The key by which push services recognise this relay; null if it sends no pushes. */
  push: { id: string; publicKey: string } | null;
  /** What this relay says about its blobs; null if it has none. */
  blobs: { maxBytes: number } | null;
  /** The paths where the contracts are served. */
  contracts: { openapi: string; asyncapi: string };
  config: {
    readonly recipientsLimit: number;
    readonly maxMessageBacklog: number;
    readonly keepaliveIntervalSeconds: number;
    readonly connectionTimeoutSeconds: number;
    readonly frameLimitBytes: number;
    readonly streamWindowLimit: number;
    readonly streamSendsInFlight: number;
  };
}

/** Another stream of a device replaces the one that is open. */
const streamsPerDevice = 1;

type DiscoveryDocument = Reply<"getDiscovery">["body"];

/** Builds the discovery document (specification, "Discovery and published block list"). */
export function discoveryDocument({
  settings,
  server,
  hasCertificate,
  provesDomain,
  slots,
  push,
  blobs,
  contracts,
  config,
}: DocumentDeps): DiscoveryDocument {
  const { baseUrl } = server;
  const { federation, registration } = settings;
  // The specification names these documents without saying where they are.
  const limits = {
    max_connections_per_device: streamsPerDevice,
    max_message_backlog: config.maxMessageBacklog,
    keepalive_interval_seconds: config.keepaliveIntervalSeconds,
    connection_timeout_seconds: config.connectionTimeoutSeconds,
  };
  return {
    server: server.domain,
    server_name: settings.server.server_name,
    base_url: baseUrl,
    federation_url: baseUrl,
    versions: { protocol: settings.server.protocol_version, api: ["v1"], federation: ["v1"] },
    capabilities: capabilitiesOf(settings, {
      ...config,
      hasCertificate,
      provesDomain,
      wakesDevices: push !== null,
      storesBlobs: blobs !== null,
    }),
    federation_enabled: federation.enabled,
    ...limits,
    stream: {
      url: `${baseUrl.replace(/^http/, "ws")}${streamPath}`,
      ...limits,
      max_frame_bytes: greatestFrameBytes(settings.server.max_message_size),
      max_client_frame_bytes: config.frameLimitBytes,
      max_window: config.streamWindowLimit,
      max_sends_in_flight: config.streamSendsInFlight,
    },
    registration: { enabled: registration.enabled, mode: registration.mode },
    slots: {
      key: encodeHex(slots.key),
      max_content_bytes: slots.maxContentBytes,
      retention_days: slots.retentionDays,
      memory_days: slots.memoryDays,
      max_slots_per_reading: slots.slotsPerReading.own,
      max_peer_slots_per_reading: slots.slotsPerReading.ofPeers,
    },
    ...(push !== null && { push: { vapid_key: push.publicKey, key_id: push.id } }),
    ...(blobs !== null && { blobs: { max_bytes: blobs.maxBytes } }),
    links: {
      openapi: `${baseUrl}${contracts.openapi}`,
      asyncapi: `${baseUrl}${contracts.asyncapi}`,
      jwks: `${baseUrl}${routes.getSigningKeys.path}`,
    },
  };
}
