import { describe, expect, test } from "vitest";
import { findMutation, mutations } from "../../scripts/model/mutations.js";
import { compileModel, models, readModel, stepsPerRun } from "../../scripts/model/simulator.js";

/** A busy machine needs minutes. */
const patience = 900_000;
const runs = { queue: 900, slots: 800, federation: 300, disputes: 100 } as const;

describe("the models of spec/model", () => {
  test.each(models)(
    "no run of %s breaks a promise",
    async (model) => {
      const compiled = await compileModel(model, await readModel(model));
      const options = { invariant: "promises", runs: runs[model], steps: stepsPerRun[model], seed: 1 };
      expect(compiled.findViolation(options)).toBeUndefined();
    },
    patience,
  );

  test.each(mutations)(
    "a run shows that $title",
    async (mutation) => {
      expect(await findMutation(mutation)).toBeDefined();
    },
    patience,
  );
});
