import type { DiscoveryHandlers } from "../../generated/handlers.js";
import type { components } from "../../generated/openapi-types.js";
import type { SigningKeys } from "../auth/signing-keys.js";
import { overloaded, type RelayError } from "../protocol/errors.js";
import type { SettingsService } from "../settings/service.js";
import { type DocumentDeps, discoveryDocument } from "./document.js";

/** Why this node takes no requests. */
type UnreadyReason = NonNullable<components["schemas"]["ErrorBody"]["reason"]>;

/** Returns quickly why this node takes no requests; null if it does. */
type ReadinessCheck = () => UnreadyReason | null | Promise<UnreadyReason | null>;

const documentCacheSeconds = 300;
const keysCacheSeconds = 300;
const retryAfterSeconds = 5;

const unready: Readonly<Record<UnreadyReason, string>> = {
  draining: "it is stopping",
  clock: "the time is not trusted",
  database: "the database does not answer, or accepts no writes",
  disk: "no space is left on the database's disk",
};

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
      const reason = await firstReason(readiness);
      if (reason !== null) throw notReady(reason);
      return call.reply({ status: 200, body: { status: "ok" } });
    },
  };
}

async function firstReason(checks: readonly ReadinessCheck[]): Promise<UnreadyReason | null> {
  for (const check of checks) {
    const reason = await check();
    if (reason !== null) return reason;
  }
  return null;
}

function notReady(reason: UnreadyReason): RelayError {
  const message = `this node takes no requests at the moment: ${unready[reason]}`;
  return overloaded(message, retryAfterSeconds, { reason });
}

function cacheFor(seconds: number): { "Cache-Control": string } {
  return { "Cache-Control": `public, max-age=${seconds}` };
}
