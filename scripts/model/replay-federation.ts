import { randomUUID } from "node:crypto";
import { createOutboxExpiry } from "../../src/federation/outbox/expired-waiting.js";
import { outboxChannel } from "../../src/federation/outbox/store.js";
import { createSystemClock } from "../../src/node/clock.js";
import { call } from "../../test/support/api.js";
import { message as draftMessage, newDevice, type TestDevice } from "../../test/support/device.js";
import type { TestRelay } from "../../test/support/relay.js";
import { demand, expectSame, expectSoon, stepByStep, wait } from "./comparison.js";
import { type Step, textOf } from "./itf.js";
import type { Arrival, PeerAnswer } from "./peer-network.js";
import type { ReplayNodes } from "./replay-nodes.js";

// Repeats a run of `spec/model/federation.qnt` with two relays, and compares both databases after every step.
//
// A node stops where the replay can hold it: before it takes a lease, before it stores a transaction, and when its request has
// come to the network, which belongs to the replay. A request counts as sent once the model sends it.

interface Transaction {
  id: number;
  messages: number[];
}
interface NetworkAnswer {
  id: number;
  kind: string;
}
interface LeaseRun {
  token: number;
  phase: string;
  transaction: Transaction;
  chosen: number;
}

interface FederationState {
  outbox: { rows: number[]; transaction: Transaction; lease: { token: number; node: string } };
  nodes: { up: string[]; runs: Record<string, LeaseRun> };
  network: { requests: Transaction[]; answers: NetworkAnswer[] };
  peer: { queued: number[]; transactions: { request: Transaction }[] };
  history: { message: number };
}

type FederationStep = Step<FederationState>;

const unknownAddress = 2;
/** After as many answers of this kind to one transaction, the relay does something that the model leaves out. */
const maxRepeatedAnswers = 2;
const page: PeerAnswer = { status: 200, type: "text/html", body: "<title>Welcome</title>" };
const refusal: PeerAnswer = {
  status: 400,
  type: "application/json",
  body: JSON.stringify({ error: "FORBIDDEN_CONTENT", code: 4000, message: "refused by something before the peer" }),
};

/** Throws the first difference. Returns how many steps were repeated, as some runs cannot be repeated to their end. */
export async function replayFederationRun(steps: readonly FederationStep[], nodes: ReplayNodes): Promise<number> {
  for (const node of ["a", "b"]) if (!nodes.isUp(node)) await nodes.restart(node);
  const [sender, recipient] = await Promise.all(
    [nodes.target("a"), nodes.peer.target].map((target) => newDevice(target as TestRelay)),
  );
  const replay = new FederationReplay(nodes, demand(sender), demand(recipient));
  const feasible = steps.slice(0, countFeasible(steps));
  try {
    await replay.begin();
    await stepByStep(feasible, {
      describe: ({ action, chosen }) => `${action} ${JSON.stringify(chosen)}`,
      async take(step) {
        await replay.take(step);
        await replay.compare(step.after);
      },
    });
  } finally {
    await replay.end();
  }
  return feasible.length;
}

/**
 * The model leaves out that a transaction which was refused as a whole is followed by one without tags, unless an earlier attempt may
 * have arrived (spec/decisions/0045-outbox.md), and by smaller ones if that is refused as well; and that the same
 * answer three times in a row has other consequences.
 */
function countFeasible(steps: readonly FederationStep[]): number {
  const refused = new Set<number>();
  const untagged = new Set<number>();
  const kept = new Map<string, number>();
  for (const [number, { action, chosen, before, after }] of steps.entries()) {
    const node = String(chosen["node"] ?? "");
    const lead = before.nodes.runs[node];
    if (action === "choose" && lead !== undefined && refused.has(lead.token)) untagged.add(after.outbox.transaction.id);
    if (untagged.size > 0 && ["dropStored", "forgetTransactions"].includes(action)) return number;
    const got = chosen["got"] as NetworkAnswer | undefined;
    if (action !== "drivenSettle" || got === undefined || got.kind === "receipt" || lead === undefined) continue;
    if (lead.token !== before.outbox.lease.token) continue;
    const isKept = after.outbox.transaction.id === got.id;
    const key = `${got.kind} ${got.id}`;
    kept.set(key, (kept.get(key) ?? 0) + 1);
    if ((kept.get(key) ?? 0) > maxRepeatedAnswers) return number;
    if (got.kind === "refused" && (untagged.has(got.id) || refused.has(lead.token))) return number;
    if (got.kind === "refused" && !isKept) refused.add(lead.token);
  }
  return steps.length;
}

class FederationReplay {
  /** By the model's numbers. */
  private readonly messageIds = new Map<number, string>();
  private readonly positions = new Map<number, number>();
  private readonly transactionIds = new Map<number, string>();
  private readonly leases = new Map<number, string>();
  /** What a node has sent and not been answered, by the node. */
  private readonly sent = new Map<string, Arrival>();
  private readonly requests = new Map<number, Arrival>();
  private readonly answers = new Map<string, PeerAnswer>();
  /** The process that took the lease last. */
  private holder: { node: string; number: number } | undefined;
  private readonly nodes: ReplayNodes;
  private readonly sender: TestDevice;
  private readonly recipient: TestDevice;

  constructor(nodes: ReplayNodes, sender: TestDevice, recipient: TestDevice) {
    this.nodes = nodes;
    this.sender = sender;
    this.recipient = recipient;
  }

  /** Both nodes have nothing to do with the peer, which is known to answer. */
  async begin(): Promise<void> {
    const { network, domain } = this.nodes.peer;
    const known = await this.nodes.db.rows(
      "select 1 from outbox_destinations where domain = :domain::text and reached_at > 0",
      {
        domain,
      },
    );
    if (known.length === 0) {
      network.mode = "pass";
      await this.nodes.gates.allowClaim(this.nodes.numberOf("a"));
      await this.post("a", this.recipient.address);
      await wait("the first message at the peer", async () => {
        const left = await Promise.all([this.readOutbox(), this.readTransactions()]);
        return (
          left.flat().length === 0 && (await this.readQueue()).length === 1 && (await this.readLease()) === undefined
        );
      });
      await this.nodes.gates.allowClaim(undefined);
      await this.nodes.peer.db.run("delete from messages");
    }
    network.mode = "wait";
    for (const node of ["a", "b"]) await this.closeGate(node);
  }

  async take(step: FederationStep): Promise<void> {
    const { action, chosen, before, after } = step;
    const node = textOf(step, "node");
    switch (action) {
      case "accept":
        return this.accept(before.history.message);
      case "claim":
        return this.claim(node, after.outbox.lease.token);
      case "choose":
        return this.choose(node, after.outbox.transaction.id);
      case "readStored":
        return this.readStored(node, before.outbox.transaction);
      case "send":
        this.requests.set(this.runOf(before, node).transaction.id, demand(this.sent.get(node)));
        return;
      // A node does these as soon as it can.
      case "dropStored":
      case "rest":
        return;
      case "take":
      case "refuse":
      case "garble":
      case "loseRequest":
        return this.carry(action, chosen["request"] as Transaction);
      case "loseAnswer":
      case "garbleAnswer":
        return this.disturbAnswer(action, chosen["got"] as NetworkAnswer);
      case "drivenSettle":
        return this.settle(node, chosen["got"] as NetworkAnswer);
      case "backOff":
        demand(this.sent.get(node)).answer({ status: 503, type: "text/plain", body: "" });
        this.sent.delete(node);
        return;
      case "loseLease":
        return this.loseLease();
      case "expire":
        return this.expire(demand(before.outbox.rows[0]));
      case "forgetTransactions":
        return this.nodes.peer.db.run("delete from federation_transactions");
      case "crash":
        return this.crash(node, before);
      case "restart":
        await this.nodes.restart(node);
        return this.closeGate(node);
      default:
        throw new Error(`the model has a new action: ${action}`);
    }
  }

  /** Both databases come to hold what the model's do. */
  async compare({ outbox, nodes, peer }: FederationState): Promise<void> {
    // What a node does at once, the model does in its next step.
    const lead = nodes.runs[outbox.lease.node];
    const isLeased =
      nodes.up.includes(outbox.lease.node) && lead?.phase === "leased" && lead.token === outbox.lease.token;
    const isWhole = outbox.transaction.messages.every((one) => outbox.rows.includes(one));
    const isDropping = isLeased && outbox.transaction.id !== 0 && !isWhole;
    const isResting = isLeased && outbox.rows.length === 0;
    const transaction =
      outbox.transaction.id === 0
        ? []
        : [[this.transactionIds.get(outbox.transaction.id), ...outbox.transaction.messages]];
    const expected = {
      rows: outbox.rows,
      transactions: isDropping || isResting ? undefined : transaction,
      lease: isResting ? undefined : this.leases.get(outbox.lease.token),
      queued: peer.queued,
      known: peer.transactions.map(({ request }) => this.transactionIds.get(request.id)).sort(),
    };
    const find = async () => {
      const [rows, transactions, lease, queued, known] = await Promise.all([
        this.readOutbox(),
        this.readTransactions(),
        this.readLease(),
        this.readQueue(),
        this.readKnown(),
      ]);
      return {
        rows,
        transactions: isDropping || isResting ? undefined : transactions,
        lease: isResting ? undefined : lease,
        queued,
        known,
      };
    };
    await expectSoon("the two databases", find, expected);
  }

  /** Leaves nothing to do for the nodes. */
  async end(): Promise<void> {
    const { network } = this.nodes.peer;
    await this.nodes.gates.allowClaim(undefined);
    network.mode = "refuse";
    network.refuseAll();
    for (const arrival of this.sent.values()) arrival.answer({ status: 503, type: "text/plain", body: "" });
    for (const node of ["a", "b"]) {
      if (this.nodes.isUp(node)) await this.nodes.gates.open("chooseMessages", this.nodes.numberOf(node));
    }
    await this.release();
    for (const table of ["outbox", "outbox_transactions", "outbox_holds"])
      await this.nodes.db.run(`delete from ${table}`);
    await this.nodes.db.run(
      `update outbox_destinations set messages = 0, bytes = 0, failures = 0, next_attempt_millis = null, transaction_limit = null`,
    );
  }

  private closeGate(node: string): Promise<void> {
    return this.nodes.gates.close("chooseMessages", this.nodes.numberOf(node));
  }

  private runOf({ nodes }: FederationState, node: string): LeaseRun {
    return demand(nodes.runs[node]);
  }

  private async post(node: string, address: string): Promise<string> {
    const target = this.nodes.target(node);
    const body = draftMessage(target as TestRelay, address);
    const { status } = await call(target, "sendMessage", { token: this.sender.token, body });
    expectSame("the answer to a sender", status, 202);
    return body.message_id;
  }

  private async accept(number: number): Promise<void> {
    const address = number === unknownAddress ? `${randomUUID()}@${this.nodes.peer.domain}` : this.recipient.address;
    const id = await this.post(this.nodes.anyNode(), address);
    this.messageIds.set(number, id);
    const row = await this.nodes.db.one<{ position: number }>(
      "select position from outbox where message_id = :id::uuid",
      { id },
    );
    this.positions.set(number, demand(row).position);
  }

  /** Whatever the destination or its transaction waits for is over, and this node is the one that takes the lease. */
  private async claim(node: string, token: number): Promise<void> {
    const { db, gates, peer } = this.nodes;
    await db.run("update outbox_holds set until_millis = 0");
    await db.run("update outbox_transactions set due_millis = 1 where due_millis is not null");
    await gates.allowClaim(this.nodes.numberOf(node));
    await db.run(
      `update outbox_destinations set next_attempt_millis = 1, failures = 0
       where domain = :domain::text and lease_node is null`,
      { domain: peer.domain },
    );
    await db.run(`notify ${outboxChannel}`);
    await wait(`node ${node} to take the lease`, async () => (await this.readLease()) !== undefined);
    await gates.allowClaim(undefined);
    this.leases.set(token, demand(await this.readLease()));
    this.holder = { node, number: this.nodes.numberOf(node) };
  }

  private async choose(node: string, id: number): Promise<void> {
    const { gates } = this.nodes;
    const number = this.nodes.numberOf(node);
    await gates.reached("chooseMessages", number);
    await gates.open("chooseMessages", number);
    await wait("a stored transaction", async () => (await this.readTransactions()).length > 0);
    await gates.close("chooseMessages", number);
    const [[found] = []] = await this.readTransactions();
    this.transactionIds.set(id, String(found));
  }

  private async readStored(node: string, { id, messages }: Transaction): Promise<void> {
    const arrival = await this.nodes.peer.network.next(demand(this.transactionIds.get(id)));
    expectSame(
      "the messages of a request",
      arrival.messageIds.map((one) => this.numberOf(one)),
      messages,
    );
    this.sent.set(node, arrival);
  }

  private async carry(action: "take" | "refuse" | "garble" | "loseRequest", request: Transaction): Promise<void> {
    const arrival = demand(this.requests.get(request.id));
    this.requests.delete(request.id);
    if (action === "refuse") this.answers.set(`refused ${request.id}`, refusal);
    if (action === "garble") this.answers.set(`unreadable ${request.id}`, page);
    if (action !== "take") return;
    const answer = await arrival.deliver();
    expectSame("the peer's answer", answer.status, 200);
    this.answers.set(`receipt ${request.id}`, answer);
  }

  private disturbAnswer(action: "loseAnswer" | "garbleAnswer", { kind, id }: NetworkAnswer): void {
    const answer = demand(this.answers.get(`${kind} ${id}`));
    this.answers.delete(`${kind} ${id}`);
    if (action === "loseAnswer") return;
    const cut = answer.body.slice(0, answer.body.length / 2);
    this.answers.set(`unreadable ${id}`, { ...answer, status: 200, body: cut });
  }

  private settle(node: string, { kind, id }: NetworkAnswer): void {
    demand(this.sent.get(node)).answer(demand(this.answers.get(`${kind} ${id}`)));
    this.sent.delete(node);
    this.answers.delete(`${kind} ${id}`);
  }

  /** The time of the lease is over, and a node notices it. */
  private async loseLease(): Promise<void> {
    await this.nodes.db.run(
      "update outbox_destinations set lease_until = now() - interval '1 second' where lease_node is not null",
    );
    await wait("the end of the lease", async () => (await this.readLease()) === undefined);
  }

  /** Time passes, and the job runs. */
  private async expire(number: number): Promise<void> {
    const { db } = this.nodes;
    await db.run("update outbox set expires_at = 1 where position = :position::bigint", {
      position: demand(this.positions.get(number)),
    });
    const silent = { count: () => undefined, warn: () => undefined } as never;
    const deps = { db, clock: createSystemClock(), metrics: silent, logger: silent, config: { expiryStepRows: 100 } };
    await createOutboxExpiry(deps).expireWaiting();
  }

  private async crash(node: string, before: FederationState): Promise<void> {
    const { outbox } = before;
    const number = this.nodes.numberOf(node);
    const { phase, token } = this.runOf(before, node);
    const isChoosing = phase === "leased" && token === outbox.lease.token && outbox.transaction.id === 0;
    if (isChoosing && outbox.rows.length > 0) await this.nodes.gates.reached("chooseMessages", number);
    await this.nodes.kill(node);
    await this.nodes.gates.endStatements(number);
    this.sent.delete(node);
  }

  /** Waits until the node that holds the lease has given it up, or takes it from a node that was killed. */
  private async release(): Promise<void> {
    const { node, number } = this.holder ?? { node: "", number: 0 };
    const isAlive = this.nodes.isUp(node) && this.nodes.numberOf(node) === number;
    if (isAlive) await wait("the end of the lease", async () => (await this.readLease()) === undefined);
    else await this.loseLease();
  }

  private numberOf(messageId: string): number {
    return [...this.messageIds].find(([, id]) => id === messageId)?.[0] ?? -1;
  }

  private async readOutbox(): Promise<number[]> {
    const rows = await this.nodes.db.rows<{ id: string }>("select message_id as id from outbox order by position");
    return rows.map(({ id }) => this.numberOf(id));
  }

  private async readTransactions(): Promise<(string | number)[][]> {
    const rows = await this.nodes.db.rows<{ id: string; positions: number[] }>(
      "select id, positions from outbox_transactions",
    );
    const numbers = new Map([...this.positions].map(([number, position]) => [position, number]));
    return rows.map(({ id, positions }) => [id, ...positions.map((position) => numbers.get(position) ?? -1)]);
  }

  private async readLease(): Promise<string | undefined> {
    const row = await this.nodes.db.one<{ id: string | null }>(
      "select lease_id as id from outbox_destinations where domain = :domain::text",
      { domain: this.nodes.peer.domain },
    );
    return row?.id ?? undefined;
  }

  private async readQueue(): Promise<number[]> {
    const rows = await this.nodes.peer.db.rows<{ id: string }>(
      "select message_id as id from messages where device_id = :deviceId order by position",
      { deviceId: this.recipient.deviceId },
    );
    return rows.map(({ id }) => this.numberOf(id));
  }

  /** The transactions that the peer remembers. */
  private async readKnown(): Promise<string[]> {
    const rows = await this.nodes.peer.db.rows<{ id: string }>(
      "select transaction_id as id from federation_transactions where answer is not null",
    );
    const ids = [...this.transactionIds.values()];
    return rows.flatMap(({ id }) => (ids.includes(id) ? [id] : [])).sort();
  }
}
