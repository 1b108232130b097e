import type { Pipeline } from "../../database/db.js";
import type { ServerSettings } from "../../settings/service.js";
import type { Forwarded } from "../model/types.js";
import type { SideEffectOfCall } from "./calls.js";
import type { MessageKey } from "./deduplication/message-key.js";
import type { Refusals } from "./early-refusals.js";
import type { SenderContext } from "./limits/messages-per-hour.js";
import type { Additions, Queues } from "./limits/queue-limit.js";
import type { Grants } from "./limits/sending-windows.js";
import type { Answered, Decided, LookedUp, Parsed } from "./model/stages.js";

// What is known about a flush at each stage of its messages (model/stages.ts).

/** The values that hold for all messages of a flush. */
export interface Context extends SenderContext {
  readonly now: number;
  readonly settings: ServerSettings;
}

export interface ParsedFlush {
  readonly parsed: readonly Parsed[];
  /** The messages that are refused because they need a machine that does not answer. */
  readonly unreachable: Refusals<Parsed>;
  readonly sideEffects: readonly SideEffectOfCall[];
}

export interface LookedUpFlush {
  readonly context: Context;
  /** The messages that were not refused early. */
  readonly open: readonly LookedUp[];
  /** For what was recalled: reads whether it still holds, and forgets what does not. */
  readonly confirm: ((db: Pipeline) => Promise<boolean>) | undefined;
  /** The answers for all messages, in order, once the open ones are decided. */
  answersFor(decided: readonly Decided[]): readonly Answered[];
}

/** Counted as if every new message were accepted. */
export interface CountedFlush {
  readonly context: Context;
  readonly messages: readonly LookedUp[];
  /** The keys that no earlier flush has seen. */
  readonly fresh: ReadonlySet<MessageKey>;
  readonly grants: Grants;
  readonly additions: Additions;
  /** The queues with the additions. */
  readonly queues: Queues;
}

export interface DecidedFlush {
  readonly counted: CountedFlush;
  readonly decided: readonly Decided[];
  /** Stores the messages for other servers. */
  readonly forwarded: Pick<Forwarded, "statements" | "committed">;
}

/** Committed. */
export interface StoredFlush {
  readonly context: Context;
  readonly decided: readonly Decided[];
  readonly additions: Additions;
  readonly queues: Queues;
}
