import type { Browser, Page } from "playwright-core";

/** What a person does with the messenger in a browser, by the English names of its fields and buttons. */
interface AppPerson {
  page: Page;
  createGroup(name: string): Promise<void>;
  /** Resolves with a link of the group that is open. */
  invite(): Promise<string>;
  join(link: string, name: string): Promise<void>;
  say(text: string): Promise<void>;
  /** Waits until a message with this text is shown. */
  sees(text: string): Promise<void>;
}

/** Opens the messenger of a relay in a new profile, and chooses a name. */
export async function openAppPerson(
  browser: Browser,
  { url, name, scheme = "light" }: { url: string; name: string; scheme?: "light" | "dark" },
): Promise<AppPerson> {
  const options = {
    ignoreHTTPSErrors: true,
    locale: "en",
    colorScheme: scheme,
    viewport: { width: 1000, height: 680 },
  };
  const page = await (await browser.newContext(options)).newPage();
  await page.goto(`${url}/app/`);
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("heading", { name, level: 1 }).waitFor();
  return {
    page,
    async createGroup(group) {
      await page.getByRole("button", { name: "New group" }).click();
      await page.getByLabel("Group name").fill(group);
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("heading", { name: group, level: 2 }).waitFor();
    },
    async invite() {
      await page.getByRole("button", { name: "Details" }).click();
      await page.getByRole("button", { name: "Invite people" }).click();
      const link = await page.getByRole("textbox", { name: "Invitation link" }).inputValue();
      await page.getByRole("button", { name: "Close" }).click();
      return link;
    },
    async join(link, group) {
      await page.getByRole("button", { name: "Join by link" }).click();
      await page.getByLabel("Invitation link").fill(link);
      await page.getByRole("button", { name: "Join", exact: true }).click();
      await page.getByRole("navigation").getByRole("button", { name: group }).click();
    },
    async say(text) {
      await page.getByLabel("Message", { exact: true }).fill(text);
      await page.keyboard.press("Enter");
    },
    sees: (text) => page.getByRole("main").getByText(text).first().waitFor(),
  };
}
