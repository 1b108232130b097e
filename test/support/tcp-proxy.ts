import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** A TCP proxy on a separate port, which can disturb what passes through it. */
export interface TcpProxy {
  port: number;
  /** Where connections go. */
  target: { port: number };
  /** Delay of each piece of data, in milliseconds. */
  delayMillis: number;
  /** Whether new connections are accepted. Refused connections are closed at once, as by a server that is down. */
  open: boolean;
  /** Whether data in each direction is passed on; otherwise it is held until then. */
  requests: "pass" | "hold";
  answers: "pass" | "hold";
  /** Number of current connections. */
  connections(): number;
  /** The ports from which the target is reached. */
  sources(): number[];
  /** Total bytes received from the target's side. */
  answered(): number;
  /** Total bytes received from the other side. */
  asked(): number;
  /** Breaks every connection and drops the held data. */
  cut(): void;
  stop(): Promise<void>;
}

/**
 * With a credential, it uses TLS towards clients and plain TCP towards its target; without one it passes on what it
 * gets.
 */
export async function startTcpProxy(targetPort: number, credential?: { cert: string; key: string }): Promise<TcpProxy> {
  const pairs = new Set<{ near: Socket; far: Socket }>();
  let answered = 0;
  let asked = 0;

  const take = (near: Socket): void => {
    if (!proxy.open) {
      near.on("error", () => undefined);
      near.destroy();
      return;
    }
    const far = connect(proxy.target.port, "127.0.0.1");
    const pair = { near, far };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on("error", end).on("close", end);
    far.on("data", (data) => {
      answered += data.length;
    });
    near.on("data", (data) => {
      asked += data.length;
    });
    pass(near, far, { held: () => proxy.requests === "hold", proxy });
    pass(far, near, { held: () => proxy.answers === "hold", proxy });
  };
  const server = credential
    ? createTlsServer({ ...credential, minVersion: "TLSv1.3" }, take).on("tlsClientError", () => undefined)
    : createServer(take);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    target: { port: targetPort },
    delayMillis: 0,
    open: true,
    requests: "pass",
    answers: "pass",
    connections: () => pairs.size,
    sources: () => [...pairs].map(({ far }) => far.localPort ?? 0),
    answered: () => answered,
    asked: () => asked,
    cut() {
      for (const { near, far } of pairs) {
        near.destroy();
        far.resetAndDestroy();
      }
    },
    async stop() {
      proxy.open = false;
      proxy.cut();
      server.close();
      await once(server, "close");
    },
  };
  return proxy;
}

const lookMillis = 5;

/** Passes pieces on in order, each after its delay and once its direction is not held. */
function pass(
  from: Socket,
  to: Socket,
  { held, proxy }: { held: () => boolean; proxy: Pick<TcpProxy, "delayMillis"> },
): void {
  let before: Promise<void> = Promise.resolve();
  from.on("data", (data) => {
    before = before.then(async () => {
      if (proxy.delayMillis > 0) await pause(proxy.delayMillis);
      while (held() && !to.destroyed) await pause(lookMillis);
      if (!to.destroyed) to.write(data);
    });
  });
  from.on("end", () => {
    before = before.then(() => {
      to.end();
    });
  });
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}
