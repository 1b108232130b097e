import type { StatusFrame } from "../../../generated/frames.js";
import type { Receiver } from "./receiving.js";
import type { StreamLink } from "./stream-link.js";

/** Has the relay push more where messages that wait for another attempt take up the room of those behind them. */
interface StreamWindow {
  /** Begins with a stream after its first status frame. */
  use(link: StreamLink, opened: StatusFrame): void;
  leave(): void;
}

const usualWindow = 10;

export function createWindow(receiver: Receiver): StreamWindow {
  const { inbox, keeper, handler, problem } = receiver;
  let link: StreamLink | undefined;
  let granted = usualWindow;
  let isWidening = false;

  const widen = async (): Promise<void> => {
    const max = (await maxWindow(receiver)) ?? 0;
    while (2 * inbox.failing() >= granted && granted < max) {
      const access_token = await keeper.token();
      granted = Math.min(2 * Math.max(granted, inbox.failing()), max);
      link?.send({ type: "auth", access_token, window: granted });
    }
  };
  const widenIfFull = () => {
    if (isWidening || link === undefined || 2 * inbox.failing() < granted) return;
    isWidening = true;
    widen()
      .catch(problem)
      .finally(() => {
        isWidening = false;
      });
  };
  return {
    use(opened, first) {
      link = opened;
      granted = first.window ?? usualWindow;
      handler.onFailing = widenIfFull;
      widenIfFull();
    },
    leave() {
      link = undefined;
      handler.onFailing = undefined;
    },
  };
}

/** The greatest window that the relay grants; `undefined` if it does not know windows, and would refuse the frame. */
export async function maxWindow({ connection, problem }: Pick<Receiver, "connection" | "problem">) {
  return (await connection.discover().catch(problem))?.stream.max_window;
}
