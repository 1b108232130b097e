import { createNotifications } from "../platform/database/notifications.js";
import type { Foundation } from "../platform/foundation.js";
import { createIpHashes } from "../platform/ip-hash.js";
import { createLifecycle, type Lifecycle } from "../platform/lifecycle.js";
import { openMasterKey } from "../platform/master-key-rotation.js";
import { createNodes } from "../platform/nodes.js";
import { createResolver } from "../platform/resolver.js";
import { createSchedule } from "../platform/schedule.js";
import { createSecrets } from "../platform/secrets.js";
import { createSessions } from "../platform/sessions.js";
import { createSigningKeys } from "../platform/signing-keys.js";
import { createTokens } from "../platform/tokens.js";
import type { Services } from "../relay.js";
import { atWorkplace, type Workplace } from "./workplace.js";

/** What a command works with that does what administrators do: the services of the relay, which is not started. */
export type CommandPlace = Workplace & { foundation: Foundation; services: Services };

/** Actions of commands have no administrator and no network address. */
export const byOperator = { admin: null, ipAddress: null, userAgent: null };

export function withServices(work: (place: CommandPlace) => Promise<void>): Promise<void> {
  return atWorkplace(async (place) => {
    // Other commands start without loading all of the relay.
    const { createServices } = await import("../relay.js");
    const lifecycle = createLifecycle();
    try {
      const foundation = await layFoundation(place, lifecycle);
      const services = createServices({ config: place.config, foundation, lifecycle });
      lifecycle.atEnd(() => services.federation.stop());
      for (const part of [services.settings, services.devices, services.moderation]) await lifecycle.begin(part);
      await work({ ...place, foundation, services });
    } finally {
      await lifecycle.end();
    }
  });
}

/** Nothing of it is a node: no heartbeat, no jobs, no streams. */
async function layFoundation(place: Workplace, lifecycle: Lifecycle): Promise<Foundation> {
  const { config, db, url, clock, random, logger } = place;
  const masterKey = await openMasterKey(place);
  const base = { db, clock, random, logger, masterKey, isTimeSound: () => true, limits: config };
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
