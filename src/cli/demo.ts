import { Command } from "commander";
import type { Say } from "../tools/demo/log.js";

export function demoCommand(): Command {
  return new Command("demo")
    .description(
      "three devices talk in an MLS group, and one of them links a second; through a relay of their own or a running one",
    )
    .option("--url <url>", "base address of a running relay")
    .option("--domain <domain>", "that relay's domain, where it is not the host of the address")
    .option("--federated", "instead, on two relays of their own that deliver to each other and are killed in between")
    .action(demo);
}

interface DemoOptions {
  url?: string;
  domain?: string;
  federated?: boolean;
}

async function demo({ url, domain, federated }: DemoOptions): Promise<void> {
  const { sayTo } = await import("../tools/demo/log.js");
  const { startOwnRelay } = await import("../tools/demo/own-relay.js");
  const { playScenario } = await import("../tools/demo/scenario.js");
  const say = sayTo((line) => console.log(line));
  if (federated === true) return demoFederated(say);
  if (url !== undefined) {
    say("relay", `at ${url}`);
    return playScenario({ relay: { url, domain }, say });
  }
  say("relay", "starts, with a database of its own");
  const relay = await startOwnRelay();
  try {
    say("relay", `at ${relay.url}, named ${relay.domain}`);
    await playScenario({ relay, databaseUrl: relay.databaseUrl, say });
  } finally {
    await relay.stop();
  }
  say("relay", "stopped, its data removed");
}

/** Certificates take a while to load, and nothing else here needs them; what they stand on has to be there first. */
async function demoFederated(say: Say): Promise<void> {
  await import("reflect-metadata");
  const { playFederatedScenario } = await import("../tools/demo/federated-scenario.js");
  await playFederatedScenario({ say });
}
