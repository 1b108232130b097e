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

/** After so many identical answers in a row, asking again is expected to change nothing. */
export const enoughAnswers = 3;

export function repeated(before: RepeatedAnswers | undefined, position: number, answer: string): RepeatedAnswer {
  const last = before?.[position];
  return { answer, times: last?.answer === answer ? last.times + 1 : 1, asked: (last?.asked ?? 0) + 1 };
}
