import { isDeepStrictEqual } from "node:util";

/** A model whose state can be copied. */
export interface Cloneable<M> {
  clone(): M;
}

/**
 * Looks for an order in which the model gives the answers that requests sent at once were given. `fits` is the model
 * after that order; where there is none, `expected` tells what the order of sending would give.
 */
export function eitherOrder<M extends Cloneable<M>, S, R>(
  model: M,
  steps: readonly S[],
  seen: {
    answers: readonly R[];
    run(model: M, step: S): R;
    same?: (answers: readonly R[], given: readonly R[]) => boolean;
  },
): { fits: M | undefined; expected: readonly R[] } {
  const same = seen.same ?? isDeepStrictEqual;
  const orders =
    steps.length === 1 ? [[0]] : [steps.map((_, index) => index), steps.map((_, index) => index).reverse()];
  let expected: R[] = [];
  for (const order of orders) {
    const copy = model.clone();
    const given: R[] = [];
    for (const index of order) given[index] = seen.run(copy, steps[index] as S);
    if (same(seen.answers, given)) return { fits: copy, expected: given };
    if (expected.length === 0) expected = given;
  }
  return { fits: undefined, expected };
}
