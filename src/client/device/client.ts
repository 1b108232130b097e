import type { components } from "../../../generated/openapi-types.js";
import type { AnswerOf, Caller, CallInput, CallOptions } from "../connection/calls.js";
import { type Connection, type ConnectionOptions, connect } from "../connection/connection.js";
import { createEndedAddresses, prefixOf, untilEnded } from "../connection/ended-addresses.js";
import { readRateLimits, type SeenLimit, type SeenLimits } from "../connection/rate-limits.js";
import { demandRetries, withRetries } from "../connection/retry.js";
import {
  createSessionKeeper,
  demandSession,
  fixedToken,
  type Session,
  type SessionKeeper,
  type TokenSession,
} from "../connection/session.js";
import { mergeAddresses, SessionNotStoredError, type SessionStore, saveMerged } from "../connection/session-store.js";
import { type DeviceKeys, demandKeys } from "../crypto/keys.js";
import { type GroupMessage, type GroupResult, sendToGroup } from "../messages/group-messages.js";
import { encodeMessage, type OutgoingMessage } from "../messages/messages.js";
import { createDevicePush, type DevicePush } from "../push/push.js";
import { type AnnounceOptions, announceForAddress, announcePrefixes } from "../registration/announce.js";
import { activeAddresses, createRenewals } from "../registration/renewals.js";
import { unlessAborted } from "../runtime/abort.js";
import {
  demandAddress,
  demandArray,
  demandFunction,
  demandMessageId,
  demandOptions,
  demandSignal,
  ifGiven,
} from "../runtime/arguments.js";
import { createAcknowledger } from "../stream/acknowledger.js";
import { createDeviceQueue, type DeviceQueue } from "../stream/device-queue.js";
import { createInbox } from "../stream/inbox.js";
import type { Receiving, ReceivingOptions } from "../stream/receiving.js";
import { startReceiving } from "../stream/stream-or-poll.js";
import { createStreamSends } from "../stream/stream-sends.js";

export interface DeviceOptions extends ConnectionOptions {
  keys: DeviceKeys;
  /** A stored session. */
  session?: Session | undefined;
  /** Called with every new session, to store it. `register` and `announce` wait for it. */
  onSession?: ((session: Session) => unknown) | undefined;
  /**
   * Instead of `session` and `onSession`, for several tabs or processes with the same device: what each of them announces and ends is
   * merged into what is stored. Where there are Web Locks, only one at a time does so.
   */
  sessionStore?: SessionStore | undefined;
}

type PollQuery = NonNullable<CallInput<"pollMessages">["query"]>;

/** A device at one relay. */
export interface DeviceClient extends Caller {
  readonly deviceId: string;
  readonly keys: DeviceKeys;
  readonly connection: Connection;
  /** The current session; `undefined` before the first announcement. */
  session(): Session | undefined;
  /**
   * Registers, or adds an address that the relay chooses. The new session replaces the current one. Throws SessionNotStoredError if the
   * relay has done so and storing the session failed.
   */
  register(options?: AnnounceOptions): Promise<Session>;
  /** Claims or renews addresses that the device chooses. The first announcement also registers the device. */
  announce(prefixes: readonly string[], options?: AnnounceOptions): Promise<Session>;
  /**
   * Renews the addresses of the session for another 24 hours: all of them or, if one is refused, none. Announces nothing if another client
   * of the device has renewed them within the last hour.
   */
  renewAddresses(): Promise<Session>;
  /** The device's active addresses as the relay knows them, those that other clients of the device announced included. */
  addresses(options?: CallOptions): Promise<AnswerOf<"listAddresses">["addresses"]>;
  /**
   * Ends an address of the device at once: senders get ADDRESS_NOT_FOUND. The session drops it, so it is not renewed even if
   * this throws; call it again then. Resolves also if the address is not active any more.
   */
  endAddress(address: string, options?: CallOptions): Promise<void>;
  /**
   * Sends over the stream while `receive` has one open at a relay that accepts messages there, otherwise by POST. A
   * message that was aborted may have been sent: to be sure, send it again with the same `messageId`.
   */
  send(message: OutgoingMessage, options?: CallOptions): Promise<AnswerOf<"sendMessage">>;
  /**
   * Sends at most 100 messages. Check the status of each in the answer. `oneMessage` says that they are copies of one message
   * for different recipients: relays that can count them together then do.
   */
  sendBatch(
    messages: readonly OutgoingMessage[],
    options?: CallOptions & { oneMessage?: boolean },
  ): Promise<components["schemas"]["SendMessageBatchResponse"]>;
  /** Sends one message to many recipients. Check the status of each in the answer. */
  sendToGroup(message: GroupMessage, options?: CallOptions): Promise<GroupResult>;
  /** Whether the device has handled what was queued for it. */
  readonly queue: DeviceQueue;
  poll(query?: PollQuery, options?: CallOptions): Promise<AnswerOf<"pollMessages">>;
  acknowledge(messageIds: readonly string[], options?: CallOptions): Promise<AnswerOf<"acknowledgeMessages">>;
  /** The device's trust tier and what is left of each of its limits, as the relay counts them now. */
  limits(options?: CallOptions): Promise<AnswerOf<"getLimits">>;
  /**
   * What was left of each limit according to the latest answers; makes no request. A limit is missing until an answer
   * names it.
   */
  seenLimits(): SeenLimits;
  /** Wake-ups by Web Push or UnifiedPush while the device holds no stream. */
  readonly push: DevicePush;
  /**
   * Receives messages over the stream or by polling, and acknowledges each one that `handle` has processed. One message of a client is in
   * one `handle` at a time, that of `push.handle` included.
   */
  receive(options: ReceivingOptions): Receiving;
}

/** Discovers the relay. Announces nothing yet. */
export async function connectDevice(options: DeviceOptions): Promise<DeviceClient> {
  demandOptions(options, "options");
  demandKeys(options.keys);
  const store = options.sessionStore;
  ifGiven(store, (given) => {
    demandOptions(given, "sessionStore");
    demandFunction(given.load, "sessionStore.load");
    demandFunction(given.save, "sessionStore.save");
  });
  const stored = options.session ?? (await store?.load());
  ifGiven(stored, demandSession);
  ifGiven(options.onSession, (onSession) => demandFunction(onSession, "onSession"));
  const connection = await connect(options);
  const { keys } = options;
  const keeper: SessionKeeper<Session> = createSessionKeeper<Session>(
    {
      clock: connection.clock,
      refresh: (session) => refresh(connection, session),
      renew: () => renewals.ofSession(),
      async onChange(session) {
        await options.onSession?.(session);
        await save(session);
      },
    },
    stored,
  );
  const save = async (session: Session): Promise<void> => {
    if (store !== undefined) await saveMerged(store, session, { deviceId: keys.deviceId, isEnded: ended.has });
  };
  const seenLimits = new Map<string, SeenLimit>();
  const withToken = connection.callerWith(
    { device: keeper },
    {
      onAnswer(headers) {
        for (const limit of readRateLimits(headers, connection.clock.nowSeconds())) seenLimits.set(limit.name, limit);
      },
    },
  );
  const sends = createStreamSends(connection.runtime);
  const queue = createDeviceQueue(connection.runtime, async () => {
    const { messages } = await withToken.call("pollMessages", { query: { limit: 1 } });
    return messages.length === 0;
  });
  const acknowledger = createAcknowledger(withToken, connection.runtime);
  const inbox = createInbox({ done: acknowledger.done, runtime: connection.runtime });
  const reading = { caller: withToken, inbox, acknowledger, queue };
  const ended = createEndedAddresses((prefix, session) =>
    untilEnded(connection.callerWith({ device: fixedToken(session) }).call("endAddress", { path: { prefix } })),
  );
  const renewed = async (announced: Session): Promise<Session> => {
    const left = await ended.leaveOut(announced);
    return mergeAddresses(keeper.current(), left);
  };
  const renewals = createRenewals({
    connection,
    keys,
    store,
    current: keeper.current,
    refresh: (session) => refresh(connection, session),
    complete: renewed,
    save,
  });
  /**
   * What other clients of the device have announced is renewed here, too, and what a registration has left whose answer was lost. A relay
   * that does not say it now will later.
   */
  const withOthers = async (session: Session): Promise<Session> => {
    const active = await activeAddresses(connection, session).catch(() => []);
    const addresses = active.map(({ full_address: address }) => address);
    return ended.leaveOut(mergeAddresses({ addresses }, session));
  };
  const keep = async (announced: Promise<Session>): Promise<Session> => {
    const session = await withOthers(await renewed(await announced));
    await keeper.replace(session).catch((cause: unknown) => {
      throw new SessionNotStoredError(session, cause);
    });
    return session;
  };
  /** Relays that do not know `one_message` refuse it. */
  const countsCopies = async (signal: AbortSignal | undefined): Promise<boolean> => {
    const { capabilities } = await unlessAborted(connection.discover(), signal);
    return capabilities.group_message_cost !== undefined;
  };

  const client: DeviceClient = {
    deviceId: keys.deviceId,
    keys,
    connection,
    call: (operation, ...input) => withToken.call(operation, ...input),
    exchange: (operation, ...input) => withToken.exchange(operation, ...input),
    session: () => keeper.current(),
    register: (given) => keep(announceForAddress(connection, keys, given)),
    announce(prefixes, given = {}) {
      const announced = announcePrefixes(connection, keys, { ...given, prefixes });
      return keep(
        announced.then((session) => {
          ended.forget(prefixes);
          return session;
        }),
      );
    },
    renewAddresses: () => keep(renewals.ofAddresses()),
    addresses: async (options = {}) => (await withToken.call("listAddresses", options)).addresses,
    async endAddress(address, options = {}) {
      demandAddress(address, "address");
      const prefix = prefixOf(address);
      ended.add(prefix);
      const session = keeper.current();
      if (session !== undefined) {
        const left = session.addresses.filter((one) => prefixOf(one) !== prefix);
        await keeper.replace({ ...session, addresses: left }).catch(() => undefined);
      }
      await untilEnded(withToken.call("endAddress", { ...options, path: { prefix } }));
    },
    async send(message, options = {}) {
      ifGiven(options.signal, (signal) => demandSignal(signal, "signal"));
      ifGiven(options.retries, demandRetries);
      const body = await encodeMessage(message, connection);
      const once = { ...options, body, retries: { attempts: 1 } };
      const attempt = async () => (await sends.send(body, options.signal)) ?? withToken.call("sendMessage", once);
      const { runtime, retries } = connection;
      return withRetries("sendMessage", attempt, { ...options, runtime, policy: { ...retries, ...options.retries } });
    },
    async sendBatch(messages, { oneMessage = false, ...options } = {}) {
      demandArray(messages, { what: "messages", max: maxMessages }, demandOptions);
      const wired = await Promise.all(messages.map((message) => encodeMessage(message, connection)));
      const isCounted = oneMessage && (await countsCopies(options.signal));
      const body = { messages: wired, ...(isCounted && { one_message: true }) };
      return withToken.call("sendMessageBatch", { ...options, body });
    },
    sendToGroup: (message, options) => sendToGroup(message, { connection, caller: withToken, options }),
    queue,
    poll: (query = {}, options = {}) => withToken.call("pollMessages", { ...options, query }),
    async acknowledge(ids, options) {
      demandArray(ids, { what: "messageIds", max: maxAcknowledged }, demandMessageId);
      return withToken.call("acknowledgeMessages", { ...options, body: { message_ids: [...ids] } });
    },
    limits: (options = {}) => withToken.call("getLimits", options),
    seenLimits: () => seenLimits,
    push: createDevicePush(connection, reading),
    receive: (given) =>
      startReceiving({ ...reading, connection, keeper, sends, renewAddresses: client.renewAddresses }, given),
  };
  return client;
}

async function refresh(connection: Connection, session: Session): Promise<TokenSession> {
  const answer = await connection.callerWith({ device: fixedToken(session) }).call("refreshDeviceToken");
  return { accessToken: answer.access_token, expiresAt: answer.expires_at };
}

/** Maximum number of messages in a batch, and of ids in an acknowledgement (specification, "Limits"). */
const maxMessages = 100;
const maxAcknowledged = 1_000;
