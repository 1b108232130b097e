import type {
  AdminConfigHandlers,
  AdminFederationHandlers,
  AdminInvitesHandlers,
  AdminSessionsHandlers,
  AdminTrustHandlers,
} from "../../generated/handlers.js";
import type { SettingsService } from "../settings/service.js";
import { createConfigHandlers } from "./config-handlers.js";
import { createFederationAdminHandlers } from "./federation-handlers.js";
import { createInviteHandlers } from "./invite-handlers.js";
import type { AdminService } from "./service.js";
import { createSessionHandlers } from "./session-handlers.js";
import { createTrustHandlers } from "./trust-handlers.js";

type AdminHandlers = AdminSessionsHandlers &
  AdminConfigHandlers &
  AdminTrustHandlers &
  AdminInvitesHandlers &
  AdminFederationHandlers;

/** Administration on the wire. */
export function createAdminHandlers(deps: {
  admin: AdminService;
  settings: Pick<SettingsService, "current">;
}): AdminHandlers {
  const { admin, settings } = deps;
  return {
    ...createSessionHandlers(admin.sessions),
    ...createConfigHandlers({ settings, configuration: admin.configuration }),
    ...createTrustHandlers(admin),
    ...createInviteHandlers(admin.invitations),
    ...createFederationAdminHandlers(admin.federating),
  };
}
