import type { AdminConfigHandlers } from "../../generated/handlers.js";
import type { SettingsService } from "../settings/service.js";
import { actorOf } from "./actor.js";
import type { Configuration } from "./configuration.js";

/** The configuration on the wire, where it is spelled as in the settings themselves. */
export function createConfigHandlers(deps: {
  settings: Pick<SettingsService, "current">;
  configuration: Configuration;
}): AdminConfigHandlers {
  const { settings, configuration } = deps;
  return {
    async getConfig(call) {
      return call.reply({ status: 200, body: settings.current() });
    },
    async updateConfig(call) {
      const { updatedAt, updatedFields } = await configuration.update(call.body, actorOf(call));
      return call.reply({
        status: 200,
        body: {
          config_updated_at: updatedAt,
          updated_by: call.principal.deviceId,
          updated_fields: updatedFields,
          requires_restart: false,
        },
      });
    },
  };
}
