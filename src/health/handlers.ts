import type { AdminHealthHandlers } from "../../generated/handlers.js";
import { interfaceVersion } from "../../generated/routes.js";
import type { Clock } from "../node/clock.js";
import { softwareVersion } from "../platform/software-version.js";
import { showAlert } from "./answers.js";
import { overallStatus, warningsOf } from "./evaluate.js";
import type { HealthService } from "./service.js";

/** Health and alerts on the wire. */
export function createHealthHandlers(deps: {
  health: Pick<HealthService, "components" | "alerts">;
  clock: Clock;
}): AdminHealthHandlers {
  const { health, clock } = deps;
  const startedAt = clock.nowSeconds();
  return {
    async getHealth(call) {
      const components = await health.components();
      const alerts = await health.alerts();
      const now = clock.nowSeconds();
      return call.reply({
        status: 200,
        body: {
          status: overallStatus(components),
          timestamp: now,
          version: interfaceVersion,
          software_version: softwareVersion,
          uptime_seconds: now - startedAt,
          components,
          warnings: [...new Set([...warningsOf(components), ...alerts.map(({ message }) => message)])].slice(0, 1000),
        },
      });
    },
    async listAlerts(call) {
      const alerts = (await health.alerts()).map(showAlert);
      return call.reply({ status: 200, body: { active_alerts: alerts, total_count: alerts.length } });
    },
  };
}
