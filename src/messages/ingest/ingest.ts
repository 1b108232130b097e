import type { Database, Db } from "../../database/db.js";
import type { OpenPipeline, Pipelines } from "../../database/pipeline/pipelines.js";
import type { Placement } from "../../database/placement.js";
import type { MetricsService } from "../../metrics/service.js";
import type { Clock } from "../../node/clock.js";
import type { Nodes } from "../../node/nodes.js";
import { type Batcher, createBatcher } from "../../platform/concurrency/batcher.js";
import type { Logger } from "../../platform/logger.js";
import { passStep } from "../../process/message-steps.js";
import { RelayError } from "../../protocol/errors.js";
import type { ServerSettings } from "../../settings/service.js";
import type {
  Arrival,
  Envelope,
  Forward,
  MessageToMany,
  Outcome,
  Sender,
  TransactionalSideEffect,
} from "../model/types.js";
import { arrivalsOf, withoutStream } from "./arrivals.js";
import { batchesOf, type Call, decidedSideEffects, flushInTurn, outcomesByCall } from "./calls.js";
import type { IngestSettings } from "./config.js";
import { countAny, countFresh, Outdated } from "./count.js";
import { countOutcomes } from "./count-outcomes.js";
import { decideFlush } from "./decide.js";
import type { Deduplication } from "./deduplication/key-retention.js";
import { without } from "./early-refusals.js";
import { createFlushOrRefuse, type Flushed } from "./failed-flush.js";
import type { FederationCounts } from "./federation-counts.js";
import type { Context, LookedUpFlush, ParsedFlush, StoredFlush } from "./flush.js";
import { type BatchConfig, boundsOf, urgencyOf, weightOf } from "./flush-bounds.js";
import { createKnownQueues, type KnownQueues } from "./known-queues.js";
import { createLargeCalls, type LargeCalls } from "./large-calls.js";
import type { SendingWindows } from "./limits/sending-windows.js";
import { createLookUps, type LookUps } from "./look-up.js";
import type { IsAlive } from "./model/delivery-estimate.js";
import { type Answered, idOf, type Parsed } from "./model/stages.js";
import { createRecentRefusals, type RecentRefusals } from "./recent-refusals.js";
import { storeAny, storeFresh } from "./store-messages.js";

export type IngestConfig = BatchConfig & Pick<IngestSettings, "intakeLargeBytes" | "allOrNothingBytes">;

interface IngestDeps {
  db: Database;
  pipelines: Pick<Pipelines, "use">;
  /** For flushes with side effects of callers, and with messages for other servers. */
  placement: Placement;
  nodes: Pick<Nodes, "count">;
  isAlive: IsAlive;
  clock: Clock;
  now(): number;
  settings(): ServerSettings;
  missesPerSend: number;
  config: IngestConfig;
  logger: Logger;
  metrics: Pick<MetricsService, "count">;
  windows: SendingWindows;
  keyRulesAt: Deduplication["rulesAt"];
  /** The hash by which a repetition of an envelope is recognised. */
  keyOf: Deduplication["keyOf"];
  /** Undefined on a server that does not federate. */
  forward: Forward;
  /** Called after the commit; counts accepted messages for other servers. */
  countSends: FederationCounts["countSends"];
  /** Called after the commit with the recipients that have no open stream. */
  waiting(deviceIds: readonly string[]): void;
  /** Called after a commit, before the senders have their outcomes. */
  arrived(arrivals: readonly Arrival[]): void;
}

/**
 * Takes messages from their senders into queues, in flushes that many callers share. From top to bottom, messages go
 * through the stages
 *
 *   Parsed -> LookedUp -> Decided -> Stored
 *
 * Messages that nobody sent before, which is nearly all of them, take the fast path: three round trips to the database,
 * or two if recipients and senders are remembered, because then the look-ups are confirmed together with the statements
 * that rely on them. Messages for other servers take one more round trip.
 *
 * A flush with a repetition takes the slow path. One path cannot do for both: COPY, which stores new keys at half the cost,
 * fails at the first key that is already there.
 */
export class Ingest {
  private readonly deps: IngestDeps;
  private readonly recentRefusals: RecentRefusals;
  private readonly lookUps: LookUps;
  private readonly knownQueues: KnownQueues;
  private readonly flushOrRefuse: ReturnType<typeof createFlushOrRefuse>;
  private readonly largeCalls: LargeCalls;
  private readonly batcher: Batcher<Call, Outcome[]>;

  constructor(deps: IngestDeps) {
    this.deps = deps;
    this.recentRefusals = createRecentRefusals(deps);
    this.lookUps = createLookUps(deps, this.recentRefusals);
    this.knownQueues = createKnownQueues(deps);
    this.flushOrRefuse = createFlushOrRefuse((batch) => this.flush(batch), deps);
    this.largeCalls = createLargeCalls({ store: (part) => this.storeCalls([part]), config: deps.config });
    this.batcher = createBatcher<Call, Outcome[]>({
      name: "messages",
      bounds: boundsOf(deps),
      flush: async (calls) => outcomesByCall(calls, await this.storeCalls(calls)),
    });
  }

  accept(sender: Sender, envelopes: readonly Envelope[], sideEffect?: TransactionalSideEffect): Promise<Outcome[]> {
    return this.take(sender, envelopes, { sideEffect, toMany: undefined });
  }

  /**
   * The same for the envelopes of one message to many. Throws MESSAGE_TOO_LARGE if the
   * message is all-or-nothing and too large for one transaction.
   */
  acceptToMany(sender: Sender, envelopes: readonly Envelope[], toMany: MessageToMany): Promise<Outcome[]> {
    return this.take(sender, envelopes, { toMany, sideEffect: undefined });
  }

  /** Whether messages are refused because the database confirms none. */
  isStuck(): boolean {
    return this.batcher.isStuck();
  }

  async stop(): Promise<void> {
    await Promise.all([this.batcher.stop(), this.largeCalls.stop()]);
  }

  /** A call waits in a batch until its messages are stored; a large one takes turns with others. */
  private async take(
    sender: Sender,
    envelopes: readonly Envelope[],
    { toMany, sideEffect }: Omit<Call, "parsed">,
  ): Promise<Outcome[]> {
    const { clock, keyOf, config } = this.deps;
    if (envelopes.length === 0) return [];
    const weight = weightOf(envelopes);
    if (toMany?.allOrNothing && envelopes.length > 1) refuseTooLarge(weight.writtenBytes, config);
    const acceptedAtMillis = clock.nowMillis();
    const parsed = envelopes.map((envelope): Parsed => {
      const key = envelope.dedupKey ?? keyOf(sender, envelope);
      return { sender, envelope, key, acceptedAtMillis, toMany };
    });
    passStep("parsed", parsed, idOf);
    const call: Call = { parsed, toMany, sideEffect };
    if (weight.writtenBytes <= config.intakeFlushBytes) return this.batcher.add(call, weight, urgencyOf(sender));
    return (await this.largeCalls.add(call, weight)).map(({ outcome }) => outcome);
  }

  private async storeCalls(calls: readonly Call[]): Promise<readonly Answered[]> {
    const parsed = calls.flatMap((call) => call.parsed);
    passStep("flushing", parsed, idOf);
    const answers = await flushInTurn(batchesOf(calls, parsed), parsed, this.flushOrRefuse);
    countOutcomes(this.deps.metrics, parsed, answers);
    return answers;
  }

  /** Throws the errors of the database; then nothing is stored, unless the connection broke during the commit. */
  private async flush(batch: ParsedFlush): Promise<Flushed> {
    const { deps } = this;
    const parsed = without(batch.parsed, batch.unreachable);
    const { stored, answers } = await deps.pipelines.use(async (pipeline) => {
      passStep({ step: "connected", backend: pipeline.backend }, parsed, idOf);
      // What is remembered is confirmed while storing; if it no longer holds, nothing is stored.
      const recalled = await this.lookUps.recall(batch);
      const flushed =
        (recalled && (await this.decideAndStore(pipeline, recalled, batch).catch(undefinedIfOutdated))) ??
        (await this.decideAndStore(pipeline, await this.lookUps.read(pipeline, batch), batch));
      await deps.countSends(pipeline, flushed.stored.decided, flushed.stored.context.now);
      return flushed;
    });
    const afterCommit = (): void => {
      this.recentRefusals.note(stored.decided, stored.context.now);
      deps.waiting(withoutStream(stored, deps.isAlive));
      passStep("committed", parsed, idOf);
      deps.arrived(arrivalsOf(stored));
    };
    return { answers, afterCommit };
  }

  /** Whether this succeeds or fails, the senders' windows count only what was used. */
  private async decideAndStore(
    pipeline: OpenPipeline,
    lookedUp: LookedUpFlush,
    { sideEffects }: ParsedFlush,
  ): Promise<{ stored: StoredFlush; answers: readonly Answered[] }> {
    const { deps } = this;
    const { db, windows } = deps;
    const { open, context, answersFor } = lookedUp;
    if (open.length === 0) return { stored: nothingStored(context), answers: answersFor([]) };
    const [reservation] = await Promise.all([windows.open(open, context, pipeline), this.knownQueues.ensure(open)]);

    /** Undefined if a message is a repetition. */
    const onFastPath = async (): Promise<StoredFlush | undefined> => {
      const counted = await countFresh(pipeline, lookedUp, reservation);
      if (counted === undefined) return undefined;
      const decided = await decideFlush(pipeline, counted, deps);
      const effects = sideEffects.length === 0 ? [] : decidedSideEffects(sideEffects, answersFor(decided.decided));
      return storeFresh(pipeline, decided, effects);
    };
    /** For messages of any kind, statement by statement. Side effects are left to the callers. */
    const onSlowPath = async (trx: Db): Promise<StoredFlush> => {
      const counted = await countAny(trx, lookedUp, reservation);
      const decided = await decideFlush(trx, counted, deps);
      return storeAny(trx, decided);
    };

    try {
      const stored = (await onFastPath()) ?? (await db.transaction(onSlowPath));
      await reservation.settle(stored.decided);
      return { stored, answers: answersFor(stored.decided) };
    } catch (error) {
      await reservation.abandon(error);
      return this.knownQueues.forgetVanished(error);
    }
  }
}

function refuseTooLarge(bytes: number, { allOrNothingBytes }: Pick<IngestConfig, "allOrNothingBytes">): void {
  if (bytes <= allOrNothingBytes) return;
  const message = `all_or_nothing takes at most ${allOrNothingBytes} bytes of ciphertext, counted for each recipient`;
  throw new RelayError("MESSAGE_TOO_LARGE", message);
}

function undefinedIfOutdated(error: unknown): undefined {
  if (!(error instanceof Outdated)) throw error;
}

function nothingStored(context: Context): StoredFlush {
  return { context, decided: [], additions: { byQueue: [], byDeviceId: new Map(), counted: [] }, queues: new Map() };
}
