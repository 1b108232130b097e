import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

// Runs models with the TypeScript simulator of Quint, in this process: its command line starts again for every model, and its
// default simulator is a program that it downloads.

export const models = ["queue", "slots", "federation", "disputes"] as const;
export type Model = (typeof models)[number];
/** Models whose runs are repeated with relays. */
export type RelayModel = Exclude<Model, "disputes">;
/** How long a run is. */
export const stepsPerRun: Readonly<Record<Model, number>> = { queue: 30, slots: 30, federation: 60, disputes: 60 };
/** How long a run is that is repeated with relays, which takes some milliseconds a step, or with the library. */
export const stepsPerReplay: Readonly<Record<Model, number>> = { queue: 20, slots: 30, federation: 40, disputes: 10 };

/** A state of a run in the form ITF: each variable by its name, and the action that led to the state. */
export type ItfState = Readonly<Record<string, unknown>>;

interface RunOptions {
  /** A definition of the model that must hold in every state. */
  invariant: string;
  runs: number;
  steps: number;
  /** Runs with the same seed are the same. */
  seed: number;
}

interface CompiledModel {
  /** The states of a run that breaks the invariant, or undefined. */
  findViolation(options: RunOptions): ItfState[] | undefined;
  /** The states of each run. `step` is the action that makes a step. */
  traces(options: Omit<RunOptions, "invariant"> & { step: string }): ItfState[][];
}

// What is used of Quint. Its own types need those of all its dependencies, and nothing but these scripts loads it.
interface Either<T> {
  isLeft(): boolean;
  value: T;
}
interface Outcome {
  status: "ok" | "violation" | "error";
  errors: readonly unknown[];
  bestTraces: readonly { states: readonly unknown[] }[];
}
interface Parsed {
  table: unknown;
  modules: readonly { name: string }[];
}
interface Evaluator {
  simulate(...args: [init: unknown, step: unknown, invariant: unknown, witnesses: [], ...counts: number[]]): Outcome;
}

const load = createRequire(import.meta.url);
const quint = (module: string) => load(`@informalsystems/quint/dist/src/${module}`);
const folder = new URL("../../spec/model/", import.meta.url);

export function readModel(model: Model): Promise<string> {
  return readFile(fileURLToPath(new URL(`${model}.qnt`, folder)), "utf8");
}

/** Throws if the text is no model. Its types are checked unless that was done before, which takes most of the time. */
export async function compileModel(
  model: Model,
  text: string,
  { checksTypes = true }: { checksTypes?: boolean } = {},
): Promise<CompiledModel> {
  const commands = quint("cliCommands");
  const path = fileURLToPath(new URL(`${model}.qnt`, folder));
  const loaded = { args: {}, path, sourceCode: new Map([[path, text]]), warnings: [] };
  const parsed = demand<Parsed>(await commands.parse(loaded));
  if (checksTypes) demand(await commands.typecheck(parsed));
  const expression = (name: string): unknown => demand(quint("cliHelpers").toExpr(parsed, name));
  const silent = 0;

  const simulate = (options: RunOptions, kept: { traces: number; step: string; withActions: boolean }): Outcome => {
    const rng = createRng(options.seed);
    const recorder = quint("runtime/trace").newTraceRecorder(silent, rng, kept.traces);
    const { Evaluator } = quint("runtime/impl/evaluator");
    const evaluator: Evaluator = new Evaluator(parsed.table, recorder, rng, kept.withActions);
    const [init, step, invariant] = ["init", kept.step, options.invariant].map(expression);
    const outcome = evaluator.simulate(init, step, invariant, [], options.runs, options.steps, 1);
    if (outcome.status === "error") throw new Error(`${model}: ${JSON.stringify(outcome.errors, withBigint)}`);
    return outcome;
  };
  const toStates = (states: readonly unknown[]): ItfState[] =>
    demand<{ states: ItfState[] }>(quint("itf").toItf([], states, true)).states;

  return {
    findViolation(options) {
      const outcome = simulate(options, { traces: 1, step: "step", withActions: false });
      return outcome.status === "violation" ? toStates(outcome.bestTraces[0]?.states ?? []) : undefined;
    },
    traces({ step, ...options }) {
      const kept = { traces: options.runs, step, withActions: true };
      return simulate({ ...options, invariant: "true" }, kept).bestTraces.map(({ states }) => toStates(states));
    },
  };
}

/** Quint's own generator computes with big integers, which takes a third of a run's time. This one is sfc32. */
function createRng(seed: number) {
  let state: [number, number, number, number] = [0, seed | 0, Math.floor(seed / 2 ** 32) | 0, 1];
  const draw = (): number => {
    const [a, b, c, counter] = state;
    const drawn = (a + b + counter) | 0;
    state = [b ^ (b >>> 9), (c + (c << 3)) | 0, (((c << 21) | (c >>> 11)) + drawn) | 0, (counter + 1) | 0];
    return drawn >>> 0;
  };
  for (let i = 0; i < 12; i++) draw();
  return {
    getState: () => BigInt(seed),
    setState: () => undefined,
    next: (below: bigint) => BigInt(draw() % Number(below)),
  };
}

/** What came out right. */
function demand<T>(result: Either<T>): T {
  if (!result.isLeft()) return result.value;
  const problem = result.value as Record<string, unknown> & { msg?: string; message?: string };
  const details = (problem["stage"] as { errors?: unknown } | undefined)?.errors;
  throw new Error(`${problem.msg ?? problem.message}: ${JSON.stringify(details, withBigint)}`);
}

function withBigint(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
