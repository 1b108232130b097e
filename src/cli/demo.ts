import { once } from "node:events";
import { Command } from "commander";
import type { Say } from "../tools/demo/log.js";
import { print } from "./print.js";
import { describeProblem } from "./problem.js";

export function demoCommand(): Command {
  return new Command("demo")
    .description(
      "run a demo: three devices talk in an MLS group over a new or a running relay, and one of them links another device",
    )
    .option("--url <url>", "base address of a running relay")
    .option("--domain <domain>", "that relay's domain, where it is not the host of the address")
    .option("--busy", "use a new relay that looks as after a busy day, and keep it open for its console")
    .option("--federated", "use two new relays that deliver to each other and are killed in between")
    .action(demo);
}

interface DemoOptions {
  url?: string;
  domain?: string;
  federated?: boolean;
  busy?: boolean;
}

async function demo({ url, domain, federated, busy }: DemoOptions): Promise<void> {
  const { sayTo } = await import("../tools/demo/log.js");
  const { startOwnRelay } = await import("../tools/demo/own-relay.js");
  const { playScenario } = await import("../tools/demo/scenario.js");
  const say = sayTo((line) => print(line));
  if (federated === true) return demoFederated(say);
  if (busy === true) return demoBusy(say);
  if (url !== undefined) {
    say("relay", `at ${url}`);
    return playScenario({ relay: { url, domain }, say });
  }
  say("relay", "starts with its own database");
  const relay = await startOwnRelay();
  try {
    say("relay", `at ${relay.url}, named ${relay.domain}`);
    await playScenario({ relay, databaseUrl: relay.databaseUrl, say });
  } finally {
    await relay.stop();
  }
  say("relay", "stopped, its data removed");
}

/** Keeps the relay open until the command is interrupted. The certificate library needs reflect-metadata first, as below. */
async function demoBusy(say: Say): Promise<void> {
  await import("reflect-metadata");
  const { startBusyRelay } = await import("../tools/demo/busy-relay.js");
  say("relay", "starts with its own database");
  const relay = await startBusyRelay(say);
  try {
    const sayLink = async () => say("console", `${await relay.makeLink()} (good once, for five minutes)`);
    await sayLink();
    say("relay", "runs until you press Ctrl+C; its data is then removed. Press Enter for another link");
    process.stdin.on("data", () => void sayLink().catch((problem: unknown) => say("relay", describeProblem(problem))));
    await once(process, "SIGINT");
  } finally {
    process.stdin.pause();
    await relay.stop();
  }
}

/** The certificate library is loaded only here, because it is slow. It requires reflect-metadata to be loaded first. */
async function demoFederated(say: Say): Promise<void> {
  await import("reflect-metadata");
  const { playFederatedScenario } = await import("../tools/demo/federated-scenario.js");
  await playFederatedScenario({ say });
}
