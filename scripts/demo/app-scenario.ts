import { once } from "node:events";
import { rm } from "node:fs/promises";
import path from "node:path";
import { chromium } from "playwright-core";
import { createLifecycle } from "../../src/platform/lifecycle.js";
import { programs } from "../../test/support/programs.js";
import { createTestAuthority } from "../test-ca/authority.js";
import { openAppPerson } from "./app-people.js";
import type { Say } from "./log.js";
import { newFolder, prepareRelay } from "./relays.js";

/**
 * Two relays with the messenger, and two people who talk in it, in two windows. Without a screen the browser is not seen, without a Chromium
 * there are only the links. All runs until the command is interrupted.
 */
export async function playAppScenario({ say }: { say: Say }): Promise<void> {
  const lifecycle = createLifecycle();
  try {
    const folder = await newFolder();
    lifecycle.atEnd(() => rm(folder, { recursive: true, force: true }));
    const authority = await createTestAuthority(new Date(performance.timeOrigin + performance.now()));
    const open = async (name: string): Promise<string> => {
      const relay = await prepareRelay(path.join(folder, name), authority, { PRESET: "development" });
      lifecycle.atEnd(() => relay.stop());
      await relay.start();
      say(name, `serves the messenger at ${relay.url}/app/`);
      return relay.url;
    };
    const urls = [await open("harbour"), await open("island")] as const;
    const interrupted = once(process, "SIGINT");
    const executablePath = programs.chromium.find();
    if (executablePath !== undefined) {
      const isSeen = process.platform !== "linux" || "DISPLAY" in process.env || "WAYLAND_DISPLAY" in process.env;
      const browser = await chromium.launch({ executablePath, headless: !isSeen, args: ["--no-sandbox"] });
      lifecycle.atEnd(() => browser.close());
      const ada = await openAppPerson(browser, { url: urls[0], name: "Ada" });
      const ben = await openAppPerson(browser, { url: urls[1], name: "Ben" });
      await ada.createGroup("Ferry");
      const link = await ada.invite();
      await ben.join(link, "Ferry");
      await ada.say("Is the ferry running tomorrow?");
      await ben.sees("Is the ferry running tomorrow?");
      say("ben", "has read what Ada wrote");
      await ben.say("At nine, if the wind allows.");
      await ada.sees("At nine, if the wind allows.");
      say("ada", "has read what Ben wrote");
      say("ferry", `takes you in, too: ${link}`);
    }
    say("relays", "run until you press Ctrl+C. Your browser warns of their certificate, which only this demo knows");
    await interrupted;
  } finally {
    await lifecycle.end();
  }
}
