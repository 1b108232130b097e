import { afterEach, beforeEach } from "vitest";
import { loggedFaults } from "./logged-faults.js";

// Adds what relays logged as errors during a test to the message of a failed test, because the answer to a client says
// nothing about a fault of the server.

beforeEach(() => void loggedFaults.take());

afterEach(({ task }) => {
  const [error] = task.result?.errors ?? [];
  const logged = loggedFaults.take().join("").trimEnd();
  if (error !== undefined && logged !== "") error.stack = `${error.message}\nlogged: ${logged}\n${error.stack ?? ""}`;
});
