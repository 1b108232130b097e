import { mkdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { encodeHex } from "../src/protocol/encodings.js";
import { startBusyRelay } from "./demo/busy-relay.js";
import { sayTo } from "./demo/log.js";

// Starts the relay of `npm run demo -- --busy`, and takes a picture of each view of the console:
//
//   npm run build -- console && tsx scripts/console-screenshots.ts [folder; docs/images/console without it]

const project = fileURLToPath(new URL("..", import.meta.url));
const views = [
  "Overview",
  "Devices",
  "Spam reports",
  "Federation",
  "Invites",
  "Configuration",
  "Audit log",
  "Backups",
  "Sessions",
];
const desktop = { width: 1120, height: 720 };
/** The height of the whole overview. */
const tall = { width: 1120, height: 2400 };
/** Down to the end of a new invite. */
const invitePixels = 580;
const dialogPixels = 420;
/** The height of one filter's settings, above the bar that applies changes. */
const settingsWindow = { width: 1120, height: 780 };
const phone = { width: 360, height: 740 };

interface Place {
  url: string;
  adminKey: Uint8Array;
  folder: string;
}

async function takePictures(browser: Browser, { url, adminKey, folder }: Place): Promise<void> {
  const page = await browser.newPage({ viewport: desktop, colorScheme: "light" });
  const picture = (name: string) => takePicture(page, path.join(folder, `${name}.png`));
  await page.goto(`${url}/`);
  await page.getByText("This relay is up.").waitFor();
  await picture("status");
  await page.goto(`${url}/console/`);
  await page.getByRole("button", { name: "Create a key" }).click();
  await page.getByText("mls-relay admin add").waitFor();
  await picture("sign-in");
  await page.getByLabel("Or paste the private key").fill(encodeHex(adminKey));
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await makeBackup(page);
  for (const view of views) {
    await open(page, view);
    if (view === "Overview") await page.setViewportSize(tall);
    if (view === "Configuration") {
      await page.setViewportSize(settingsWindow);
      await page.getByLabel("Filter").fill("queue");
    }
    await picture(view.toLowerCase().replace(" ", "-"));
    await page.setViewportSize(desktop);
  }
  await takeDetails(page, picture);
  await page.getByLabel("Colours").selectOption("dark");
  await open(page, "Overview");
  await picture("overview-dark");
  await page.setViewportSize(phone);
  await settle(page);
  await picture("overview-phone");
  await open(page, "Devices");
  await picture("devices-phone");
}

/** Views of single things: a device, a peer, a new invite, a confirmation before something dangerous. */
async function takeDetails(page: Page, picture: (name: string) => Promise<unknown>): Promise<void> {
  await open(page, "Devices");
  await page.getByLabel("State").selectOption("blocked");
  await settle(page);
  await page.locator(".list a.id").first().click();
  await page.getByText("mls-relay devices unblock").waitFor();
  await picture("device");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.setViewportSize({ ...desktop, height: dialogPixels });
  await picture("delete-device");
  await page.setViewportSize(desktop);
  await page.getByRole("button", { name: "Cancel" }).click();
  await open(page, "Federation");
  await page.getByRole("link", { name: "chat.bulk.example" }).first().click();
  await page.getByText("First contact").waitFor();
  await picture("peer");
  await open(page, "Invites");
  await page.getByRole("button", { name: "Create an invite" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create an invite" }).click();
  await page.getByAltText("The link as a QR code").waitFor();
  await page.setViewportSize({ ...desktop, height: invitePixels });
  await picture("new-invite");
  await page.setViewportSize(desktop);
  await page.getByRole("status").getByRole("button", { name: "Close" }).click();
}

/** The relay checks for requested backups twice a minute. */
async function makeBackup(page: Page): Promise<void> {
  await open(page, "Backups");
  const start = page.getByRole("button", { name: "Start a backup" });
  // The schedule may have made the first one already.
  await start.click();
  // Before the wait: the notice goes by itself after some seconds.
  await page.getByRole("status").getByRole("button", { name: "Close" }).click();
  await page.getByText("An administrator").waitFor({ timeout: 90_000 });
}

/** The window, without the empty part below the content. */
async function takePicture(page: Page, file: string): Promise<void> {
  const { width, height } = page.viewportSize() ?? desktop;
  const content = await page.evaluate(() => {
    const isCovered = document.querySelector("dialog[open], .savebar, .outcome .note") !== null;
    const main = document.querySelector("main");
    return isCovered || main === null ? Number.POSITIVE_INFINITY : main.getBoundingClientRect().bottom + 8;
  });
  await page.screenshot({ path: file, clip: { x: 0, y: 0, width, height: Math.min(height, Math.ceil(content)) } });
}

async function open(page: Page, view: string): Promise<void> {
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: view }).click();
  await page.getByRole("heading", { name: view, level: 1 }).waitFor();
  await settle(page);
}

async function settle(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector(".loading") === null);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

async function main(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const relay = await startBusyRelay(sayTo((line) => console.log(line)));
  const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    await takePictures(browser, { ...relay, folder });
  } finally {
    await browser.close();
    await relay.stop();
  }
}

await main(path.resolve(project, process.argv[2] ?? "docs/images/console"));
