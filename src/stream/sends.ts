import type { SendFrame, SendResultFrame } from "../../generated/frames.js";
import { RelayError } from "../protocol/errors.js";
import { readSentMessage, sendResultFrame } from "./frames.js";
import type { StreamDeps } from "./types.js";

/**
 * The messages that one stream sends, several at once. Each is processed like POST /v1/messages, with the same rules
 * and limits; its result comes once it is committed or refused.
 */
export class Sends {
  private readonly deps: Pick<StreamDeps, "messages" | "logger" | "config">;
  private readonly on: { result(frame: SendResultFrame): void };
  private underWay = 0;

  constructor(deps: Sends["deps"], on: Sends["on"]) {
    this.deps = deps;
    this.on = on;
  }

  /** Whether another message may be sent at the same time, when up to this many may be refused. */
  hasRoom(refusals: number): boolean {
    return this.underWay < this.deps.config.streamSendsInFlight && this.underWay + 1 <= refusals;
  }

  /** Whether none is in progress. */
  get idle(): boolean {
    return this.underWay === 0;
  }

  send(deviceId: string, frame: SendFrame): void {
    this.underWay++;
    void this.resultOf(deviceId, frame).then((result) => {
      this.underWay--;
      this.on.result(result);
    });
  }

  private async resultOf(deviceId: string, frame: SendFrame): Promise<SendResultFrame> {
    try {
      const { status, estimate } = await this.deps.messages.send(deviceId, readSentMessage(frame));
      return sendResultFrame(frame, { status, delivery_estimate: estimate });
    } catch (error) {
      if (!(error instanceof RelayError)) this.deps.logger.error({ err: error }, "a message could not be sent");
      return sendResultFrame(frame, { error });
    }
  }
}
