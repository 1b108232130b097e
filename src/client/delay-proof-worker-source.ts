/**
 * The program of the worker that computes a delay proof. Node.js worker threads and browser workers both run it. It is
 * a string and receives the hash loop as a compiled module, so bundlers need no separate file. It receives one task and
 * answers `{ done }` from time to time, `{ mark }` at each checkpoint and `{ end }` at the end.
 */
export const delayProofWorkerSource = `
"use strict";
const port = typeof require === "function" ? require("node:worker_threads").parentPort : self;
const receive = async ({ module, words, marks, chunk }) => {
  const { exports } = new WebAssembly.Instance(module);
  const state = new Int32Array(exports.memory.buffer, 0, 8);
  state.set(words);
  let done = 0;
  for (const mark of marks) {
    while (done < mark) {
      const steps = Math.min(chunk, mark - done);
      exports.run(steps);
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
