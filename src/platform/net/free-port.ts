import { createServer } from "node:net";

/**
 * Below the ports that systems choose for outgoing connections, because such a port could be taken again before it is
 * used.
 */
const lowest = 20_000;
const highest = 32_000;
const maxAttempts = 100;
/**
 * Processes that start together try different ports; otherwise another process could take the port before it is used.
 */
const portsPerProcess = 97;
let next = process.pid * portsPerProcess;

/** A port of 127.0.0.1 on which nothing listened a moment ago. Throws if none is found. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const port = lowest + (next++ % (highest - lowest));
    if (await isFree(port)) return port;
  }
  throw new Error(`no port between ${lowest} and ${highest} is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // Stays attached for the server's whole life: an error may come even after it is closed.
    server.on("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
