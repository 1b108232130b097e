import type { DiscoveryHandlers } from "../../generated/handlers.js";
import type { SigningKeys } from "../auth/signing-keys.js";
import type { SettingsService } from "../settings/service.js";
import { type DocumentDeps, discoveryDocument } from "./document.js";
import { type ReadinessCheck, requireReady } from "./readiness.js";

const documentCacheSeconds = 300;
const keysCacheSeconds = 300;

/** The public description of the relay, and the probes. */
export function createDiscoveryHandlers(
  deps: Omit<DocumentDeps, "settings" | "slots" | "push" | "blobs" | "provesDomain"> & {
    slots: { policy(): DocumentDeps["slots"] };
    push: { policy(): DocumentDeps["push"] };
    blobs: { policy(): DocumentDeps["blobs"] };
    federation: { provesDomain(): boolean };
    settings: Pick<SettingsService, "current">;
    signingKeys: Pick<SigningKeys, "published">;
    /** The first reason counts. */
    readiness: readonly ReadinessCheck[];
  },
): DiscoveryHandlers {
  const { settings, slots, push, blobs, signingKeys, readiness } = deps;
  return {
    async getDiscovery(call) {
      const policies = { slots: slots.policy(), push: push.policy(), blobs: blobs.policy() };
      const body = discoveryDocument({
        ...deps,
        ...policies,
        provesDomain: deps.federation.provesDomain(),
        settings: settings.current(),
      });
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
      await requireReady(readiness);
      return call.reply({ status: 200, body: { status: "ok" } });
    },
  };
}

function cacheFor(seconds: number): { "Cache-Control": string } {
  return { "Cache-Control": `public, max-age=${seconds}` };
}
