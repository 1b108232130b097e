import { Command } from "commander";
import { startOwnRelay } from "./demo/own-relay.js";
import { sayTo } from "./demo/say.js";
import { playStory } from "./demo/story.js";

export function demoCommand(): Command {
  return new Command("demo")
    .description("three devices talk in an MLS group, through a relay of their own or a running one")
    .option("--url <url>", "base address of a running relay")
    .option("--domain <domain>", "that relay's domain, where it is not the host of the address")
    .action(demo);
}

async function demo({ url, domain }: { url?: string; domain?: string }): Promise<void> {
  const say = sayTo((line) => console.log(line));
  if (url !== undefined) {
    say("relay", `at ${url}`);
    return playStory({ relay: { url, domain }, say });
  }
  say("relay", "starts, with a database of its own");
  const relay = await startOwnRelay();
  try {
    say("relay", `at ${relay.url}, named ${relay.domain}`);
    await playStory({ relay, databaseUrl: relay.databaseUrl, say });
  } finally {
    await relay.stop();
  }
  say("relay", "stopped, its data removed");
}
