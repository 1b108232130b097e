import type { DiscoveryHandlers } from "../../generated/handlers.js";
import type { SigningKeys } from "../auth/signing-keys.js";
import { overloaded, type RelayError } from "../protocol/errors.js";
import type { SettingsService } from "../settings/service.js";
import { type DocumentDeps, discoveryDocument } from "./document.js";

/** Returns quickly whether this node can take requests. An error counts as false. */
type ReadinessCheck = () => boolean | Promise<boolean>;

const documentCacheSeconds = 300;
const keysCacheSeconds = 300;
const retryAfterSeconds = 5;

/** The public description of the relay, and the probes, which answer only yes or no. */
export function createDiscoveryHandlers(
  deps: Omit<DocumentDeps, "settings" | "slots" | "push"> & {
    slots: { policy(): DocumentDeps["slots"] };
    push: { policy(): DocumentDeps["push"] };
    settings: Pick<SettingsService, "current">;
    signingKeys: Pick<SigningKeys, "published">;
    readiness: readonly ReadinessCheck[];
  },
): DiscoveryHandlers {
  const { settings, slots, push, signingKeys, readiness } = deps;
  return {
    async getDiscovery(call) {
      const policies = { slots: slots.policy(), push: push.policy() };
      const body = discoveryDocument({ ...deps, ...policies, settings: settings.current() });
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
    const results = await Promise.all(checks.map(async (check) => check()));
    return results.every(Boolean);
  } catch {
    return false;
  }
}

function notReady(): RelayError {
  return overloaded("this node does not take requests at the moment", retryAfterSeconds);
}

function cacheFor(seconds: number): { "Cache-Control": string } {
  return { "Cache-Control": `public, max-age=${seconds}` };
}
