import {
  connect,
  getDefaultAutoSelectFamilyAttemptTimeout,
  type Socket,
  setDefaultAutoSelectFamilyAttemptTimeout,
} from "node:net";

/**
 * Node.js tries the addresses of a name one after another, and gives each 250 ms unless told otherwise: a round trip
 * to another continent. This is enough for the slowest path and a lost packet, and little for a path that leads nowhere.
 */
const addressAttemptMillis = 2_500;

/**
 * Applies to every connection that the process opens to a name: to peers, push services, storage, mail servers,
 * authorities, the database.
 */
export function allowSlowAddresses(): void {
  const millis = Math.max(addressAttemptMillis, getDefaultAutoSelectFamilyAttemptTimeout());
  setDefaultAutoSelectFamilyAttemptTimeout(millis);
}

const longestConnectMillis = 30_000;

/** Opens a TCP connection. Rejects if none of the name's addresses answers in time, or if the signal aborts. */
export function openConnection(to: { host: string; port: number }, signal: AbortSignal): Promise<Socket> {
  const timeout = AbortSignal.timeout(longestConnectMillis);
  const ended = AbortSignal.any([signal, timeout]);
  return new Promise((resolve, reject) => {
    const socket = connect(to);
    const abandon = () => {
      const late = `no connection to ${to.host}:${to.port} within ${longestConnectMillis / 1000} seconds`;
      socket.destroy(timeout.aborted ? new Error(late) : ended.reason);
    };
    // Stays, because an error without a listener would end the process.
    socket.on("error", reject);
    ended.addEventListener("abort", abandon, { once: true });
    if (ended.aborted) abandon();
    socket.once("connect", () => {
      ended.removeEventListener("abort", abandon);
      resolve(socket);
    });
  });
}
