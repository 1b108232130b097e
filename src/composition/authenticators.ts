import type { OperationId } from "../../generated/handlers.js";
import type { Authentication, Holder } from "../auth/token-check.js";
import { createLastKnown } from "../health/service.js";
import type { Authenticators } from "../http/request/contract.js";
import { type Awaitable, chain } from "../platform/concurrency/awaitable.js";
import type { Config } from "./config.js";
import type { Infrastructure } from "./infrastructure.js";
import type { Services } from "./services.js";

export interface RelayAuthenticators extends Authenticators {
  /** Also records that the device is active: for requests and streams. */
  device(token: string): Awaitable<Holder>;
}

/** Returns the device, administrator or server that a token names. */
export function createAuthenticators(deps: {
  config: Config;
  infrastructure: Infrastructure;
  services: Services;
  authentication: Authentication;
}): RelayAuthenticators {
  const { config, infrastructure, authentication } = deps;
  const { devices, admin, federation } = deps.services;
  const { authenticate } = authentication;
  const admins = createLastKnown({
    clock: infrastructure.clock,
    authenticate: (token) => admin.sessions.authenticate(token),
    timeoutMillis: config.healthTimeoutMillis,
  });
  return {
    device: (token) =>
      chain(authenticate("device", token), (holder) => {
        devices.touch(holder.deviceId);
        return holder;
      }),
    admin: (token, operation) =>
      answeredWithoutDatabase.has(operation) ? admins.authenticateOrRemember(token) : admins.authenticate(token),
    federation: async (token) => federation.callerOf(await authenticate("federation", token)),
  };
}

/** Operations that work without the database. */
const answeredWithoutDatabase: ReadonlySet<string> = new Set<OperationId>(["getHealth", "listAlerts"]);
