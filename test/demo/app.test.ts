import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chooseName, entryOf, openPage, say } from "../app/people.js";
import { launchHeadlessShell } from "../support/browser.js";
import { build } from "../support/build.js";
import { demoProgram, startCommand } from "../support/command.js";
import { shareOf } from "../support/shares.js";

const browser: Browser | undefined = await launchHeadlessShell();

let folder = "";
beforeAll(async () => {
  await build("app");
  folder = await mkdtemp(path.join(tmpdir(), "app-demo-test-"));
  await chmod(folder, 0o711);
});
afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

const startDemo = () => startCommand(["--app"], { TMPDIR: folder, HOME: folder }, demoProgram);

test.skipIf(browser === undefined)(
  "two people of two relays talk in the messenger, and take a third one in",
  async () => {
    const demo = startDemo();
    try {
      await demo.printed(/^ben +reads "Is the ferry running tomorrow\?"$/m);
      await demo.printed(/^ada +reads "At nine, if the wind allows\."$/m);
      const [, link = ""] = await demo.printed(/^ferry +takes you in, too: (https:\S+)$/m);
      const cem = (await openPage(browser as Browser, link)).page;
      await chooseName(cem, "Cem");
      await cem.getByRole("navigation").getByRole("button", { name: "Ferry" }).click();
      await cem.getByRole("main").getByText("Ada").waitFor();
      await cem.getByRole("main").getByText("Ben").waitFor();
      await say(cem, "Take me along");
      // The people of the demo have the group open, so they say that they have read it.
      await entryOf(cem, "Read").waitFor();
    } finally {
      demo.kill("SIGINT");
    }
    expect(await demo.ended).toMatchObject({ code: 0, stderr: "" });
    expect((await readdir(folder)).filter((name) => name.startsWith("mls-relay-demo-"))).toEqual([]);
  },
);

const signals = [
  ["is interrupted", "SIGINT"],
  ["is ended", "SIGTERM"],
  ["loses its terminal", "SIGHUP"],
] as const;

test.each(shareOf(signals, 3))("a demo that %s at once removes its data", async (_, signal) => {
  const demo = startDemo();
  await demo.printed(/^island +serves/m);
  demo.kill(signal);
  expect(await demo.ended).toMatchObject({ code: 0, stderr: "" });
  expect((await readdir(folder)).filter((name) => name.startsWith("mls-relay-demo-"))).toEqual([]);
});
