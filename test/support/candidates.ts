import { isDeepStrictEqual } from "node:util";

/** A model whose state can be copied. */
interface Cloneable<M> {
  clone(): M;
}

/** Concurrent requests and their answers. */
interface Round<M, S, R> {
  steps: readonly S[];
  answers: readonly R[];
  /** The model's answer to a step; changes the model. */
  run(model: M, step: S): R;
  /** Whether an answer is as good as the model's; equality by default. */
  same?: (answers: readonly R[], given: readonly R[]) => boolean;
}

/**
 * The states in which a server may be after a round. Concurrent requests may be served in any order, and several orders
 * may give the same answers, so the known state is a set of models: for each model and each order, those whose answers
 * equal the actual ones. Throws an error with the expected answers if there is none.
 */
export function survivors<M extends Cloneable<M>, S, R>(models: readonly M[], round: Round<M, S, R>): M[] {
  const { answers, same = isDeepStrictEqual } = round;
  const outcomes = models.flatMap((model) => ordersOf(round.steps.length).map((order) => serve(model, order, round)));
  const fitting = outcomes.filter(({ given }) => same(answers, given)).map(({ after }) => after);
  const distinct = fitting.filter((one, i) => !fitting.slice(0, i).some((other) => isDeepStrictEqual(one, other)));
  if (distinct.length > 0) return distinct;
  const expected = outcomes.map(({ given }) => JSON.stringify(given));
  throw new Error(`the answers ${JSON.stringify(answers)} are none of ${[...new Set(expected)].join(" or ")}`);
}

function serve<M extends Cloneable<M>, S, R>(model: M, order: readonly number[], { steps, run }: Round<M, S, R>) {
  const after = model.clone();
  const given: R[] = [];
  for (const index of order) given[index] = run(after, steps[index] as S);
  return { after, given };
}

/** One request, or two in either order. */
function ordersOf(length: number): number[][] {
  return length === 1
    ? [[0]]
    : [
        [0, 1],
        [1, 0],
      ];
}
