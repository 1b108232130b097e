import { routes } from "../../generated/routes.js";
import { type Answer, call } from "../../test/support/api.js";
import { message as draftMessage, newDevice, type TestDevice } from "../../test/support/device.js";
import type { TestRelay } from "../../test/support/relay.js";
import { openDeviceStream, type TestStream } from "../../test/support/stream.js";
import { demand, expectSame, expectSoon, stepByStep, wait } from "./comparison.js";
import { sendHalf } from "./half-request.js";
import { type Step, textOf } from "./itf.js";
import type { ReplayNodes } from "./replay-nodes.js";

// Repeats a run of `spec/model/queue.qnt` with a relay, and compares after every step.
//
// A request is sent at the step at which the model changes the database: nobody can see it earlier. What the model says of
// a request before that matters if its node is killed, with the request half sent ("asked"), with its transaction open
// ("written"), or before its answer was read ("committed").

interface Work {
  kind: "none" | "send" | "ack";
  phase: "none" | "asked" | "written" | "committed";
  message: string;
}

interface QueueState {
  database: { rows: { message: string; position: number }[]; lastPosition: number };
  nodes: { up: string[]; doing: Record<string, Work>; stream: { node: string; after: number } };
  devices: { accepted: string[]; received: string[]; confirmed: string[] };
}

type QueueStep = Step<QueueState>;

/** Throws the first difference. */
export async function replayQueueRun(steps: readonly QueueStep[], nodes: ReplayNodes): Promise<void> {
  for (const node of ["a", "b"]) if (!nodes.isUp(node)) await nodes.restart(node);
  const [sender, recipient] = await Promise.all([0, 1].map(() => newDevice(nodes.target("a") as TestRelay)));
  const replay = new QueueReplay(nodes, demand(sender), demand(recipient));
  try {
    await stepByStep(steps, {
      describe: (step) => `${step.action} ${textOf(step, "node")} ${textOf(step, "message")}`,
      async take(step, later) {
        await replay.take(step, later);
        await replay.compare(step.after);
      },
    });
  } finally {
    await replay.end();
  }
}

type Body = ReturnType<typeof draftMessage>;

class QueueReplay {
  /** By the model's names. */
  private readonly bodies = new Map<string, Body>();
  private readonly requests = new Map<string, Promise<Answer<Record<string, unknown>>>>();
  private stream: TestStream | undefined;
  /** Whether a request was sent whose commit was not waited for. */
  private isUnanswered = false;
  private readonly nodes: ReplayNodes;
  private readonly sender: TestDevice;
  private readonly recipient: TestDevice;

  constructor(nodes: ReplayNodes, sender: TestDevice, recipient: TestDevice) {
    this.nodes = nodes;
    this.sender = sender;
    this.recipient = recipient;
  }

  async take(step: QueueStep, later: readonly QueueStep[]): Promise<void> {
    const { action, before } = step;
    const [node, message] = [textOf(step, "node"), textOf(step, "message")];
    const work = before.nodes.doing[node];
    switch (action) {
      case "ask":
      case "write":
      case "release":
      case "age":
        return;
      case "recognise":
      case "commit":
      case "remove":
        return this.request(node, demand(work), later);
      case "answer":
        return expectSame("the answer to a sender", await this.statusOf(node), 202);
      case "confirm":
        return expectSame("the answer to an acknowledgement", await this.statusOf(node), 200);
      case "poll":
        return this.poll(node, before);
      case "open":
        this.stream?.socket.terminate();
        this.stream = await openDeviceStream(this.nodes.target(node).url, this.recipient.token);
        return;
      case "push":
        return this.push(step);
      case "expire":
        await this.nodes.db.run("update messages set expires_at = 1 where device_id = :deviceId and message_id = :id", {
          deviceId: this.recipient.deviceId,
          id: this.bodyOf(message).message_id,
        });
        return;
      case "giveUp":
        (await this.sendHalf(node, demand(work)))();
        return;
      case "crash":
        return this.crash(node, demand(work), before);
      case "restart":
        return this.nodes.restart(node);
      case "crashDatabase":
        return this.nodes.killDatabase();
      default:
        throw new Error(`the model has a new action: ${action}`);
    }
  }

  /** The database holds what the model's does. A commit that was not waited for may take a moment. */
  async compare({ database }: QueueState): Promise<void> {
    const expected = { rows: database.rows.map(({ message }) => message), last: database.lastPosition };
    if (this.isUnanswered) await expectSoon("the database", () => this.readDatabase(), expected);
    else expectSame("the database", await this.readDatabase(), expected);
    this.isUnanswered = false;
  }

  /** Closes what is open and checks that no message came twice on one stream. */
  async end(): Promise<void> {
    this.stream?.socket.terminate();
    await Promise.allSettled(this.requests.values());
  }

  private async readDatabase() {
    const device = { deviceId: this.recipient.deviceId };
    const [queued, queue] = await Promise.all([
      this.nodes.db.rows<{ id: string }>(
        `select message_id as id from messages
         where device_id = :deviceId and expires_at > 1 order by position`,
        device,
      ),
      this.nodes.db.rows<{ last: number }>(
        "select last_position as last from queues where device_id = :deviceId",
        device,
      ),
    ]);
    return { rows: queued.map(({ id }) => this.nameOf(id)), last: queue[0]?.last ?? 0 };
  }

  /** Without an answer to wait for if the node is killed before the model gives one. */
  private async request(node: string, work: Work, later: readonly QueueStep[]): Promise<void> {
    const answer = this.send(node, work);
    answer.catch(() => undefined);
    this.requests.set(node, answer);
    const next = later.find(
      (step) => textOf(step, "node") === node && ["answer", "confirm", "crash"].includes(step.action),
    );
    if (next?.action === "crash") this.isUnanswered = true;
    else await answer;
  }

  private send(node: string, { kind, message }: Work): Promise<Answer<Record<string, unknown>>> {
    const body = this.bodyOf(message);
    const relay = this.nodes.target(node);
    if (kind === "send") return call(relay, "sendMessage", { token: this.sender.token, body });
    const body_ = { message_ids: [body.message_id] };
    return call(relay, "acknowledgeMessages", { token: this.recipient.token, body: body_ });
  }

  private async statusOf(node: string): Promise<number | undefined> {
    const answer = await this.requests.get(node);
    this.requests.delete(node);
    return answer?.status;
  }

  private async poll(node: string, { database }: QueueState): Promise<void> {
    const { status, body } = await call(this.nodes.target(node), "pollMessages", { token: this.recipient.token });
    expectSame("the status of a poll", status, 200);
    const found = body.messages.map(({ message_id }) => this.nameOf(message_id));
    const expected = database.rows.map(({ message }) => message);
    expectSame("the messages of a poll", found, expected);
  }

  /** A relay pushes at once, so it may have pushed more than the model, which may remove messages before their push. */
  private async push({ before, after }: QueueStep): Promise<void> {
    const [row] = before.database.rows.filter(({ position }) => position === after.nodes.stream.after);
    const came = () => (this.stream?.all("message") ?? []).map(({ data }) => this.nameOf(data.message_id));
    const expected = row?.message ?? "";
    await wait(`the push of ${expected} after ${came()}`, async () => came().includes(expected));
    expectSame("a stream", came(), [...new Set(came())]);
  }

  /** Kills a node at the point that its request has reached. */
  private async crash(node: string, work: Work, before: QueueState): Promise<void> {
    if (work.phase === "asked") {
      const close = await this.sendHalf(node, work);
      await this.nodes.kill(node);
      close();
    } else if (work.phase === "written") await this.crashInTransaction(node, work);
    else await this.nodes.kill(node);
    this.requests.delete(node);
    if (before.nodes.stream.node === node) this.stream = undefined;
  }

  /** The transaction waits for the row of the queue, which this process has locked, when its node is killed. */
  private async crashInTransaction(node: string, work: Work): Promise<void> {
    const { db } = this.nodes;
    await db.transaction(async (trx) => {
      const device = { deviceId: this.recipient.deviceId };
      await trx.run(
        `insert into queues (device_id) values (:deviceId)
         on conflict (device_id) do update set device_id = excluded.device_id`,
        device,
      );
      const answer = this.send(node, work).catch(() => undefined);
      await wait("a transaction of the relay that waits for the queue", async () => {
        const waiting = await db.rows(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return waiting.length > 0;
      });
      await this.nodes.kill(node);
      await answer;
      // PostgreSQL notices that its client is gone when it writes to it, which a commit behind the lock could precede.
      await db.run(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
    });
  }

  private sendHalf(node: string, { kind, message }: Work): Promise<() => void> {
    const body = this.bodyOf(message);
    const { url } = this.nodes.target(node);
    const { path } = routes[kind === "send" ? "sendMessage" : "acknowledgeMessages"];
    const { token } = kind === "send" ? this.sender : this.recipient;
    return sendHalf(url, {
      method: "POST",
      path,
      token,
      body: kind === "send" ? body : { message_ids: [body.message_id] },
    });
  }

  private bodyOf(name: string): Body {
    const known = this.bodies.get(name);
    if (known !== undefined) return known;
    const body = draftMessage(this.nodes.target(this.nodes.anyNode()) as TestRelay, this.recipient.address);
    this.bodies.set(name, body);
    return body;
  }

  private nameOf(messageId: string): string {
    const found = [...this.bodies].find(([, body]) => body.message_id === messageId);
    return found?.[0] ?? `a message of no run: ${messageId}`;
  }
}
