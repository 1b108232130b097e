import type { Services } from "../composition/services.js";
import { type CliContext, withCliContext, withInfrastructure } from "./context.js";

/** For commands that do what administrators do: the services of a relay, without starting it. */
export type ServicesContext = CliContext & { services: Services };

export function withServices(work: (context: ServicesContext) => Promise<void>): Promise<void> {
  return withCliContext((context) =>
    withInfrastructure(context, async (infrastructure, lifecycle) => {
      // Other commands start without loading every module.
      const { createServices } = await import("../composition/services.js");
      const { notifications, poll, signingKeys } = infrastructure;
      for (const part of [notifications, poll, signingKeys]) await lifecycle.begin(part);
      const services = createServices({ config: context.config, infrastructure, lifecycle });
      lifecycle.atEnd(() => services.federation.stop());
      for (const part of [services.settings, services.devices, services.moderation]) await lifecycle.begin(part);
      await work({ ...context, services });
    }),
  );
}
