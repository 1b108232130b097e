import { randomBytes } from "node:crypto";
import { expect, inject, onTestFinished, test } from "vitest";
import { createDatabase } from "../../src/database/pool/pool.js";
import { type Group, memoryStore } from "../../src/groups/index.js";
import { runCommand } from "../support/command.js";
import { createTestDatabase } from "../support/database.js";
import { startRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { groupOf, openDevice, openPerson, roomy, textsOf, untilHas } from "./people.js";

async function copyDatabase(from: string, to: string): Promise<void> {
  const [source, target] = [from, to].map((url) => new URL(url).pathname.slice(1));
  const db = createDatabase({ url: inject("postgresUrl"), poolSize: 1 });
  await db.run(`drop database if exists ${target} with (force)`);
  await db.run(`create database ${target} template ${source}`);
  await db.close();
}

/** A relay of which a backup is made, and which is restored from it. */
async function relayWithBackup() {
  const [live, backup] = [await createTestDatabase(), await createTestDatabase()];
  for (const { db } of [live, backup]) await db.close();
  const masterKey = randomBytes(32).toString("hex");
  const start = () => startRelay({ ...roomy, databaseUrl: live.url, masterKey });
  let relay = await start();
  onTestFinished(async () => {
    await relay.stop();
    for (const { drop } of [live, backup]) await drop();
  });
  const restart = async (between: () => Promise<unknown>) => {
    await relay.stop();
    await between();
    relay = await start();
  };
  return {
    relay: () => relay,
    backUp: () => restart(() => copyDatabase(live.url, backup.url)),
    restore: () =>
      restart(async () => {
        await copyDatabase(backup.url, live.url);
        const env = { DATABASE_URL: live.url, MASTER_KEY: masterKey, DOMAIN: relay.config.domain };
        expect(await runCommand(["after-restore"], env)).toMatchObject({ code: 0 });
      }),
  };
}

test("after their relay was restored from a backup, members have each text once, and go on in a new group", async () => {
  const { relay, backUp, restore } = await relayWithBackup();
  const stores = { Ada: memoryStore(), Ben: memoryStore(), Cem: memoryStore() };
  const open = (name: keyof typeof stores, last = false) =>
    (last ? openPerson : openDevice)(relay(), name, { store: stores[name] });
  let [ada, ben, cem] = [await open("Ada"), await open("Ben"), await open("Cem")];
  const { id } = await ada.create({ name: "Before" });
  const groupOfAda = () => ada.group(id) as Group;
  await groupOfAda().add([ben.address, cem.address]);
  await groupOfAda().send({ text: "one" });
  for (const person of [ben, cem]) await untilHas(await groupOf(person, "Before"), "one");
  await cem.close();
  await groupOfAda().send({ text: "two" });
  await untilHas(ben.group(id) as Group, "two");
  for (const person of [ada, ben]) await person.close();
  await backUp();

  // What the backup does not have.
  [ada, ben] = [await open("Ada"), await open("Ben")];
  await groupOfAda().send({ text: "three" });
  await groupOfAda().rename("After");
  await groupOfAda().send({ text: "four" });
  await untilHas(ben.group(id) as Group, "three", "four");
  for (const person of [ada, ben]) await person.close();
  await restore();

  [ada, ben, cem] = [await open("Ada", true), await open("Ben", true), await open("Cem", true)];
  const [adas, bens, cems] = [ada, ben, cem].map((person) => person.group(id)) as [Group, Group, Group];
  await adas.send({ text: "five" });
  await bens.send({ text: "six" });
  await cems.send({ text: "seven" });
  await untilHas(adas, "six", "seven");
  await untilHas(bens, "five", "seven");
  const sorted = async (group: Group) => (await textsOf(group)).sort();
  for (const group of [adas, bens])
    expect(await sorted(group)).toEqual(["five", "four", "one", "seven", "six", "three", "two"]);
  await untilHas(cems, "two");
  expect(await sorted(cems)).toEqual(["one", "seven", "two"]);

  await expect(adas.rename("Restored")).rejects.toThrow("mustRejoin");
  expect([adas.state, adas.rejoinReason]).toEqual(["mustRejoin", "slots restarted"]);
  await expect(adas.rejoin()).rejects.toThrow("slots restarted");
  // Ben does not know of it yet.
  await bens.send({ text: "seven and a half" });
  await untilHas(adas, "seven and a half");
  const others = adas.members().filter(({ isMe }) => !isMe);
  const next = await ada.create({ name: "Restored" });
  // Devices upload new key packages in place of those that the restored relay has thrown away.
  const add = () => next.add(others.map(({ address, user }) => ({ address, user }))).catch(() => undefined);
  await until(async () => {
    await add();
    return next.members().length === 3;
  }, "all are members");
  await next.send({ text: "eight" });
  for (const person of [ben, cem]) await untilHas(await groupOf(person, "Restored"), "eight");
});
