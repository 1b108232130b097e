import { expect, test } from "vitest";
import { startNats } from "../support/nats.js";
import { isMissing } from "../support/programs.js";
import { startWatched } from "./fixture.js";

test.skipIf(isMissing("nats-server"))(
  "a node that is without its bus for half a minute raises an alert until the bus is back",
  async () => {
    const nats = await startNats();
    const watched = await startWatched({ wakeUpBus: nats.url, metricsPort: 0 });
    try {
      await expect.poll(async () => (await nats.subscribers()).length).toBe(1);
      await nats.kill("SIGKILL");
      const metrics = async () => (await fetch(watched.relay.metricsUrl ?? "")).text();
      await expect.poll(metrics).toMatch(/^svc_wake_up_bus_gone_timestamp_seconds\S* [1-9]/m);
      expect(await watched.alert("wake_up_bus_gone")).toBeUndefined();
      await watched.advance(60);
      expect(await watched.raised("wake_up_bus_gone")).toMatchObject({ severity: "warning", component: "server" });
      await nats.start();
      await watched.cleared("wake_up_bus_gone");
    } finally {
      await watched.stop();
      await nats.stop();
    }
  },
);
