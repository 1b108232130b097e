import { afterAll, beforeAll, expect, test } from "vitest";
import {
  claimKeyPackages,
  epochKeysOf,
  sealMessages,
  sealWelcomeMessage,
  sendSealed,
} from "../../../src/client/index.js";
import { createDatabase } from "../../../src/database/pool/pool.js";
import { encodeBody, encodeContent } from "../../../src/groups/encoding/content.js";
import type { Group, Groups } from "../../../src/groups/index.js";
import { readWelcomes, writeJoinerWelcome } from "../../../src/groups/membership/welcomes.js";
import type { AnyRow } from "../../support/any-row.js";
import { call } from "../../support/api.js";
import { demand } from "../../support/device.js";
import { startRelay, type TestRelay } from "../../support/relay.js";
import { until } from "../../support/until.js";
import { groupOf, openDevice, openPerson, textsOf, untilHas, untilSame } from "../people.js";
import { Mallory, openToBecome } from "./mallory.js";

// Spam reports as a weapon, at the limits that a relay has without settings. Five reports of established devices block a device.

const appUrl = "https://app.example/join";
const untilEstablished = 7 * 3600;
const names = ["A", "B", "C", "D", "E"];

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay();
});
afterAll(() => relay?.stop());

async function read(sql: string, { device }: Groups): Promise<AnyRow[]> {
  const db = createDatabase({ url: relay.databaseUrl, poolSize: 1 });
  const rows = await db.rows<AnyRow>(sql, { id: device.deviceId });
  await db.close();
  return rows;
}

async function stateOf(person: Groups): Promise<AnyRow | undefined> {
  const sql = "select spam_reports, blocked_at is not null as blocked from devices where device_id = :id";
  return (await read(sql, person))[0];
}

/** A group of all, founded by the first. */
async function together(founder: Groups, others: readonly Groups[], name: string): Promise<Group> {
  const group = await founder.create({ name });
  await group.add(others.map(({ address }) => address));
  const theirs = await Promise.all(others.map((one) => groupOf(one, name)));
  await untilSame([group, ...theirs]);
  return group;
}

test("five devices have a silent one answer, and report all of it: that proves nothing", async () => {
  const attackers = await Promise.all(names.map((name) => openDevice(relay, name)));
  const [silent, late] = await Promise.all([openPerson(relay, "Silent"), openPerson(relay, "F")]);
  const [first, ...others] = attackers as [Groups, ...Groups[]];
  const trap = await together(first, [...others, silent], "Trap");
  const silents = silent.group(trap.id) as Group;
  const { link } = await trap.invite({ appUrl, uses: 10 });
  await untilSame([trap, silents]);
  relay.clock.advance(untilEstablished);
  const tokens = attackers.map(({ device }) => device.session()?.accessToken as string);
  // It alone is left to add who comes by the link, and to tell the others.
  for (const attacker of attackers) await attacker.close();
  await late.join(link);
  await groupOf(late, "Trap");
  const answers = "select message_id from messages where device_id = :id";
  const told = async () =>
    (await Promise.all(attackers.map((one) => read(answers, one)))).every(({ length }) => length > 0);
  await until(told, "the silent device has told all of them");
  for (const [at, attacker] of attackers.entries()) {
    for (const { message_id } of await read(answers, attacker)) {
      const body = { message_id, sender_id: silent.device.deviceId, reason: "spam" };
      demand(await call(relay, "reportSpam", { token: tokens[at] as string, body }));
    }
  }
  expect(await stateOf(silent)).toEqual({ spam_reports: 0, blocked: false });
});

test("what a user has written can be reported, and five reports block the device", async () => {
  const readers = await Promise.all(names.map((name) => openPerson(relay, name)));
  const spammer = await openPerson(relay, "Spammer");
  const spammers = await together(spammer, readers, "Offers");
  await spammers.send({ text: "Buy this" });
  relay.clock.advance(untilEstablished);
  for (const reader of readers) {
    const group = reader.group(spammers.id) as Group;
    await untilHas(group, "Buy this");
    const [message] = await group.messages();
    expect(await stateOf(spammer)).toMatchObject({ blocked: false });
    await group.report(message?.id as string, { details: "They wrote: Buy this" });
  }
  expect(await stateOf(spammer)).toEqual({ spam_reports: 5, blocked: true });
  const mine = (await spammers.messages())[0]?.id as string;
  await expect(spammers.report(mine)).rejects.toThrow("their own");
});

test("a text that nobody could report is shown to nobody", async () => {
  const ada = await openPerson(relay, "Ada");
  const { groups: mallory, store } = await openToBecome(relay, "Mallory");
  const adas = await together(ada, [mallory], "Tricks");
  await mallory.close();
  const hers = await Mallory.from(relay, store, adas.id);
  const keys = await epochKeysOf(hers.mls.exporterOf(hers.state));
  const { device } = hers.carrier;
  const write = async (text: string, how: "hidden" | "wrong" | "right") => {
    const said = { type: "text", text, message_id: `${text}`, sent_at_millis: Date.now() } as const;
    const { state, message } = await hers.mls.encrypt(hers.state, encodeBody(said));
    hers.state = state;
    const content =
      how === "hidden"
        ? { content: encodeContent({ kind: "mls", message }), isAutomatic: true }
        : {
            content: (right: Uint8Array) =>
              encodeContent({ kind: "mls", message, handle: how === "right" ? right : new Uint8Array(16) }),
          };
    await sendSealed(device, await sealMessages({ to: [ada.address], keys, ...content }, device.connection));
  };
  await write("without a handle", "hidden");
  await write("with another", "wrong");
  await write("with its handle", "right");
  await untilHas(adas, "with its handle");
  expect(await textsOf(adas)).toEqual(["with its handle"]);
});

test("an invitation that nobody has asked for, and could report, is none", async () => {
  const ada = await openPerson(relay, "Ada");
  const { groups: mallory, store } = await openToBecome(relay, "Mallory");
  const lure = await mallory.create({ name: "Lure" });
  await mallory.close();
  const hers = await Mallory.from(relay, store, lure.id);
  const { device } = hers.carrier;
  const invite = async (isAutomatic: boolean) => {
    const [claimed] = await claimKeyPackages(device, [ada.address]);
    const { keyPackage } = claimed as { keyPackage: Uint8Array };
    const made = await hers.mls.commit(hers.state, { add: [keyPackage] });
    const { initKey } = await hers.mls.readKeyPackage(keyPackage);
    const welcomes = readWelcomes(made.welcome as Uint8Array);
    const write = (handle?: Uint8Array) => writeJoinerWelcome(welcomes, welcomes.secrets[0] as Uint8Array, { handle });
    const sealed = isAutomatic ? { welcome: write(), isAutomatic } : { welcome: write };
    const recipient = { cipherSuite: 1, initKey };
    await sendSealed(device, [await sealWelcomeMessage({ to: ada.address, recipient, ...sealed }, device.connection)]);
  };
  await invite(true);
  const seen = async () => (await read("select message_id from messages where device_id = :id", ada)).length === 0;
  await until(seen, "Ada has the Welcome");
  expect(ada.groups()).toEqual([]);
  await invite(false);
  await groupOf(ada, "Lure");
});
