import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Installation, installClient } from "../client/installed-package.js";
import { isMissing, programs } from "../support/programs.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { until } from "../support/until.js";
import { openPerson, roomy, textsOf, untilHas } from "./people.js";

let relay: TestRelay;
let groups: Installation;
beforeAll(async () => {
  groups = await installClient("@mls-relay/groups");
  relay = await startRelay({
    ...roomy,
    domain: "localhost:8080",
    baseUrl: "http://localhost:8080",
    seeds: { ...roomy.seeds, SEED_REGISTRATION_PROOF_OF_WORK_DIFFICULTY: "10000" },
  });
});
afterAll(async () => {
  await relay?.stop();
  await groups?.remove();
});

type Answering = (message: string) => {
  action: "accept" | "decline";
  content?: Partial<Record<"send" | "join", boolean>>;
};

interface Started {
  client: Client;
  store: string;
  /** The answer of a tool, and whether it is an error. */
  call(name: string, given?: object): Promise<{ isError: boolean; text: string }>;
  address: string;
}

/** Starts the server as the page says, and connects the SDK's client. */
async function startServer(args: readonly string[] = [], elicits?: Answering): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), "mls-relay-mcp-"));
  const store = join(folder, "agent.db");
  const program = join(groups.folder, "node_modules/@mls-relay/groups/dist/mcp.js");
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: elicits === undefined ? {} : { elicitation: {} } },
  );
  if (elicits !== undefined)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => elicits(params.message));
  const command = programs["node-24"].find() ?? "";
  const own = [program, "mcp", "--relay", relay.url, "--name", "Agent", "--store", store];
  await client.connect(new StdioClientTransport({ command, args: [...own, ...args] }), { timeout: 600_000 });
  onTestFinished(async () => {
    await client.close();
    await rm(folder, { recursive: true, force: true });
  });
  const call: Started["call"] = async (name, given = {}) => {
    const { isError, content } = await client.callTool({ name, arguments: { ...given } }, undefined, {
      timeout: 600_000,
    });
    return { isError: isError === true, text: (content as { text: string }[])[0]?.text ?? "" };
  };
  const { address } = JSON.parse((await call("list_groups")).text);
  return { client, store, call, address };
}

/** A group with Ada, who has added an agent, and the agent, who has joined. */
async function withAda({ call, address }: Started, name: string) {
  const ada = await openPerson(relay, "Ada", { admission: undefined });
  const group = await ada.create({ name });
  await group.add([address]);
  const isIn = async () => JSON.parse((await call("list_groups")).text).groups.length === 1;
  await until(isIn, "the agent is in the group");
  expect(await call("join_group", { group: group.id })).toMatchObject({ isError: false });
  return { ada, group };
}

describe.skipIf(isMissing("node-24"))("an agent by the Model Context Protocol", () => {
  test("lists, reads, and writes what its user has confirmed", async () => {
    const questions: string[] = [];
    const server = await startServer([], (message) => {
      questions.push(message);
      if (message.startsWith("Join")) return { action: "accept", content: { join: !message.includes("Lure") } };
      return message.includes("I agree")
        ? { action: "accept", content: { send: true } }
        : message.includes("unsure")
          ? { action: "accept", content: { send: false } }
          : { action: "decline" };
    });
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      "join_group",
      "list_groups",
      "read_messages",
      "send_message",
    ]);
    const { ada, group } = await withAda(server, "Agents");
    expect(JSON.parse((await server.call("list_groups")).text)).toMatchObject({
      name: "Agent",
      groups: [
        { id: group.id, name: "Agents", state: "active", members: [{ name: "Ada" }, { name: "Agent", isMe: true }] },
      ],
    });
    const first = await group.send({ text: "Do you agree?" });
    const read = async () => JSON.parse((await server.call("read_messages", { group: group.id })).text).messages;
    await until(async () => (await read()).length === 1, "the agent has the text");
    expect(await read()).toMatchObject([{ id: first.id, from: { name: "Ada" }, text: "Do you agree?", isMine: false }]);

    for (const text of ["I do not", "I am unsure"])
      expect(await server.call("send_message", { group: group.id, text })).toEqual({
        isError: true,
        text: "not sent: it was not confirmed",
      });
    const given = { group: group.id, text: "I agree", reply_to: first.id };
    const { isError, text } = await server.call("send_message", given);
    expect([isError, JSON.parse(text)]).toMatchObject([false, { sent: { text: "I agree", replyTo: first.id } }]);
    await untilHas(group, "I agree");
    expect(await textsOf(group)).toEqual(["Do you agree?", "I agree"]);
    const of = `the group "Agents"?\nAdded by: "Ada", whose user key is ${ada.user}\nMembers (2): "Ada", "Agent"\nAdministrators: none\nId: ${group.id}`;
    const about = `Send to ${of}\nThe text:`;
    expect(questions).toEqual([
      `Join ${of}`,
      ...["I do not", "I am unsure", "I agree"].map((one) => `${about}\n\n${one}`),
    ]);
    const odd = { group: group.id, text: "unsure\u202egpj\u{e0041}\nA: 👩‍💻" };
    expect((await server.call("send_message", odd)).isError).toBe(true);
    expect(questions.at(-1)).toBe(`${about}\n\nunsure[U+202E]gpj[U+E0041]\nA: 👩‍💻`);
    await group.send({ text: "hidden\u{e0041}\u200b" });
    for (let sent = 0; sent < 12; sent += 1) await group.send({ text: "x".repeat(20_000) });
    await until(async () => (await read()).length === 9, "what fits is read");
    expect(JSON.parse((await server.call("read_messages", { group: group.id })).text).leftOut).toBeGreaterThan(0);
    const [hidden] = JSON.parse(
      (await server.call("read_messages", { group: group.id, before: (await read())[0].seq, limit: 4 })).text,
    ).messages;
    expect(hidden.text).toBe("hidden[U+E0041][U+200B]");
    const eve = await openPerson(relay, "Eve", { admission: undefined });
    const lure = await eve.create({ name: "Lure" });
    await lure.add([server.address]);
    const listed = async () => JSON.parse((await server.call("list_groups")).text).groups;
    await until(async () => (await listed()).length === 2, "the agent is asked");
    const refused = { isError: true, text: "not joined: it was not confirmed" };
    expect(await server.call("join_group", { group: lure.id })).toEqual(refused);
  });

  test("joins no group of strangers, and sends nothing, if nobody can be asked", async () => {
    const ada = await openPerson(relay, "Ada", { admission: undefined });
    const known = await ada.create({ name: "By link" });
    const { link } = await known.invite({ appUrl: "https://app.example/join" });
    const server = await startServer(["--join", link]);
    const listed = async () => JSON.parse((await server.call("list_groups")).text).groups;
    await until(async () => (await listed()).length === 1, "the agent has joined");
    const cannotAsk = { isError: true, text: expect.stringContaining("cannot ask its user") };
    expect(await server.call("send_message", { group: known.id, text: "Hello" })).toEqual(cannotAsk);
    expect(JSON.parse((await server.call("read_messages", { group: known.id })).text)).toEqual({ messages: [] });
    const eve = await openPerson(relay, "Eve", { admission: undefined });
    const lure = await eve.create({ name: "By link" });
    await lure.add([server.address]);
    await until(async () => (await listed()).length === 2, "the agent is asked");
    expect((await listed())[0]).toMatchObject({ consent: "unknown", invitedBy: { user: eve.user, name: "Eve" } });
    const group = { group: lure.id };
    expect(await server.call("join_group", group)).toEqual(cannotAsk);
    const mustJoin = { isError: true, text: expect.stringContaining("join_group first") };
    expect(await server.call("read_messages", group)).toEqual(mustJoin);
    expect(await server.call("send_message", { ...group, text: "Hello" })).toEqual(mustJoin);
  });

  test("asks a command, of which only the exit code 0 confirms", async () => {
    const script = join(groups.folder, "confirm.sh");
    const seen = join(groups.folder, "seen.json");
    await writeFile(script, `#!/bin/sh\ncat > ${seen}\necho asked\ngrep -qE '"text":"yes"|"join":true' ${seen}\n`);
    await chmod(script, 0o755);
    const server = await startServer(["--confirm", script]);
    const { ada, group } = await withAda(server, "Commands");
    expect((await server.call("send_message", { group: group.id, text: "no" })).isError).toBe(true);
    expect((await server.call("send_message", { group: group.id, text: "yes" })).isError).toBe(false);
    expect(JSON.parse(await readFile(seen, "utf8"))).toEqual({
      group: {
        id: group.id,
        name: "Commands",
        invitedBy: { user: ada.user, name: "Ada" },
        administrators: [],
        members: ["Ada", "Agent"],
      },
      text: "yes",
    });
    await untilHas(group, "yes");
    expect(await textsOf(group)).toEqual(["yes"]);
    // A command that does not exist confirms nothing.
    const other = await startServer(["--confirm", "/nowhere/confirm"]);
    const second = await ada.create({ name: "Missing" });
    await second.add([other.address]);
    const isIn = async () => JSON.parse((await other.call("list_groups")).text).groups.length === 1;
    await until(isIn, "the agent is asked");
    expect((await other.call("join_group", { group: second.id })).isError).toBe(true);
  });

  test("shows how it is called", async () => {
    const program = join(groups.folder, "node_modules/@mls-relay/groups/dist/mcp.js");
    const { stdout } = await promisify(execFile)(programs["node-24"].find() ?? "", [program, "--help"]);
    expect(stdout).toMatch(/^Usage: mls-relay-groups mcp .*--store FILE /);
  });

  test("ends in peace when nobody reads its answers any more", async () => {
    const folder = await mkdtemp(join(tmpdir(), "mls-relay-mcp-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const program = join(groups.folder, "node_modules/@mls-relay/groups/dist/mcp.js");
    const args = [program, "mcp", "--relay", relay.url, "--name", "Agent", "--store", join(folder, "agent.db")];
    const child = spawn(programs["node-24"].find() ?? "", args);
    let said = "";
    child.stderr.on("data", (text) => {
      said += text;
    });
    child.stdin.on("error", () => undefined);
    await until(async () => said.includes("Agent is"), "it has started");
    child.stdout.destroy();
    for (let id = 0; id < 100; id++) child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`);
    const [code] = await once(child, "close");
    expect([code, said]).toEqual([0, expect.not.stringContaining("EPIPE")]);
  });

  test("joins by a link, refuses what is no group, and starts again with the same arguments", async () => {
    const ada = await openPerson(relay, "Ada", { admission: undefined });
    const group = await ada.create({ name: "By link" });
    const { link } = await group.invite({ appUrl: "https://app.example/join", uses: 2 });
    const server = await startServer(["--join", link, "--confirm", "true"]);
    const listed = async () => JSON.parse((await server.call("list_groups")).text).groups;
    await until(async () => (await listed()).length === 1, "the agent has joined");
    const refused = await server.call("send_message", { group: "none", text: "Hello" });
    expect(refused).toEqual({ isError: true, text: "there is no group none: list_groups has their ids" });
    expect((await server.call("send_message", { group: group.id, text: "" })).isError).toBe(true);
    await server.client.close();
    const again = new Client({ name: "test", version: "1" });
    const program = join(groups.folder, "node_modules/@mls-relay/groups/dist/mcp.js");
    const args = [program, "mcp", "--relay", relay.url, "--name", "Agent", "--store", server.store, "--join", link];
    const command = programs["node-24"].find() ?? "";
    await again.connect(new StdioClientTransport({ command, args }), { timeout: 600_000 });
    const { content } = await again.callTool({ name: "list_groups" });
    expect(JSON.parse((content as { text: string }[])[0]?.text ?? "")).toMatchObject({ groups: [{ name: "By link" }] });
    await again.close();
  });
});
