import type { Notifications } from "../../database/pool/notifications.js";
import type { Nodes } from "../../node/nodes.js";
import { followCondition, type PolledCondition, type SharedPoll } from "../../node/shared-poll.js";
import { createByteSemaphore } from "../../platform/concurrency/byte-semaphore.js";
import { createPeriodic } from "../../platform/concurrency/periodic.js";
import { withinTime } from "../../platform/concurrency/within-time.js";
import type { ServerConfig } from "../../platform/config/server.js";
import type { Logger } from "../../platform/logger.js";
import type { Domain } from "../../protocol/address.js";
import type { SettingsService } from "../../settings/service.js";
import type { ServerStatuses } from "../peers/server-status.js";
import type { PeerCalls } from "../peers/types.js";
import { backoffMillis } from "./backoff.js";
import type { OutboxSettings } from "./config.js";
import { Delivery, type DeliveryDeps, type Ending } from "./delivery.js";
import {
  type Claimed,
  claimDestination,
  type DestinationKind,
  findDue,
  findLeases,
  type Lease,
  outboxWork,
  releaseDestination,
  releaseFailed,
} from "./lease-store.js";
import { outboxChannel } from "./store.js";

/** Transactions after which a destination makes room for one that waits. */
const outboxTurnTransactions = 20;

export type LeasesConfig = DeliveryDeps["config"] & OutboxSettings & Pick<ServerConfig, "shutdownGraceSeconds">;

export interface LeasesDeps extends Omit<DeliveryDeps, "memory" | "endingOf" | "abandoned" | "config"> {
  nodes: Pick<Nodes, "nodeId" | "isGone">;
  notifications: Pick<Notifications, "notify" | "listen">;
  poll: Pick<SharedPoll, "follow">;
  logger: Logger;
  settings: Pick<SettingsService, "current">;
  statuses: Pick<ServerStatuses, "admits">;
  calls: DeliveryDeps["calls"] & Pick<PeerCalls, "isReady">;
  config: LeasesConfig;
}

interface State {
  /** Whether more destinations are due than there are slots. */
  crowded: boolean;
  stopping: boolean;
  abandoned: boolean;
}

interface HeldLease {
  lease: Lease;
  kind: DestinationKind;
  /** Undefined while the destination is being claimed. */
  delivery: Delivery | undefined;
  done: Promise<void>;
}

/** Reached before, and at the last attempt too. */
const sound: DestinationKind = { unreached: false, failing: false };
const otherKinds: readonly DestinationKind[] = [
  { unreached: false, failing: true },
  { unreached: true, failing: false },
  { unreached: true, failing: true },
];

/**
 * Leases due destinations to this node and runs each lease. A node holds a limited number of leases at once, one per
 * slot. Destinations that were never reached have slots of their own, so a sender who names domains that lead nowhere
 * delays no destination that works. Within both groups, destinations whose last attempt failed get half of the slots at
 * most, so a hundred servers that are down and time out one by one delay nobody else. Due destinations are looked for
 * when this node has accepted messages, when another node has no free slot, and once per poll interval in case such a
 * signal was lost, unless the poll that all parts of the node share found none.
 */
export function createLeases(deps: LeasesDeps) {
  const { db, clock, config, notifications, logger } = deps;
  const state: State = { crowded: false, stopping: false, abandoned: false };
  const runs = createLeaseRuns(deps, state, () => {
    if (!state.stopping) scan();
  });
  const { held, freeSlots } = runs;
  /** Deliveries that linger look whether they should end. */
  const wakeAll = (): void => {
    for (const { delivery } of held.values()) delivery?.wake();
  };
  const { scan, scanned, name } = createScanner(deps, state, runs);
  let unlisten = (): void => undefined;
  let work: PolledCondition | undefined;
  const periodic = createPeriodic({
    everyMillis: config.outboxPollMillis,
    async run() {
      if (work?.mayHold() !== false) await sweep(deps, held).finally(scan);
    },
    failed: (error) => logger.warn({ err: error }, "the leases of the outbox could not be checked"),
  });

  return {
    start(): void {
      unlisten = notifications.listen(outboxChannel, (domain) => {
        const lease = held.get(domain);
        if (lease === undefined) scan();
        else lease.delivery?.messagesArrived();
      });
      work = followCondition(deps.poll, {
        sql: outboxWork,
        bindings: () => ({ outboxNowMillis: clock.nowMillis() }),
      });
      periodic.start();
      scan();
    },
    /** Claims no more destinations and waits, up to the grace period, for the transactions in flight. */
    async stop(): Promise<void> {
      state.stopping = true;
      unlisten();
      work?.unfollow();
      wakeAll();
      await Promise.all([scanned(), periodic.stop()]);
      const done = Promise.all([...held.values()].map((lease) => lease.done));
      await withinTime(done, config.shutdownGraceSeconds * 1000, () => undefined);
      state.abandoned = true;
      wakeAll();
      const left = [...held.values()].map(({ lease }) => lease);
      const nextAttemptMillis = clock.nowMillis();
      await Promise.allSettled(left.map((lease) => releaseDestination(db, { ...lease, nextAttemptMillis })));
    },
    /** Signals that messages may be due for these destinations, or anywhere if none are given. */
    wake(domains?: readonly string[]): void {
      for (const domain of domains ?? []) held.get(domain)?.delivery?.messagesArrived();
      if (state.stopping || domains?.every((domain) => held.has(domain))) return;
      if (freeSlots(sound) <= 0) {
        wakeAll();
        notifications.notify(outboxChannel, "");
        return;
      }
      name(domains ?? []);
      scan();
    },
  };
}

/**
 * Scans the outbox for due destinations, one scan at a time. A named destination has just received messages: it is claimed
 * without being looked for, which saves a round trip.
 */
function createScanner(deps: LeasesDeps, state: State, { freeSlots, begin }: Pick<LeaseRuns, "freeSlots" | "begin">) {
  const { pipelined, clock, logger } = deps;
  const named = new Set<string>();
  let scanning: Promise<void> | undefined;
  let scanAgain = false;

  const beginNamed = async (): Promise<void> => {
    // If more is due than there are slots, the destinations that have waited longest go first.
    const wanted = state.crowded ? [] : [...named].slice(0, Math.max(0, freeSlots(sound)));
    named.clear();
    await Promise.all(wanted.map((domain) => begin(domain, sound, "only")));
  };
  const findAndBegin = async (kind: DestinationKind): Promise<void> => {
    const limit = Math.max(0, freeSlots(kind));
    const due = await findDue(pipelined, { nowMillis: clock.nowMillis(), limit: limit + 1, ...kind });
    if (kind === sound) state.crowded = due.length > limit;
    await Promise.all(due.slice(0, limit).map((domain) => begin(domain, kind, "or other")));
  };
  const scanOnce = async (): Promise<void> => {
    if (state.stopping || !isEnabled(deps)) return;
    await beginNamed();
    await findAndBegin(sound);
    for (const kind of otherKinds) if (freeSlots(kind) > 0) await findAndBegin(kind);
  };
  const scan = (): void => {
    if (scanning !== undefined) {
      scanAgain = true;
      return;
    }
    scanAgain = false;
    scanning = scanOnce()
      .catch((error: unknown) => logger.warn({ err: error }, "the outbox could not be scanned"))
      .finally(() => {
        scanning = undefined;
        if (scanAgain && !state.stopping) scan();
      });
  };
  const name = (domains: readonly string[]): void => {
    for (const domain of domains) named.add(domain);
  };

  return { scan, name, scanned: async () => scanning };
}

type LeaseRuns = ReturnType<typeof createLeaseRuns>;

/** The leases that this node holds, each for one run. `ended` is called after each run. */
function createLeaseRuns(deps: LeasesDeps, state: State, ended: () => void) {
  const { db, pipelined, clock, config, logger } = deps;
  const { nodeId } = deps.nodes;
  const held = new Map<string, HeldLease>();

  const endingOf = (domain: Domain, transactions: number): Ending | undefined => {
    const hasHadTurn = state.crowded && transactions >= outboxTurnTransactions;
    if (state.stopping || !isEnabled(deps) || hasHadTurn) return "yield";
    return deps.statuses.admits(domain) ? undefined : { problem: "blocked here" };
  };
  const deliveryDeps: DeliveryDeps = {
    ...deps,
    memory: createByteSemaphore(config.outboxInFlightBytes),
    endingOf,
    abandoned: () => state.abandoned,
  };

  const freeSlots = ({ unreached, failing }: DestinationKind): number => {
    const max = unreached ? config.outboxUnreachedDestinations : config.outboxConcurrentDestinations;
    const taken = [...held.values()].filter(({ kind }) => kind.unreached === unreached);
    const free = max - taken.length;
    if (!failing) return free;
    return Math.min(free, Math.floor(max / 2) - taken.filter(({ kind }) => kind.failing).length);
  };
  const begin = async (domain: string, kind: DestinationKind, kinds: "only" | "or other"): Promise<void> => {
    if (held.has(domain) || state.stopping) return;
    const lease = { domain, leaseId: deps.random.uuid() };
    const entry: HeldLease = { lease, kind, delivery: undefined, done: Promise.resolve() };
    held.set(domain, entry);
    const claimed = await claimDestination(pipelined, {
      ...lease,
      node: nodeId,
      nowMillis: clock.nowMillis(),
      leaseSeconds: config.outboxLeaseSeconds,
      only: kinds === "only" ? kind : null,
    }).catch((error: unknown) => {
      logger.warn({ err: error, domain }, "a destination could not be claimed");
      return undefined;
    });
    if (claimed !== undefined) {
      entry.done = run(entry, claimed);
      return;
    }
    held.delete(domain);
    // The node that has it may be waiting for messages.
    if (kinds === "only") deps.notifications.notify(outboxChannel, domain);
  };
  const run = async (entry: HeldLease, claimed: Claimed): Promise<void> => {
    const { lease } = entry;
    try {
      entry.delivery = new Delivery(lease, claimed, deliveryDeps);
      await entry.delivery.run();
    } catch (error) {
      if (!state.abandoned) await releaseBroken(lease, claimed, error);
    } finally {
      held.delete(lease.domain);
      ended();
    }
  };
  /** If even this fails, the sweep finds the lease, which no run holds. */
  const releaseBroken = async (lease: Lease, { failures }: Claimed, error: unknown): Promise<void> => {
    logger.error({ err: error, domain: lease.domain }, "a delivery broke off");
    const nowMillis = clock.nowMillis();
    const nextAttemptMillis = nowMillis + backoffMillis(failures + 1, {}, deps);
    await releaseFailed(db, { ...lease, nowMillis, nextAttemptMillis, problem: "internal" }).catch(() => undefined);
  };

  return { held, freeSlots, begin };
}

/** Whether messages are exchanged with other servers at all. */
function isEnabled({ settings, calls }: LeasesDeps): boolean {
  return settings.current().federation.enabled && calls.isReady();
}

/** Releases the leases of dead nodes, leases that have run out, and leases of this node that no run holds. */
async function sweep({ db, clock, nodes }: LeasesDeps, held: ReadonlyMap<string, HeldLease>): Promise<void> {
  const nowMillis = clock.nowMillis();
  for (const lease of await findLeases(db)) {
    const mine = lease.node === nodes.nodeId;
    const isHeld = mine ? held.get(lease.domain)?.lease.leaseId === lease.leaseId : !(await nodes.isGone(lease.node));
    if (!isHeld || lease.over) await releaseDestination(db, { ...lease, nextAttemptMillis: nowMillis });
  }
}
