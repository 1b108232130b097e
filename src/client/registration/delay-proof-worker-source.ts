import { hashRepeatedly } from "../../protocol/sha256-loop.js";

/**
 * The program of the worker that computes a delay proof. Node.js worker threads and browser workers both run it. It is
 * a string and receives the hash loop as a compiled module, so bundlers need no separate file. Without a module, because a page's policy
 * forbids WebAssembly, it runs the loop in JavaScript. It receives one task and answers `{ done }` from time to time, `{ mark }` at each checkpoint and `{ end }` at the end.
 */
export const delayProofWorkerSource = () => `
"use strict";
const port = typeof require === "function" ? require("node:worker_threads").parentPort : self;
const hashRepeatedly = ${hashRepeatedly};
const loopOf = (module, constants) => {
  if (module === undefined) {
    const state = new Int32Array(8);
    return { state, run: (steps) => hashRepeatedly(state, steps, constants) };
  }
  const { exports } = new WebAssembly.Instance(module);
  return { state: new Int32Array(exports.memory.buffer, 0, 8), run: exports.run };
};
const receive = async ({ module, constants, words, marks, chunk }) => {
  const { state, run } = loopOf(module, constants);
  state.set(words);
  let done = 0;
  for (const mark of marks) {
    while (done < mark) {
      const steps = Math.min(chunk, mark - done);
      run(steps);
      done += steps;
      port.postMessage({ done });
    }
    port.postMessage({ mark: state.slice() });
  }
  port.postMessage({ end: true });
};
if (port === globalThis.self) port.onmessage = (event) => receive(event.data);
else port.on("message", receive);
`;
