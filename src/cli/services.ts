import { openMasterKey } from "../platform/auth/master-key-rotation.js";
import { createSecrets } from "../platform/auth/secrets.js";
import { createSessions } from "../platform/auth/sessions.js";
import { createSigningKeys } from "../platform/auth/signing-keys.js";
import { createTokens } from "../platform/auth/tokens.js";
import { createNodes } from "../platform/cluster/nodes.js";
import { createSchedule } from "../platform/cluster/schedule.js";
import { createNotifications } from "../platform/database/notifications.js";
import type { Infrastructure } from "../platform/infrastructure.js";
import { createLifecycle, type Lifecycle } from "../platform/lifecycle.js";
import { createResolver } from "../platform/net/resolver.js";
import { createIpHashes } from "../platform/rate-limit/ip-hash.js";
import type { Services } from "../relay.js";
import { type CliContext, withCliContext } from "./context.js";

/** What a command works with that does what administrators do: the services of the relay, which is not started. */
export type CommandPlace = CliContext & { infrastructure: Infrastructure; services: Services };

/** Actions of commands have no administrator and no network address. */
export const byOperator = { admin: null, ipAddress: null, userAgent: null };

export function withServices(work: (place: CommandPlace) => Promise<void>): Promise<void> {
  return withCliContext(async (place) => {
    // Other commands start without loading all of the relay.
    const { createServices } = await import("../relay.js");
    const lifecycle = createLifecycle();
    try {
      const infrastructure = await layFoundation(place, lifecycle);
      const services = createServices({ config: place.config, infrastructure, lifecycle });
      lifecycle.atEnd(() => services.federation.stop());
      for (const part of [services.settings, services.devices, services.moderation]) await lifecycle.begin(part);
      await work({ ...place, infrastructure, services });
    } finally {
      await lifecycle.end();
    }
  });
}

/** Nothing of it is a node: no heartbeat, no jobs, no streams. */
async function layFoundation(place: CliContext, lifecycle: Lifecycle): Promise<Infrastructure> {
  const { config, db, url, clock, random, logger } = place;
  const masterKey = await openMasterKey(place);
  const base = { db, clock, random, logger, masterKey, isTimeSound: () => true, config };
  const notifications = createNotifications({ url, logger });
  const nodes = createNodes({ ...base, notifications });
  const signingKeys = createSigningKeys(base);
  const resolver = createResolver(base);
  lifecycle.atEnd(() => resolver.stop());
  for (const part of [notifications, signingKeys]) await lifecycle.begin(part);
  return {
    ...{ databaseUrl: url, db, clock, random, logger, notifications, nodes, signingKeys },
    clockIsSound: () => true,
    clockJump: () => null,
    resolve: resolver.resolve,
    secrets: createSecrets(base),
    ipHashes: createIpHashes(base),
    sessions: createSessions(base),
    schedule: createSchedule({ ...base, nodes }),
    tokens: createTokens({ ...base, signingKeys, domain: config.domain }),
  };
}
