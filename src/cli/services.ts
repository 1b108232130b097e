import { openMasterKey } from "../auth/master-key-rotation.js";
import { createSecrets } from "../auth/secrets.js";
import { createSessions } from "../auth/sessions.js";
import { createSigningKeys } from "../auth/signing-keys.js";
import { createTokens } from "../auth/tokens.js";
import type { Infrastructure } from "../composition/infrastructure.js";
import type { Services } from "../composition/services.js";
import { createNotifications } from "../database/notifications.js";
import { createNodeLinks } from "../node/node-links.js";
import { createNodes } from "../node/nodes.js";
import { createResolver } from "../node/resolver.js";
import { createSchedule } from "../node/schedule.js";
import { createLifecycle, type Lifecycle } from "../platform/lifecycle.js";
import { createIpHashes } from "../rate-limit/ip-hash.js";
import { type CliContext, withCliContext } from "./context.js";

/** For commands that do what administrators do: the services of a relay that is not started. */
export type ServicesContext = CliContext & { infrastructure: Infrastructure; services: Services };

export function withServices(work: (context: ServicesContext) => Promise<void>): Promise<void> {
  return withCliContext(async (context) => {
    // Other commands start without loading every module.
    const { createServices } = await import("../composition/services.js");
    const lifecycle = createLifecycle();
    try {
      const infrastructure = await createInfrastructure(context, lifecycle);
      const services = createServices({ config: context.config, infrastructure, lifecycle });
      lifecycle.atEnd(() => services.federation.stop());
      for (const part of [services.settings, services.devices, services.moderation]) await lifecycle.begin(part);
      await work({ ...context, infrastructure, services });
    } finally {
      await lifecycle.end();
    }
  });
}

/** The command does not become a node: no heartbeat, no jobs, no streams. */
async function createInfrastructure(context: CliContext, lifecycle: Lifecycle): Promise<Infrastructure> {
  const { config, db, url, clock, random, logger, poll } = context;
  const masterKey = await openMasterKey(context);
  const base = { db, clock, random, logger, masterKey, isTimeSound: () => true, poll, config };
  const notifications = createNotifications({ url, logger });
  const nodes = createNodes({ ...base, notifications });
  const secrets = createSecrets(base);
  const signingKeys = createSigningKeys(base);
  const resolver = createResolver(base);
  lifecycle.atEnd(() => resolver.stop());
  for (const part of [notifications, poll, signingKeys]) await lifecycle.begin(part);
  return {
    databaseUrl: url,
    entryUrl: url,
    db,
    reader: db,
    clock,
    random,
    logger,
    notifications,
    links: createNodeLinks({ ...base, nodeId: nodes.nodeId, secret: () => secrets.get("node-links") }),
    nodes,
    poll,
    signingKeys,
    clockIsSound: () => true,
    clockJump: () => null,
    resolve: resolver.resolve,
    secrets,
    ipHashes: createIpHashes(base),
    sessions: createSessions(base),
    schedule: createSchedule({ ...base, nodes }),
    tokens: createTokens({ ...base, signingKeys, domain: config.domain }),
  };
}
