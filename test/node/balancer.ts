import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Deals connections to several servers in turn, and goes on to the next one where a server takes none. */
export interface Balancer {
  url: string;
  /** The ports of the servers; may change at any time. */
  ports: number[];
  stop(): Promise<void>;
}

export async function startBalancer(ports: number[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    return socket;
  };
  const reach = async (): Promise<Socket | undefined> => {
    for (let tries = 0; tries < balancer.ports.length; tries++) {
      const far = keep(connect(balancer.ports[turn++ % balancer.ports.length] ?? 0, "127.0.0.1"));
      const reached = await once(far, "connect").then(
        () => true,
        () => false,
      );
      if (reached) return far;
    }
    return undefined;
  };
  const server = createServer(async (near) => {
    keep(near);
    const far = await reach();
    if (far === undefined) return near.resetAndDestroy();
    near.pipe(far).pipe(near);
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const balancer: Balancer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ports,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return balancer;
}
