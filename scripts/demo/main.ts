import { Command } from "commander";
import { describeProblem } from "../../src/cli/problem.js";
import { print, printError } from "../../src/platform/print.js";
import { playAppScenario } from "./app-scenario.js";
import { startBusyRelay } from "./busy-relay.js";
import { playCommits } from "./commits-scenario.js";
import { whenAskedToEnd } from "./ended.js";
import { playFederatedScenario } from "./federated-scenario.js";
import { sayTo } from "./log.js";
import { playPushScenario } from "./push-scenario.js";
import { startOwnRelay } from "./relays.js";
import { playScenario } from "./scenario.js";

const say = sayTo((line) => print(line));

interface DemoOptions {
  url?: string;
  domain?: string;
  federated?: boolean;
  busy?: boolean;
  push?: boolean;
  app?: boolean;
}

async function demo({ url, domain, federated, busy, push, app }: DemoOptions): Promise<void> {
  if (federated === true) return playFederatedScenario({ say });
  if (busy === true) return demoBusy();
  if (push === true) return playPushScenario({ say });
  if (app === true) return playAppScenario({ say });
  if (url !== undefined) {
    say("relay", `at ${url}`);
    return playScenario({ relay: { url, domain }, say });
  }
  say("relay", "starts with its own database");
  const relay = await startOwnRelay();
  try {
    say("relay", `at ${relay.url}, named ${relay.domain}`);
    await playScenario({ relay, databaseUrl: relay.databaseUrl, say });
    await playCommits({ relay, say });
  } finally {
    await relay.stop();
  }
  say("relay", "stopped, its data removed");
}

/** Keeps the relay open until the command is interrupted. */
async function demoBusy(): Promise<void> {
  say("relay", "starts with its own database");
  const relay = await startBusyRelay(say);
  try {
    const sayLink = async () => say("console", `${await relay.makeLink()} (good once, for five minutes)`);
    await sayLink();
    say("relay", "runs until you press Ctrl+C; its data is then removed. Press Enter for another link");
    process.stdin.on("data", () => void sayLink().catch((problem: unknown) => say("relay", describeProblem(problem))));
    await whenAskedToEnd();
  } finally {
    process.stdin.pause();
    await relay.stop();
  }
}

const program = new Command("npm run demo --")
  .description(
    "real MLS clients over a relay: three devices talk in a group over a new or a running relay, and one of them links another device",
  )
  .option("--url <url>", "base address of a running relay")
  .option("--domain <domain>", "that relay's domain, where it is not the host of the address")
  .option("--busy", "use a new relay that looks as after a busy day, and keep it open for its console")
  .option("--federated", "use two new relays that deliver to each other and are killed in between")
  .option("--push", "use a new relay and a push service, by which a sleeping member is woken")
  .option("--app", "use two new relays that serve the messenger, in which two people talk, and keep them open")
  .action(demo);

try {
  await program.parseAsync();
} catch (problem) {
  printError(describeProblem(problem));
  process.exitCode = 1;
}
