import { rm } from "node:fs/promises";
import path from "node:path";
import { type Browser, chromium } from "playwright-core";
import { createLifecycle } from "../../src/process/lifecycle.js";
import { programs } from "../../test/support/programs.js";
import { createTestAuthority } from "../test-ca/authority.js";
import { openAppPerson } from "./app-people.js";
import { whenAskedToEnd } from "./ended.js";
import type { Say } from "./log.js";
import { newFolder, prepareRelay } from "./relays.js";

/**
 * Two relays with the messenger, and two people who talk in it, in two windows. Without a screen the browser is not seen, without a Chromium
 * there are only the links. All runs until the command is interrupted.
 */
export async function playAppScenario({ say }: { say: Say }): Promise<void> {
  const asked = whenAskedToEnd();
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
    const executablePath = programs.chromium.find();
    if (executablePath !== undefined) {
      const isSeen = process.platform !== "linux" || "DISPLAY" in process.env || "WAYLAND_DISPLAY" in process.env;
      const args = ["--no-sandbox", "--disable-dev-shm-usage"];
      // Otherwise Playwright's own handlers would end the process before the relays have stopped, or keep it from ending.
      const unanswered = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
      const browser = await chromium.launch({ executablePath, headless: !isSeen, args, ...unanswered });
      lifecycle.atEnd(() => browser.close());
      await Promise.race([talk(browser, urls, say), asked]);
    }
    say("relays", "run until you press Ctrl+C. Your browser warns of their certificate, which only this demo knows");
    await asked;
  } finally {
    await lifecycle.end();
  }
}

async function talk(browser: Browser, [harbour, island]: readonly [string, string], say: Say): Promise<void> {
  const ada = await openAppPerson(browser, { url: harbour, name: "Ada" });
  const ben = await openAppPerson(browser, { url: island, name: "Ben" });
  await ada.createGroup("Ferry");
  const link = await ada.invite();
  await ben.join(link, "Ferry");
  for (const { from, to, name, text } of [
    { from: ada, to: ben, name: "ben", text: "Is the ferry running tomorrow?" },
    { from: ben, to: ada, name: "ada", text: "At nine, if the wind allows." },
  ]) {
    await from.say(text);
    await to.sees(text);
    say(name, `reads "${text}"`);
  }
  say("ferry", `takes you in, too: ${link}`);
}
