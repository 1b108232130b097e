// A transaction of the federation interface, as it is stored before it is sent.

/** The identity of a transaction, the same in all attempts. */
export interface StoredTransaction {
  id: string;
  /** Unix seconds. */
  at: number;
  positions: number[];
  form: DeliveryForm;
  /** Null unless it is delayed: sent again later and apart from others. */
  delayed: Delay | null;
}

/** The extensions of the specification that a delivery may use. Each needs the peer's announcement. */
export interface DeliveryForm {
  /** Whether messages that share a ciphertext are sent with one copy of it. Bytes are counted accordingly. */
  shares: boolean;
  /** Whether ciphertexts are attached to the JSON as bytes. */
  attached: boolean;
  /** Whether messages carry `dedup_tag`. */
  tags: boolean;
  /** Whether messages carry `system_event`. */
  events: boolean;
  /** Whether messages carry `expires_in_seconds`. */
  lifetimes: boolean;
}

/** Why a transaction is sent again apart from others. Meanwhile its recipients get nothing else. */
export interface Delay {
  /** Since when, in Unix seconds. */
  since: number;
  answers: RepeatedAnswers;
}

/** An answer that neither delivers a message nor rejects it for good. */
export interface RepeatedAnswer {
  answer: string;
  /** How often in a row the peer gave it. */
  times: number;
  /** How often the peer was asked, whatever it answered. */
  asked: number;
}

/** The repeated answers to the messages of a transaction, by their positions. */
export type RepeatedAnswers = Readonly<Record<number, RepeatedAnswer>>;

/** After this many identical answers in a row, asking again is expected to change nothing. */
export const enoughAnswers = 3;

export function countAnswer(before: RepeatedAnswers | undefined, position: number, answer: string): RepeatedAnswer {
  const last = before?.[position];
  return { answer, times: last?.answer === answer ? last.times + 1 : 1, asked: (last?.asked ?? 0) + 1 };
}
