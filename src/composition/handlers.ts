import type { AllHandlers } from "../../generated/handlers.js";
import { createAdminHandlers } from "../admin/handlers.js";
import { createAuditHandlers } from "../audit/handlers.js";
import { createAuditLog } from "../audit/service.js";
import { createBlobsHandlers } from "../blobs/handlers.js";
import { isRefusedWrite } from "../database/errors.js";
import { createDiscoveryHandlers } from "../discovery/handlers.js";
import { createFederationHandlers } from "../federation/handlers.js";
import { createHealthHandlers } from "../health/handlers.js";
import { createInfopackagesHandlers } from "../infopackages/handlers.js";
import { createKeyPackagesHandlers } from "../keypackages/handlers.js";
import { createLimitsHandlers } from "../limits/handlers.js";
import { createMessagesHandlers } from "../messages/handlers.js";
import { createMetricsHandlers } from "../metrics/handlers.js";
import { createModerationHandlers } from "../moderation/handlers.js";
import type { LimitObserver } from "../protocol/rate-limit.js";
import { createProvisioningHandlers } from "../provisioning/handlers.js";
import { createPushHandlers } from "../push/handlers.js";
import { createRegistrationHandlers } from "../registration/handlers.js";
import { createSlotsHandlers } from "../slots/handlers.js";
import type { Config } from "./config.js";
import type { Infrastructure } from "./infrastructure.js";
import type { Services } from "./services.js";

interface HandlersDeps {
  config: Config;
  infrastructure: Infrastructure;
  services: Services;
  /** Whether the relay is stopping; it is then not ready. */
  draining(): boolean;
}

/** The handlers of every tag of the contract. */
export function createHandlers({ config, infrastructure, services, draining }: HandlersDeps): AllHandlers {
  const { settings, registration, messages, admin, infopackages, moderation } = services;
  const hasCertificate = (config.federationCertFile ?? config.tlsCertFile) !== null;
  return {
    ...createRegistrationHandlers({ registration, settings, config, hasCertificate }),
    ...createDiscoveryHandlers({
      settings,
      signingKeys: infrastructure.signingKeys,
      config,
      server: config,
      hasCertificate,
      federation: services.federation,
      slots: services.slots,
      blobs: services.blobs,
      push: services.push,
      contracts: documentPaths,
      readiness: [
        () => (draining() ? "draining" : null),
        services.health.filesTrouble,
        services.health.databaseTrouble,
        () => (messages.isStuck() ? "database" : null),
        () => (infrastructure.clockIsSound() ? null : "clock"),
      ],
    }),
    ...createMessagesHandlers({ messages }),
    ...createKeyPackagesHandlers({ keyPackages: services.keyPackages }),
    ...createProvisioningHandlers({ provisioning: services.provisioning, domain: config.domain }),
    ...createLimitsHandlers({ limits: services.limits }),
    ...createModerationHandlers({ moderation }),
    ...createInfopackagesHandlers({ infopackages, baseUrl: config.baseUrl }),
    ...createSlotsHandlers({ slots: services.slots }),
    ...createBlobsHandlers({ blobs: services.blobs }),
    ...createPushHandlers({ push: services.push }),
    ...createFederationHandlers({ federation: services.federation }),
    ...createAdminHandlers({ admin, settings }),
    ...createMonitoringHandlers(infrastructure, services, config),
  };
}

/** The handlers of metrics, audit log and health. */
function createMonitoringHandlers({ reader, clock }: Infrastructure, services: Services, config: Config) {
  const { metrics, health, admin } = services;
  const { callLimits } = admin;
  const log = createAuditLog({ reader, config });
  const allowing = (kind: "metrics" | "audit_queries") => (deviceId: string, observer: LimitObserver) =>
    callLimits.take(deviceId, kind, observer).catch(ignoreRefusedWrite);
  return {
    ...createMetricsHandlers({ metrics, clock, allow: allowing("metrics") }),
    ...createAuditHandlers({ log, clock, allow: allowing("audit_queries") }),
    ...createHealthHandlers({ health, clock }),
  };
}

/** When the database's disk is full, administrators may still read, uncounted, because they need it most then. */
function ignoreRefusedWrite(error: unknown): void {
  if (!isRefusedWrite(error)) throw error;
}

const documentPaths = { openapi: "/openapi.json", asyncapi: "/asyncapi.json" };
