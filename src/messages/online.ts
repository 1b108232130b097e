import type { Database } from "../database/db.js";
import { createMemoryWindows } from "../limits/memory-windows.js";
import { limits } from "../limits/table.js";
import type { Clock } from "../node/clock.js";
import type { LimitObserver, LimitState } from "../protocol/rate-limit.js";
import { usedUpExtras } from "../protocol/rate-limit.js";
import { kibibyte } from "../protocol/units.js";
import type { SettingsService } from "../settings/service.js";
import { allowanceOf } from "./ingest/limits/messages-per-hour.js";
import type { MessageSettings } from "./model/config.js";
import { type DeviceProfile, findDeviceProfiles, findRecipients } from "./model/read-model.js";
import type { Accepted, Envelope, ForwardOnline, OnlineArrival, Outcome, Refused } from "./model/types.js";
import { readStreamNodes } from "./queue/stream-store.js";

/** Passes messages on to open streams and stores nothing: typing, receipts, call signalling. */
export type Online = ReturnType<typeof createOnline>;

/** Between nodes, larger messages are read from the queue, where these are not. */
export const maxOnlineBytes = 32 * kibibyte;

/**
 * Online-only messages are counted in the memory of the node, apart from messages: each message of the limit `messages` allows
 * `onlineMessagesPerSend` of them.
 */
export function createOnline(deps: {
  db: Database;
  clock: Clock;
  settings: Pick<SettingsService, "current">;
  /** Pushes to the streams of this node, and passes the others on to their nodes. Never throws. */
  pushOnline(arrivals: readonly OnlineArrival[]): void;
  forwardOnline: ForwardOnline;
  config: Pick<MessageSettings, "onlineMessagesPerSend">;
}) {
  const { db, clock, settings, config } = deps;
  const windows = createMemoryWindows("online_messages", clock);

  const allowed = (limit: number) => ({
    limit: limit * config.onlineMessagesPerSend,
    windowSeconds: settings.current().rate_limiting.window_seconds,
  });
  const refusalOver = ({ limit, resetAt }: Pick<LimitState, "limit" | "resetAt">): Refused => ({
    error: "RATE_LIMIT_EXCEEDED",
    message: limits.online_messages.message,
    extras: usedUpExtras({ limit, resetAt, now: clock.nowSeconds() }),
  });
  const grant = (profile: DeviceProfile | undefined, wanted: number, observer?: LimitObserver) => {
    if (profile === undefined) return { granted: 0, refusal: refusalOver({ limit: 0, resetAt: null }) };
    const { limit, zeroUntil } = allowanceOf(profile, { now: clock.nowSeconds(), settings: settings.current() });
    if (limit === null) return { granted: wanted, refusal: undefined };
    if (limit === 0) return { granted: 0, refusal: refusalOver({ limit: 0, resetAt: zeroUntil }) };
    const { granted, state } = windows.take(profile.device_id, wanted, allowed(limit));
    observer?.observeLimits([state], clock.nowSeconds());
    return { granted, refusal: granted < wanted ? refusalOver(state) : undefined };
  };

  /** Pushes to the devices of this server; whether the address of each envelope is known. */
  const pushHere = async (envelopes: readonly Envelope[]): Promise<boolean[]> => {
    const now = clock.nowSeconds();
    const prefixes = [...new Set(envelopes.map(({ recipient }) => recipient))];
    const holders = await findRecipients(db, { prefixes, now });
    const streamNodes = await readStreamNodes(db, [...new Set(holders.values())]);
    const arrivals: OnlineArrival[] = [];
    const known = envelopes.map((envelope) => {
      const recipient = holders.get(envelope.recipient);
      if (recipient === undefined) return false;
      // The list of living nodes may not have the node yet; if it is dead, the message is merely lost.
      const node = streamNodes.get(recipient);
      if (node !== undefined) arrivals.push(arrivalOf(envelope, { recipient, node, now }));
      return true;
    });
    deps.pushOnline(arrivals);
    return known;
  };

  return {
    /** The outcome of each message, in order. It does not tell whether the recipient has a stream. */
    async push(deviceId: string, envelopes: readonly Envelope[], observer?: LimitObserver): Promise<Outcome[]> {
      const profiles = await findDeviceProfiles(db, [deviceId]);
      const { granted, refusal } = grant(profiles.get(deviceId), envelopes.length, observer);
      const outcomes: (Outcome | undefined)[] = envelopes.map((envelope, i) => {
        if (refusal !== undefined && i >= granted) return refusal;
        return envelope.ciphertext.length > maxOnlineBytes ? tooLarge : undefined;
      });
      const passed = envelopes.filter((_, i) => outcomes[i] === undefined);
      const forwarded = deps.forwardOnline(passed.filter((one) => !isLocal(one))).values();
      const known = (await pushHere(passed.filter(isLocal))).values();
      return envelopes.map((envelope, i): Outcome => {
        const decided = outcomes[i];
        if (decided !== undefined) return decided;
        if (!isLocal(envelope)) return forwarded.next().value as Outcome;
        return known.next().value ? accepted : unknownRecipient;
      });
    },
    /** Pushes messages that another server has counted. Those that reach nobody are dropped. */
    async pushFromPeer(envelopes: readonly Envelope[]): Promise<void> {
      await pushHere(envelopes);
    },
    /** What the device may still send by way of this node; undefined without a limit. */
    async remaining(deviceId: string): Promise<LimitState | undefined> {
      const profile = (await findDeviceProfiles(db, [deviceId])).get(deviceId);
      if (profile === undefined) return undefined;
      const { limit } = allowanceOf(profile, { now: clock.nowSeconds(), settings: settings.current() });
      return limit === null ? undefined : windows.read(deviceId, allowed(limit));
    },
  };
}

const accepted: Accepted = { status: "queued", estimate: "delayed" };
const unknownRecipient: Refused = {
  error: "ADDRESS_NOT_FOUND",
  message: "the address has no active mapping on this server",
};
const tooLarge: Refused = {
  error: "MESSAGE_TOO_LARGE",
  message: `an online-only message has at most ${maxOnlineBytes} bytes`,
};

function isLocal({ domain }: Envelope): boolean {
  return domain === undefined;
}

function arrivalOf(
  { messageId, ciphertext, senderSignature, timestamp, systemEvent }: Envelope,
  { recipient, node, now }: { recipient: string; node: string; now: number },
): OnlineArrival {
  const content = { messageId, ciphertext, senderSignature, timestamp, systemEvent };
  return { deviceId: recipient, node, message: { ...content, position: 0, receivedAt: now } };
}
