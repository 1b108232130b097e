import { mkdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { findFreePort } from "../src/platform/net/free-port.js";
import { openAppPerson } from "./demo/app-people.js";
import { startOwnRelay } from "./demo/relays.js";

// Takes a picture of each view of the messenger, in both colour schemes and two widths:
//
//   npm run build -- app && tsx scripts/app-screenshots.ts [folder; docs/images/app without it]

const project = fileURLToPath(new URL("..", import.meta.url));
const sizes = { desktop: { width: 1000, height: 640 }, phone: { width: 390, height: 740 } };

async function takePictures(page: Page, name: string, folder: string): Promise<void> {
  for (const [width, size] of Object.entries(sizes)) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: path.join(folder, `${name}-${width}-${colorScheme}.png`) });
    }
  }
  await page.setViewportSize(sizes.desktop);
}

async function main(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // Browsers call the relay by the name that it gives itself.
  const port = await findFreePort();
  const domain = `localhost:${port}`;
  const own = { PRESET: "development", PORT: String(port), DOMAIN: domain, BASE_URL: `http://${domain}` };
  const relay = { ...(await startOwnRelay(own)), url: own.BASE_URL };
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const stranger = await (await browser.newContext({ locale: "en" })).newPage();
    await stranger.goto(`${relay.url}/app/`);
    await stranger.getByLabel("Your name").waitFor();
    await takePictures(stranger, "welcome", folder);
    await stranger.getByRole("button", { name: "Link this device" }).click();
    await stranger.getByRole("img", { name: "This device's code" }).waitFor();
    await takePictures(stranger, "link", folder);

    const ada = await openAppPerson(browser, { url: relay.url, name: "Ada" });
    const ben = await openAppPerson(browser, { url: relay.url, name: "Ben" });
    await ada.createGroup("Book club");
    await ada.say("Chapter three is about letters that nobody else could read.");
    await ada.createGroup("Ferry to the island");
    await ben.join(await ada.invite(), "Ferry to the island");
    await ada.say("Is the ferry running tomorrow?");
    await ben.sees("Is the ferry running tomorrow?");
    await ben.say("At nine, if the wind allows. Shall I bring anything?");
    await ada.sees("At nine, if the wind allows.");
    await ada.say("Bread, please");
    await ben.sees("Bread, please");
    const entry = ben.page.getByRole("main").getByRole("listitem").filter({ hasText: "Bread, please" });
    await entry.getByRole("button", { name: "React or reply" }).click();
    await entry.getByRole("button", { name: "❤️" }).click();
    await ben.say("With butter. See you at the pier");
    await ada.sees("With butter");
    await ada.page.getByRole("button", { name: "❤️ 1" }).waitFor();
    await ada.page.locator(".badge").waitFor({ state: "detached" });
    await takePictures(ada.page, "chat", folder);
    await takePictures(ben.page, "tools", folder);
    await ada.page.getByLabel("Search messages").fill("the");
    await ada.page.getByText("messages found").waitFor();
    await ada.page.setViewportSize(sizes.phone);
    await ada.page.getByRole("button", { name: "Back to chats" }).click();
    await takePictures(ada.page, "chats", folder);
    await ada.page.getByLabel("Search messages").fill("");
    await ada.page.getByRole("button", { name: "Account" }).click();
    await ada.page.getByRole("button", { name: "Your contact link" }).click();
    await ada.page.getByRole("img", { name: "Your contact link" }).waitFor();
    await takePictures(ada.page, "account", folder);
    await ada.page.getByRole("button", { name: "Status of this device" }).click();
    await ada.page.getByText("Nothing is waiting.").waitFor();
    await takePictures(ada.page, "status", folder);
    await ada.page.getByRole("button", { name: "Close" }).click();
    await ada.page.getByRole("navigation").getByRole("button", { name: "Ferry" }).click();
    await ada.page.getByRole("button", { name: "Details" }).click();
    await ada.page.getByRole("button", { name: "Verify Ben" }).click();
    await takePictures(ada.page, "verify", folder);
    await ada.page.getByRole("button", { name: "The numbers match" }).click();
    await ada.page.getByRole("button", { name: "Invite people" }).click();
    await ada.page.getByRole("img", { name: "Invitation link" }).waitFor();
    await takePictures(ada.page, "invite", folder);
  } finally {
    await browser.close();
    await relay.stop();
  }
}

await main(path.resolve(project, process.argv[2] ?? "docs/images/app"));
