import { randomBytes } from "node:crypto";
import { routes } from "../../generated/routes.js";
import { createSystemClock } from "../../src/node/clock.js";
import { type TakingKey, takingKeyFrom } from "../../src/protocol/taking-key.js";
import { removeExpiredSlots } from "../../src/slots/expiry.js";
import { readSlot, type StoredSlot } from "../../src/slots/store.js";
import { type Answer, call } from "../../test/support/api.js";
import { newDevice, type TestDevice } from "../../test/support/device.js";
import type { TestRelay } from "../../test/support/relay.js";
import { demand, expectSame, stepByStep } from "./comparison.js";
import { sendHalf } from "./half-request.js";
import { type Step, textOf } from "./itf.js";
import type { ReplayNodes } from "./replay-nodes.js";

// Repeats a run of `spec/model/slots.qnt` with a relay, and compares after every step.
//
// A request is sent when the model reads the slot. A node that has found it free stops before it inserts the slot, and again before
// it commits. The backup is the slot's row: what `mls-relay restore` loads is tested in `test/backup`.

interface SlotsState {
  database: { slot: { state: string; content: string }; lock: string };
  nodes: { up: string[]; doing: Record<string, Work> };
}
interface Work {
  phase: string;
  content: string;
  found: string;
}

const refusals: Record<string, [number, string]> = {
  expired: [410, "SLOT_EXPIRED"],
  restarted: [410, "SLOTS_RESTARTED"],
  unsigned: [403, "INVALID_SIGNATURE"],
};

type SlotStep = Step<SlotsState>;
type Taken = Answer<Record<string, unknown>>;

/** Throws the first difference. */
export async function replaySlotsRun(steps: readonly SlotStep[], nodes: ReplayNodes): Promise<void> {
  for (const node of ["a", "b"]) if (!nodes.isUp(node)) await nodes.restart(node);
  const relay = { ...nodes.target("a") };
  const member = await newDevice(relay as TestRelay);
  const { server, slots } = (await call(nodes.target("a"), "getDiscovery")).body;
  const key = takingKeyFrom(new Uint8Array(randomBytes(32)), server);
  const replay = new SlotsReplay(nodes, member, { relay, key, slotKey: slots?.key ?? "" });
  try {
    await replay.begin();
    await stepByStep(steps, {
      describe: (step) => `${step.action} ${textOf(step, "node")} ${textOf(step, "content")}`,
      async take(step) {
        await replay.take(step);
        await replay.compare(step.after);
      },
    });
  } finally {
    await replay.end();
  }
}

class SlotsReplay {
  private readonly key: TakingKey;
  private readonly slot: Buffer;
  private readonly contents = new Map<string, Buffer>();
  /** By their nodes. */
  private readonly requests = new Map<string, Promise<Taken>>();
  private backup: (StoredSlot & { forgetAt: number }) | undefined;
  private readonly nodes: ReplayNodes;
  private readonly member: TestDevice;
  /** Where the member announces itself. */
  private readonly relay: ReturnType<ReplayNodes["target"]>;
  /** What the group expects. */
  private readonly slotKey: string;

  constructor(
    nodes: ReplayNodes,
    member: TestDevice,
    { relay, key, slotKey }: { relay: ReturnType<ReplayNodes["target"]>; key: TakingKey; slotKey: string },
  ) {
    this.key = key;
    this.slot = Buffer.from(key.slot, "hex");
    this.nodes = nodes;
    this.member = member;
    this.relay = relay;
    this.slotKey = slotKey;
  }

  async begin(): Promise<void> {
    for (const node of ["a", "b"]) await this.closeGates(node);
  }

  async take(step: SlotStep): Promise<void> {
    const { action, before, after } = step;
    const node = textOf(step, "node");
    const work = before.nodes.doing[node];
    switch (action) {
      // A node that finds the slot inserted reads it at once, so it goes on when the model reads.
      case "ask":
      case "readAgain":
      case "endGroup":
        return;
      case "read":
        return this.read(node, demand(work), demand(after.nodes.doing[node]));
      case "insert":
        await this.pass("insertSlot", node, () => this.nodes.gates.reached("commitSlot", this.nodes.numberOf(node)));
        return;
      case "commit":
        return this.pass("commitSlot", node, () => this.requests.get(node));
      case "answerWon":
        return this.expectAnswer(node, { status: 200, won: true, error: undefined });
      case "answerLost":
        return this.expectLost(node, demand(work));
      case "refuse": {
        const [status, error] = demand(refusals[work?.phase ?? ""]);
        return this.expectAnswer(node, { status, won: undefined, error });
      }
      case "expire":
        return this.letPass("expires_at");
      case "forget":
        return this.letPass("forget_at");
      case "crash":
        return this.crash(node, demand(work));
      case "restart":
        await this.nodes.restart(node);
        return this.closeGates(node);
      case "crashDatabase":
        return this.crashDatabase(before);
      case "backUp":
        this.backup = await this.readRow();
        return;
      case "restore":
        return this.restore();
      default:
        throw new Error(`the model has a new action: ${action}`);
    }
  }

  /** The database holds what the model's does, and the same node has inserted the slot. */
  async compare({ database }: SlotsState): Promise<void> {
    const found = await this.readRow();
    const content = found?.content ?? undefined;
    const state = found === undefined ? "none" : content === undefined ? "expired" : "taken";
    const name = content === undefined ? "" : this.nameOf(content);
    const expected = ["free", "forgotten"].includes(database.slot.state) ? "none" : database.slot.state;
    expectSame("the slot", [state, name], [expected, database.slot.content]);
    if (database.lock !== "") {
      await this.nodes.gates.reached("commitSlot", this.nodes.numberOf(database.lock));
    }
  }

  async end(): Promise<void> {
    const { gates } = this.nodes;
    for (const node of ["a", "b"]) {
      if (!this.nodes.isUp(node)) continue;
      for (const gate of ["insertSlot", "commitSlot"] as const) await gates.open(gate, this.nodes.numberOf(node));
    }
    await Promise.allSettled(this.requests.values());
  }

  private async closeGates(node: string): Promise<void> {
    const number = this.nodes.numberOf(node);
    for (const gate of ["insertSlot", "commitSlot"] as const) await this.nodes.gates.close(gate, number);
  }

  /** Lets the node through the gate until that has come. */
  private async pass(gate: "insertSlot" | "commitSlot", node: string, until: () => Promise<unknown> | undefined) {
    const number = this.nodes.numberOf(node);
    await this.nodes.gates.open(gate, number);
    await until();
    await this.nodes.gates.close(gate, number);
  }

  private async read(node: string, { content }: Work, { phase }: Work): Promise<void> {
    const isWaiting = this.requests.has(node);
    if (!isWaiting) this.send(node, content);
    if (phase === "free") return this.nodes.gates.reached("insertSlot", this.nodes.numberOf(node));
    if (isWaiting) await this.pass("insertSlot", node, () => this.requests.get(node));
    else await this.requests.get(node);
  }

  private send(node: string, content: string): void {
    const answer = call(this.nodes.target(node), "takeSlot", {
      token: this.member.token,
      params: { slot: this.slot.toString("hex") },
      body: this.bodyOf(content),
    });
    answer.catch(() => undefined);
    this.requests.set(node, answer);
  }

  private async answerOf(node: string): Promise<Taken> {
    const answer = await demand(this.requests.get(node));
    this.requests.delete(node);
    return answer;
  }

  private async expectAnswer(
    node: string,
    expected: { status: number; won?: boolean | undefined; error?: string | undefined },
  ) {
    const { status, body } = await this.answerOf(node);
    expectSame("the answer", { status, won: body["won"], error: body.error }, expected);
  }

  private async expectLost(node: string, { found }: Work): Promise<void> {
    const { status, body } = await this.answerOf(node);
    const content = this.nameOf(Buffer.from(String(body["content"]), "base64"));
    expectSame("the answer", { status, won: body["won"], content }, { status: 200, won: false, content: found });
  }

  /** Time passes, and the hourly job runs. */
  private async letPass(column: "expires_at" | "forget_at"): Promise<void> {
    await this.nodes.db.run(`update slots set ${column} = 1 where slot = :slot::bytea`, { slot: this.slot });
    await removeExpiredSlots(this.nodes.db, { now: createSystemClock().nowSeconds(), stepRows: 100 });
  }

  /** Kills a node at the point that its request has reached. */
  private async crash(node: string, { phase, content }: Work): Promise<void> {
    const number = this.nodes.numberOf(node);
    const path = routes.takeSlot.path.replace(":slot", this.slot.toString("hex"));
    const request = { method: "PUT", path, token: this.member.token, body: this.bodyOf(content || "commit1") };
    const isHalf = phase === "asked" && !this.requests.has(node);
    const close = isHalf ? await sendHalf(this.nodes.target(node).url, request) : () => undefined;
    await this.nodes.kill(node);
    close();
    await this.nodes.gates.endStatements(number);
    this.requests.delete(node);
  }

  /** A request whose transaction was open gets an error; one that has its answer keeps it. */
  private async crashDatabase({ nodes }: SlotsState): Promise<void> {
    await this.nodes.killDatabase();
    for (const [node, { phase }] of Object.entries(nodes.doing)) {
      if (!this.requests.has(node) || !["inserted", "asked"].includes(phase)) continue;
      expectSame("the answer without a database", (await this.answerOf(node)).status, 503);
    }
  }

  private async restore(): Promise<void> {
    this.requests.clear();
    await this.nodes.restore(async () => {
      const { db } = this.nodes;
      const slot = this.slot;
      // The rest of the database is as in the backup: only this slot is in use.
      await db.run("delete from slots where slot = :slot::bytea", { slot });
      if (this.backup !== undefined)
        await db.run(
          `insert into slots (slot, content, content_sha256, slot_key, signature, expires_at, forget_at)
         values (:slot::bytea, :content::bytea, :contentHash::bytea, :slotKey::bytea, :signature::bytea,
                 :expiresAt::bigint, :forgetAt::bigint)`,
          { slot, ...this.backup },
        );
      await db.run(
        "update slot_balance set content_bytes = (select coalesce(sum(octet_length(content)), 0) from slots)",
      );
    });
    await this.begin();
    Object.assign(this.relay, this.nodes.target("a"));
    await this.member.announce();
  }

  private async readRow(): Promise<(StoredSlot & { forgetAt: number }) | undefined> {
    const slot = await readSlot(this.nodes.db, this.slot);
    return slot && { ...slot, forgetAt: slot.expiresAt + 1 };
  }

  private bodyOf(content: string) {
    const known = this.contents.get(content) ?? randomBytes(100);
    this.contents.set(content, known);
    // Somebody else has seen a signature of the key, for other content.
    const signed = content === "foreign" ? randomBytes(100) : known;
    return { content: known.toString("base64"), slot_key: this.slotKey, ...this.key.sign(new Uint8Array(signed)) };
  }

  private nameOf(content: Buffer): string {
    const found = [...this.contents].find(([, one]) => one.equals(content));
    return found?.[0] ?? "a content of no run";
  }
}
