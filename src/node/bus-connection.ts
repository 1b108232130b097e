import { type ConnectionOptions, connect, type NatsConnection } from "@nats-io/transport-node";

const connectTimeoutMillis = 5_000;
const retryMillis = 1_000;
/** A connection on which two pings in a row go unanswered is given up. */
const pingMillis = 3_000;
const pingsUnanswered = 2;

/**
 * A connection to a NATS server; it is reopened whenever it fails, until it is stopped. The client library reconnects,
 * but not before its first connection, nor after it has closed one.
 */
export function createBusConnection(deps: {
  /** nats:// or tls://, with user and password or a token if the server requires them. */
  url: string;
  subscribe(nats: NatsConnection): void;
  opened(): void;
  gone(error?: unknown): void;
}) {
  let nats: NatsConnection | undefined;
  let isOpen = false;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  let attempting: Promise<void> | undefined;

  const setOpen = (open: boolean, error?: unknown): void => {
    isOpen = open;
    if (open) deps.opened();
    else if (!stopped) deps.gone(error);
  };
  const follow = async (connection: NatsConnection): Promise<void> => {
    for await (const { type } of connection.status()) {
      if (type === "disconnect") setOpen(false);
      else if (type === "reconnect") setOpen(true);
    }
  };
  const attempt = async (): Promise<void> => {
    try {
      nats = await connect(optionsFor(deps.url));
      deps.subscribe(nats);
      await nats.flush();
      void follow(nats);
      void nats.closed().then(failed);
      setOpen(true);
    } catch (error) {
      await nats?.close().catch(() => undefined);
      failed(error);
    }
  };
  const failed = (error: unknown): void => {
    nats = undefined;
    setOpen(false, error);
    clearTimeout(retry);
    if (!stopped) retry = setTimeout(start, retryMillis);
  };
  const start = (): void => {
    attempting = attempt();
  };

  return {
    start,
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(retry);
      await attempting;
      isOpen = false;
      await nats?.close().catch(() => undefined);
    },
    /** Undefined while disconnected. */
    current: (): NatsConnection | undefined => (isOpen ? nats : undefined),
  };
}

function optionsFor(text: string): ConnectionOptions {
  const url = new URL(text);
  const [user, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const account = pass === "" ? { token: user } : { user, pass };
  return {
    servers: url.host,
    name: "mls-relay",
    timeout: connectTimeoutMillis,
    reconnectTimeWait: retryMillis,
    maxReconnectAttempts: -1,
    ignoreAuthErrorAbort: true,
    pingInterval: pingMillis,
    maxPingOut: pingsUnanswered,
    ...(user === "" ? {} : account),
    ...(url.protocol === "tls:" ? { tls: {} } : {}),
  };
}
