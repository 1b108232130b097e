import type { DiscoveryHandlers } from "../../generated/handlers.js";
import type { SigningKeys } from "../platform/auth/signing-keys.js";
import { RelayError } from "../protocol/errors.js";
import type { SettingsService } from "../settings/service.js";
import { type DocumentDeps, discoveryDocument } from "./document.js";

/** Whether this node may be given requests: each check answers within a moment, and false or an error means no. */
export type ReadinessCheck = () => boolean | Promise<boolean>;

const documentCacheSeconds = 300;
const keysCacheSeconds = 300;
const retryAfterSeconds = 5;

/** What the relay tells of itself to everybody. The probes tell nothing but whether. */
export function createDiscoveryHandlers(
  deps: Omit<DocumentDeps, "settings"> & {
    settings: Pick<SettingsService, "current">;
    signingKeys: Pick<SigningKeys, "published">;
    readiness: readonly ReadinessCheck[];
  },
): DiscoveryHandlers {
  const { settings, signingKeys, readiness } = deps;
  return {
    async getDiscovery(call) {
      const body = discoveryDocument({ ...deps, settings: settings.current() });
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
      if (!(await isReady(readiness))) throw notReady();
      return call.reply({ status: 200, body: { status: "ok" } });
    },
  };
}

async function isReady(checks: readonly ReadinessCheck[]): Promise<boolean> {
  try {
    const answers = await Promise.all(checks.map(async (check) => check()));
    return answers.every(Boolean);
  } catch {
    return false;
  }
}

function notReady(): RelayError {
  return new RelayError("OVERLOADED", "this node takes no requests at the moment", {
    headers: { "Retry-After": String(retryAfterSeconds) },
  });
}

function cacheFor(seconds: number): { "Cache-Control": string } {
  return { "Cache-Control": `public, max-age=${seconds}` };
}
