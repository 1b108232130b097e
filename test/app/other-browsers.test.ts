import { onTestFinished } from "vitest";
import { type OtherBrowser, otherBrowsers } from "../support/other-browsers.js";
import { isMissing } from "../support/programs.js";
import { shareOf } from "../support/shares.js";
import { until } from "../support/until.js";
import { addressOf, createGroup, entryOf, invite, join, openChat, prepareAppTests, say, signUp } from "./people.js";

const { test, browser, relays } = await prepareAppTests();

/** What a person does, as far as scripts in the page can do it. */
function personIn(page: OtherBrowser) {
  const press = async (label: string) => {
    const find = () =>
      page.run((label) => {
        const buttons = [...document.querySelectorAll<HTMLElement>("button")];
        const named = (button: HTMLElement) => button.ariaLabel ?? button.innerText;
        const found = buttons.findLast((button) => named(button).trim().split("\n").includes(label));
        found?.click();
        return found !== undefined;
      }, label);
    await until(find, `there is a button ${label}`);
  };
  const contentOf = (label: string, value = "") =>
    page.run(
      (label, value) => {
        const fields = [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")];
        const named = (field: (typeof fields)[number]) => field.ariaLabel ?? field.labels?.[0]?.innerText;
        const found = fields.findLast((field) => named(field)?.trim() === label);
        if (found === undefined) return "";
        if (value !== "") found.value = value;
        found.dispatchEvent(new InputEvent("input", { bubbles: true }));
        return found.value;
      },
      label,
      value,
    );
  const type = (label: string, text: string) =>
    until(async () => (await contentOf(label, text)) === text, `there is a field ${label}`);
  return {
    press,
    type,
    /** Resolves with what the field has in it. */
    async read(label: string): Promise<string> {
      await until(async () => (await contentOf(label)) !== "", `there is something in ${label}`);
      return contentOf(label);
    },
    async write(label: string, text: string, button: string): Promise<void> {
      await type(label, text);
      await press(button);
    },
    sees: (text: string) =>
      until(() => page.run((text) => document.body.innerText.includes(text), text), `${text} is shown`),
  };
}

for (const name of shareOf(["firefox", "webkit"] as const, 2)) {
  const isThere = !isMissing(name) && !(name === "webkit" && isMissing("xvfb"));
  test.skipIf(!isThere)(
    `in ${name}, people sign up, make groups, invite, write, read, and go on after a reload`,
    async () => {
      const page = await otherBrowsers[name]();
      onTestFinished(() => page.close());
      await page.open(addressOf(relays[0]));
      const ada = personIn(page);
      await ada.write("Your name", "Ada", "Start");
      await ada.press("New group");
      await ada.write("Group name", "Friends", "Create");
      await ada.press("Details");
      await ada.press("Invite people");
      const link = await ada.read("Invitation link");
      await ada.press("Close");

      const { page: ben } = await signUp(browser, relays[1], "Ben");
      await join(ben, link);
      await openChat(ben, "Friends");
      await ada.sees("Ben joined");
      await say(ben, "Hello Ada, see https://example.org/a");
      await ada.sees("Hello Ada");
      const firstLink = () => page.run(() => document.querySelector<HTMLAnchorElement>(".bubble a")?.href);
      await until(async () => (await firstLink()) === "https://example.org/a", "the address is a link");
      await ada.write("Message", "Hello Ben", "Send");
      await entryOf(ben, "Hello Ben").waitFor();

      await ada.type("Message", "half a sentence");
      // An input method is still choosing the characters.
      await page.run(() => {
        const options = { key: "Enter", keyCode: 229, bubbles: true, cancelable: true };
        document.querySelector("textarea")?.dispatchEvent(new KeyboardEvent("keydown", options));
      });
      await page.open(addressOf(relays[0]));
      await ada.sees("Hello Ada");
      await until(async () => (await ada.read("Message")) === "half a sentence", "the draft is there");
      await ada.write("Message", "Here again", "Send");
      await entryOf(ben, "Here again").waitFor();
      await say(ben, "Welcome back");
      await ada.sees("Welcome back");

      await createGroup(ben, "Second");
      await page.run(
        (hash) => {
          location.hash = hash;
        },
        new URL(await invite(ben)).hash,
      );
      await until(
        () => page.run(() => document.querySelector("h2")?.innerText === "Second"),
        "the group is shown once Ada is in it",
      );
      await until(() => page.run(() => location.hash === ""), "the address bar has no secret");
    },
  );
}
