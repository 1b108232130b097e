import type { DiscoveryHandlers } from "../../generated/handlers.js";
import type { SigningKeys } from "../platform/signing-keys.js";
import { RelayError } from "../protocol/errors.js";
import type { SettingsService } from "../settings/service.js";
import { type DocumentConfig, discoveryDocument } from "./document.js";

const documentCacheSeconds = 300;
const keysCacheSeconds = 300;
const retryAfterSeconds = 5;

/** What the relay tells of itself to everybody. The probes tell nothing but whether. */
export function createDiscoveryHandlers(needs: {
  config: DocumentConfig;
  settings: Pick<SettingsService, "current">;
  signingKeys: Pick<SigningKeys, "published">;
  /** Whether this node may be given requests; an error means no. */
  ready: () => Promise<boolean>;
}): DiscoveryHandlers {
  const { config, settings, signingKeys, ready } = needs;
  return {
    async getDiscovery(call) {
      const body = discoveryDocument(config, settings.current());
      return call.reply({ status: 200, headers: cacheFor(documentCacheSeconds), body });
    },
    async getSigningKeys(call) {
      const keys = await signingKeys.published();
      return call.reply({ status: 200, headers: cacheFor(keysCacheSeconds), body: { keys } });
    },
    async getHealthz(call) {
      return call.reply({ status: 200, body: { status: "ok" } });
    },
    async getReadyz(call) {
      if (!(await ready().catch(() => false))) throw notReady();
      return call.reply({ status: 200, body: { status: "ok" } });
    },
  };
}

function notReady(): RelayError {
  return new RelayError("OVERLOADED", "this node takes no requests at the moment", {
    headers: { "Retry-After": String(retryAfterSeconds) },
  });
}

function cacheFor(seconds: number): { "Cache-Control": string } {
  return { "Cache-Control": `public, max-age=${seconds}` };
}
