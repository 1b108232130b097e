import { expect } from "vitest";
import { expectAccessible } from "../console/harness.js";
import { mlsWith, openPerson } from "../groups/people.js";
import { until } from "../support/until.js";
import {
  addressOf,
  createGroup,
  entryOf,
  invite,
  join,
  openChat,
  openFriends,
  prepareAppTests,
  say,
  signUp,
} from "./people.js";

const { test, browser, relays } = await prepareAppTests();

test("one tab at a time has the account, and the other one can take it over", async () => {
  const { page, context } = await signUp(browser, relays[0], "Ada");
  await createGroup(page, "Notes");
  const second = await context.newPage();
  await second.goto(page.url());
  await second.getByRole("button", { name: "Use it here" }).click();
  const notes = (one: typeof page) => one.getByRole("navigation").getByRole("button", { name: "Notes" });
  await notes(second).waitFor();
  // One click is enough each time.
  for (const taking of [page, second, page]) {
    await taking.getByRole("button", { name: "Use it here" }).click();
    await notes(taking).waitFor();
  }
});

test("a founder renames the group, lets messages disappear, appoints somebody, leaves and deletes the chat", async () => {
  const { ada, ben } = await openFriends(browser, relays);
  ada.on("dialog", (dialog) => void dialog.accept());
  await ada.getByRole("button", { name: "Details" }).click();
  const details = ada.getByRole("dialog");
  await details.getByLabel("Group name").fill("Best friends");
  await details.getByRole("button", { name: "Rename" }).click();
  await ben.getByRole("heading", { name: "Best friends", level: 2 }).waitFor();
  await details.getByLabel("New messages disappear after").selectOption({ label: "1 day" });
  await ben.getByText("Ada set new messages to disappear after 1 day").waitFor();
  await details.getByRole("button", { name: "Leave group" }).click();
  await details.getByText("Make another member an administrator before you leave.").waitFor();
  const appoint = { name: "Make Ben an administrator" };
  await details.getByRole("button", appoint).click();
  await details.getByRole("button", { ...appoint, pressed: true }).waitFor();
  await details.getByRole("button", { name: "Leave group" }).click();
  await ada.getByRole("button", { name: "Delete chat" }).click();
  await ada.getByText("Choose a chat").waitFor();
  await ben.getByText("Ada is no longer in the group").waitFor();
  await ada.reload();
  await ada.getByText("No chats yet").waitFor();
});

test("people see who types, what was delivered, and compare their safety numbers", async () => {
  const { page: ada } = await signUp(browser, relays[0], "Ada");
  const { page: ben } = await signUp(browser, relays[1], "Ben");
  await createGroup(ada, "Friends");
  await join(ben, await invite(ada));
  // A person who has asked to join sees the group once it is there.
  await ben.getByRole("heading", { name: "Friends", level: 2 }).waitFor();
  await createGroup(ben, "Notes");
  await say(ada, "Hello Ben");
  await entryOf(ada, "Delivered").waitFor();
  await ada.reload();
  await openChat(ada, "Friends");
  await entryOf(ada, "Delivered").waitFor();
  await openChat(ben, "Friends");
  await entryOf(ada, "Read").waitFor();

  await ben.getByLabel("Message", { exact: true }).pressSequentially("Hel");
  await ada.getByText("Ben is typing").waitFor();
  await say(ben, "Hello Ada");
  await ada.getByText("Ben is typing").waitFor({ state: "detached" });

  const digits: (string | null)[] = [];
  for (const [page, other] of [
    [ada, "Ben"],
    [ben, "Ada"],
  ] as const) {
    await page.getByRole("button", { name: "Details" }).click();
    await page.getByRole("button", { name: `Verify ${other}` }).click();
    digits.push(await page.locator(".digits").textContent());
    await page.getByRole("button", { name: "The numbers match" }).click();
    await page.getByText("✓ verified").waitFor();
    await expectAccessible(page);
  }
  expect(digits[0]).toMatch(/^(\d{5} ?){12}$/);
  expect(digits[1]).toBe(digits[0]);
});

test("whatever others call themselves, their groups and files, and whatever they allow, a person reads the rest", async () => {
  const [relay] = relays;
  const { page: ben } = await signUp(browser, relay, "Ben");
  await ben.getByRole("button", { name: "Account" }).click();
  const address = (await ben.getByRole("dialog").locator(".address").textContent()) ?? "";
  await ben.getByRole("button", { name: "Close" }).click();
  let said: object = {};
  const mls = mlsWith("encrypt", (mls) => (state, given) => {
    const content = { ...JSON.parse(new TextDecoder().decode(given)), ...said };
    return mls.encrypt(state, new TextEncoder().encode(JSON.stringify(content)));
  });
  const eve = await openPerson(relay, "Eve\u202e\u200b", { mls });
  const quiet = await eve.create({ name: "Quiet", everyone: [] });
  const loud = await eve.create({ name: "名".repeat(4_000) });
  for (const group of [quiet, loud]) await group.add([address]);
  await quiet.send({ text: "before" });
  for (const millis of [9_007_199_254_740_991, 253_402_300_799_999, 0]) {
    said = { sent_at_millis: millis };
    await quiet.send({ text: `at ${millis}` });
  }
  said = { name: "photo\u202egpj.exe" };
  await quiet.attach(new Blob(["a"]), { name: "a", mediaType: "text/plain" });
  said = {};
  await quiet.send({ text: "after" });
  await openChat(ben, "Quiet");
  // A stranger's group is a request.
  await ben.getByText("Eve\ufffd\ufffd added you to this group of 2.").waitFor();
  await ben.getByRole("button", { name: "Decline" }).waitFor();
  expect(await ben.getByLabel("Message", { exact: true }).count()).toBe(0);
  await ben.getByRole("button", { name: "Accept" }).click();
  for (const text of ["before", "at 253402300799999", "at 0", "after"]) await entryOf(ben, text).waitFor();
  await ben.getByRole("button", { name: "Download photo\ufffdgpj.exe" }).waitFor();
  // What they may not do is not offered.
  await ben.getByText("You can read messages in this group, but not send any.").waitFor();
  expect(await ben.getByLabel("Message", { exact: true }).count()).toBe(0);
  expect(await ben.getByRole("button", { name: "React or reply" }).count()).toBe(0);
  await ben.getByRole("button", { name: "Details" }).click();
  await ben.getByRole("button", { name: "Leave group" }).waitFor();
  expect(await ben.getByRole("button", { name: "Invite people" }).count()).toBe(0);
  expect(await ben.getByRole("button", { name: /^Remove/ }).count()).toBe(0);
  await ben.getByRole("button", { name: "Close" }).click();
  // A name of any length leaves the page usable.
  await openChat(ben, "名名名");
  await ben.getByRole("button", { name: "Accept" }).click();
  await say(ben, "Hello Eve");
  await entryOf(ben, "Hello Eve").waitFor();
  await ben.getByRole("button", { name: "Details" }).click();
  await ben.getByRole("button", { name: "Invite people" }).click();
  await ben.getByRole("textbox", { name: "Invitation link" }).waitFor();
  await ben.getByRole("img", { name: "Invitation link" }).waitFor();
});

test("a message is read when it has been in view, and not before", async () => {
  const [relay] = relays;
  const { page: ben } = await signUp(browser, relay, "Ben");
  const eve = await openPerson(relay, "Eve");
  const group = await eve.create({ name: "Long" });
  const { link } = await group.invite({ appUrl: addressOf(relay) });
  await join(ben, link);
  await ben.getByRole("heading", { name: "Long", level: 2 }).waitFor();
  for (let at = 0; at < 40; at++) await group.send({ text: `line ${at}` });
  await entryOf(ben, "line 39").waitFor();
  await ben.getByRole("list", { name: "Messages" }).evaluate((list) => list.scrollTo(0, 0));
  await ben.getByRole("button", { name: "Newest messages" }).waitFor();
  const { id } = await group.send({ text: "news" });
  const receiptOf = async () => Object.values((await group.messages()).find((one) => one.id === id)?.receipts ?? {})[0];
  await until(async () => (await receiptOf()) !== undefined, "Eve knows that it is there");
  expect(await receiptOf()).toBe("delivered");
  await ben.getByRole("button", { name: "Newest messages" }).click();
  await until(async () => (await receiptOf()) === "read", "Eve knows that it was read");
});

test("people see and end invitations, and decide whether a person who was removed comes back", async () => {
  const [relay] = relays;
  const { page: ada } = await signUp(browser, relay, "Ada");
  const ben = await openPerson(relay, "Ben");
  await createGroup(ada, "Door");
  const link = await invite(ada);
  const isIn = async () => ben.groups()[0]?.state === "active";
  await ben.join(link);
  await until(isIn, "Ben is in");
  const remove = async (endsInvitations: boolean) => {
    const answers = [true, endsInvitations];
    ada.on("dialog", (dialog) => void (answers.shift() ? dialog.accept() : dialog.dismiss()));
    await ada.getByRole("button", { name: "Details" }).click();
    await ada.getByRole("button", { name: "Remove Ben" }).click();
    await until(async () => answers.length === 0, "Ada was asked about the invitations");
    ada.removeAllListeners("dialog");
    await until(async () => !(await isIn()), "Ben is out");
  };
  await remove(false);
  await ada.getByText("For 99 more people").waitFor();
  await ada.getByRole("button", { name: "Close" }).click();
  const refusals: string[] = [];
  ben.subscribe((event) => event.type === "joinRefused" && refusals.push(event.name));
  await ben.join(link);
  await ada.getByText("Ben was removed from this group and is asking to join again.").waitFor();
  await expectAccessible(ada);
  await ada.getByRole("button", { name: "Refuse" }).click();
  await until(async () => refusals.length === 1, "Ben is told");
  await ben.join(link);
  await ada.getByRole("button", { name: "Let in" }).click();
  await until(isIn, "Ben is in again");
  await ada.getByRole("button", { name: "Let in" }).waitFor({ state: "detached" });
  await ada.getByRole("button", { name: "Details" }).click();
  await ada.getByRole("button", { name: "End this invitation" }).click();
  await ada.getByText("For 98 more people").waitFor({ state: "detached" });
  await ada.getByRole("button", { name: "Close" }).click();
  await invite(ada);
  await remove(true);
  await ada.getByRole("region", { name: "Invitations" }).waitFor({ state: "detached" });
});
