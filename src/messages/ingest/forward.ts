import type { Executor } from "../../database/db.js";
import type { Forward, Forwarded, Outcome, OutgoingMessage } from "../model/types.js";
import { tagOf } from "./deduplication/message-key.js";
import { type Decided, isAccepted, isRemote } from "./model/stages.js";

/** All messages, and the statements that store those for other servers. */
interface ForwardedFlush extends Pick<Forwarded, "statements" | "committed"> {
  readonly decided: readonly Decided[];
}

/** Passes the accepted messages for other servers to the outbox; its result is their outcome. */
export async function forwardRemote(
  db: Executor,
  decided: readonly Decided[],
  forward: Forward,
): Promise<ForwardedFlush> {
  const remote = decided.filter((one) => isRemote(one.message) && isAccepted(one));
  if (remote.length === 0) return { decided, statements: [], committed: () => undefined };
  const { outcomes, statements, committed } = await forward(db, remote.map(outgoingMessage));
  const forwarded = new Map(remote.map((one, i) => [one, withOutcome(one, outcomes[i])]));
  const all = decided.map((one) => forwarded.get(one) ?? one);
  return { decided: answerRepetitions(all, [...forwarded.values()]), statements, committed };
}

function withOutcome({ message, outcome, position, used }: Decided, given: Outcome | undefined): Decided {
  return { message, outcome: given ?? outcome, position, used };
}

/** A repetition within the flush was accepted because the first message was; now it is refused with it. */
function answerRepetitions(decided: readonly Decided[], forwarded: readonly Decided[]): readonly Decided[] {
  const refused = new Map(forwarded.filter((one) => !isAccepted(one)).map((one) => [one.message.key, one.outcome]));
  if (refused.size === 0) return decided;
  return decided.map((one) => {
    const outcome = isAccepted(one) ? undefined : refused.get(one.message.key);
    return outcome === undefined || one.outcome === outcome
      ? one
      : { message: one.message, outcome, position: one.position, used: undefined };
  });
}

function outgoingMessage({ message }: Decided): OutgoingMessage {
  const { envelope, key, toMany } = message;
  const {
    domain = "",
    recipient,
    messageId,
    ciphertext,
    senderSignature,
    timestamp,
    systemEvent,
    lifetimeSeconds,
  } = envelope;
  const content = { messageId, ciphertext, senderSignature, timestamp, systemEvent, lifetimeSeconds };
  return { toMany, domain, recipient, ...content, dedupTag: tagOf(key) };
}
