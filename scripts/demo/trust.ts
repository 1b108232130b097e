import { Agent, request } from "node:https";
import { WebSocket } from "ws";
import type { Runtime, SocketLike } from "../../src/client/runtime/runtime.js";

/** `fetch` and WebSocket for a client that trusts only one authority (PEM). Close it at the end. */
interface Trusting {
  runtime: Pick<Runtime, "fetch" | "openSocket">;
  close(): void;
}

const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

export function trusting(authority: string): Trusting {
  const agent = new Agent({ ca: authority, keepAlive: true });

  return {
    runtime: {
      fetch: (url, init) => fetchWith(agent, url, init),
      openSocket: (url) => new WebSocket(url, { ca: authority }) as unknown as SocketLike,
    },
    close: () => agent.destroy(),
  };
}

function fetchWith(agent: Agent, url: string, init: RequestInit): Promise<Response> {
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      method: init.method ?? "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.signal ? { signal: init.signal } : {}),
    };
    const sent = request(url, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () => {
        const status = answer.statusCode ?? 0;
        const headers = new Headers(
          Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
        );
        resolve(new Response(withoutBody.has(status) ? null : Buffer.concat(chunks), { status, headers }));
      });
    });
    sent.on("error", reject);
    sent.end(init.body ?? undefined);
  });
}
