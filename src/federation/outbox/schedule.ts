import type { Nodes } from "../../platform/cluster/nodes.js";
import { createPeriodic } from "../../platform/cluster/periodic.js";
import { createByteSemaphore } from "../../platform/concurrency/byte-semaphore.js";
import type { Config } from "../../platform/config/config.js";
import type { Notifications } from "../../platform/database/notifications.js";
import type { Logger } from "../../platform/logger.js";
import { backoffMillis } from "./backoff.js";
import { runLease } from "./deliver.js";
import type { SendingDeps } from "./lease-run.js";
import {
  type Claimed,
  claimDestination,
  type DestinationKind,
  findDue,
  findLeases,
  type Lease,
  releaseDestination,
  releaseFailed,
} from "./lease-store.js";

/** Delivers what waits in the outbox, on this node's part. */
export interface Sender {
  start(): void;
  /** Takes no more destinations and waits for the transactions on their way, up to the grace period. */
  stop(): Promise<void>;
  /** Something may be due for these destinations; without any, anywhere. */
  wake(domains?: readonly string[]): void;
}

export type SenderConfig = SendingDeps["config"] &
  Pick<
    Config,
    | "outboxConcurrentDestinations"
    | "outboxUnreachedDestinations"
    | "outboxInFlightBytes"
    | "outboxPollMillis"
    | "shutdownGraceSeconds"
  >;

export interface SenderDeps extends Omit<SendingDeps, "inFlight" | "shouldYield" | "abandoned" | "config"> {
  nodes: Pick<Nodes, "nodeId" | "isAlive">;
  notifications: Pick<Notifications, "notify" | "listen">;
  logger: Logger;
  config: SenderConfig;
  /** Whether messages are exchanged with other servers at all. */
  enabled(): boolean;
}

/** The channel by which nodes are told that something is due. */
export const outboxChannel = "outbox";

/** What the parts of a sender share: whether it is ending, and whether more is due than there are places. */
interface State {
  crowded: boolean;
  stopping: boolean;
  abandoned: boolean;
}

interface LeaseRun {
  lease: Lease;
  kind: DestinationKind;
  done: Promise<void>;
}

/** Has answered before, and the last time too. */
const sound: DestinationKind = { unreached: false, failing: false };
const otherKinds: readonly DestinationKind[] = [
  { unreached: false, failing: true },
  { unreached: true, failing: false },
  { unreached: true, failing: true },
];

/**
 * Holds up to so many destinations at once. Those that were never reached have places of their own: whoever sends to names
 * that lead nowhere keeps nobody waiting who was reached before. Of both sorts of places, those whose last delivery failed get
 * half at most, so that a hundred servers that are down, each good for a timeout, keep nobody waiting. What is due is looked for when this node
 * has taken messages in, when another node has no place left, and every second in case all of that was lost.
 */
export function createSender(deps: SenderDeps): Sender {
  const { db, clock, config, notifications, logger } = deps;
  const state: State = { crowded: false, stopping: false, abandoned: false };
  const held = createKeyedMutex(deps, state, () => {
    if (!state.stopping) look();
  });
  const { mutex, places } = held;
  const { look, looked, name } = createLookout(deps, state, held);
  let unlisten = (): void => undefined;
  const periodic = createPeriodic({
    everyMillis: config.outboxPollMillis,
    run: () => sweep(deps, mutex).finally(look),
    failed: (error) => logger.warn({ err: error }, "the outbox's leases could not be checked"),
  });

  return {
    start() {
      unlisten = notifications.listen(outboxChannel, look);
      periodic.start();
      look();
    },
    async stop() {
      state.stopping = true;
      unlisten();
      await Promise.all([looked(), periodic.stop()]);
      await within(config.shutdownGraceSeconds * 1000, Promise.all([...mutex.values()].map(({ done }) => done)));
      state.abandoned = true;
      const left = [...mutex.values()].map(({ lease }) => lease);
      const nextAttemptMillis = clock.nowMillis();
      await Promise.allSettled(left.map((lease) => releaseDestination(db, { ...lease, nextAttemptMillis })));
    },
    wake(domains) {
      if (state.stopping || domains?.every((domain) => mutex.has(domain))) return;
      if (places(sound) <= 0) return notifications.notify(outboxChannel, "");
      name(domains ?? []);
      look();
    },
  };
}

/**
 * Looks through the outbox for what is due, once at a time. What was named has just been written to: it is not looked for
 * but claimed, which is a trip less before it leaves.
 */
function createLookout(deps: SenderDeps, state: State, { places, begin }: Pick<KeyedMutex, "places" | "begin">) {
  const { pipelined, clock, logger } = deps;
  const named = new Set<string>();
  let looking: Promise<void> | undefined;
  let lookAgain = false;

  const beginNamed = async (): Promise<void> => {
    // Where more is due than there are places, whoever has waited longest goes first.
    const wanted = state.crowded ? [] : [...named].slice(0, Math.max(0, places(sound)));
    named.clear();
    await Promise.all(wanted.map((domain) => begin(domain, sound, "only")));
  };
  const findAndBegin = async (kind: DestinationKind): Promise<void> => {
    const limit = Math.max(0, places(kind));
    const due = await findDue(pipelined, { nowMillis: clock.nowMillis(), limit: limit + 1, ...kind });
    if (kind === sound) state.crowded = due.length > limit;
    await Promise.all(due.slice(0, limit).map((domain) => begin(domain, kind, "or other")));
  };
  const lookOnce = async (): Promise<void> => {
    if (state.stopping || !deps.enabled()) return;
    await beginNamed();
    await findAndBegin(sound);
    for (const kind of otherKinds) if (places(kind) > 0) await findAndBegin(kind);
  };
  const look = (): void => {
    if (looking !== undefined) {
      lookAgain = true;
      return;
    }
    lookAgain = false;
    looking = lookOnce()
      .catch((error: unknown) => logger.warn({ err: error }, "the outbox could not be looked through"))
      .finally(() => {
        looking = undefined;
        if (lookAgain && !state.stopping) look();
      });
  };
  const name = (domains: readonly string[]): void => {
    for (const domain of domains) named.add(domain);
  };

  return { look, name, looked: async () => looking };
}

type KeyedMutex = ReturnType<typeof createKeyedMutex>;

/** The destinations that this node holds, each for one turn. `ended` is called after each. */
function createKeyedMutex(deps: SenderDeps, state: State, ended: () => void) {
  const { db, pipelined, clock, config, logger } = deps;
  const { nodeId } = deps.nodes;
  const mutex = new Map<string, LeaseRun>();
  const inFlight = createByteSemaphore(config.outboxInFlightBytes);

  const turnNeeds: SendingDeps = {
    ...deps,
    inFlight,
    shouldYield: (transactions) => {
      if (state.stopping || !deps.enabled()) return true;
      return state.crowded && transactions >= config.outboxTurnTransactions;
    },
    abandoned: () => state.abandoned,
  };

  const places = ({ unreached, failing }: DestinationKind): number => {
    const most = unreached ? config.outboxUnreachedDestinations : config.outboxConcurrentDestinations;
    const taken = [...mutex.values()].filter(({ kind }) => kind.unreached === unreached);
    const free = most - taken.length;
    if (!failing) return free;
    return Math.min(free, Math.floor(most / 2) - taken.filter(({ kind }) => kind.failing).length);
  };
  const begin = async (domain: string, kind: DestinationKind, kinds: "only" | "or other"): Promise<void> => {
    if (mutex.has(domain) || state.stopping) return;
    const lease = { domain, leaseId: deps.random.uuid() };
    const entry = { lease, kind, done: Promise.resolve() };
    mutex.set(domain, entry);
    const [nowMillis, leaseSeconds] = [clock.nowMillis(), config.outboxLeaseSeconds];
    const claimed = await claimDestination(pipelined, {
      ...lease,
      node: nodeId,
      nowMillis,
      leaseSeconds,
      only: kinds === "only" ? kind : null,
    }).catch((error: unknown) => forget(domain, error));
    if (claimed === undefined) mutex.delete(domain);
    else entry.done = run(lease, claimed);
  };
  const forget = (domain: string, error: unknown): undefined => {
    logger.warn({ err: error, domain }, "a destination could not be claimed");
  };
  const run = async (lease: Lease, claimed: Claimed): Promise<void> => {
    try {
      await runLease(lease, claimed, turnNeeds);
    } catch (error) {
      if (!state.abandoned) await giveBack(lease, claimed, error);
    } finally {
      mutex.delete(lease.domain);
      ended();
    }
  };
  /** Where even this fails, the sweep finds the lease that nobody holds. */
  const giveBack = async (lease: Lease, { failures }: Claimed, error: unknown): Promise<void> => {
    logger.error({ err: error, domain: lease.domain }, "delivering broke off");
    const nowMillis = clock.nowMillis();
    const nextAttemptMillis = nowMillis + backoffMillis(failures + 1, {}, deps);
    await releaseFailed(db, { ...lease, nowMillis, nextAttemptMillis, problem: "internal" }).catch(() => undefined);
  };

  return { mutex, places, begin };
}

/** Frees destinations of nodes that are gone, of turns without an end, and of this node's turns that broke off. */
async function sweep({ db, clock, nodes }: SenderDeps, mutex: ReadonlyMap<string, LeaseRun>): Promise<void> {
  const nowMillis = clock.nowMillis();
  for (const lease of await findLeases(db)) {
    const mine = lease.node === nodes.nodeId;
    const held = mine ? mutex.get(lease.domain)?.lease.leaseId === lease.leaseId : nodes.isAlive(lease.node);
    if (!held || lease.over) await releaseDestination(db, { ...lease, nextAttemptMillis: nowMillis });
  }
}

/** Resolves when the work is done or the time is over. */
async function within(millis: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, millis);
  });
  await Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
