import type { IncomingMessage, ServerResponse } from "node:http";
import type { Request } from "express";
import type { LimitObserver } from "../protocol/rate-limit.js";
import {
  type AnswerDeps,
  countLongAnswer,
  HandlerCall,
  type HeaderList,
  headersOf,
  isJson,
  sendReply,
  setHeaders,
} from "./answer/answer.js";
import { sendConditionally } from "./answer/conditional.js";
import type { AnswerCheck, AnswerError } from "./answer/errors.js";
import type { Refusals } from "./answer/refusals.js";
import { answerReader, isForReaders, type LinkApp, withoutTracking } from "./answer/shared-links.js";
import { authenticate, type Secured } from "./authenticate.js";
import { detachBytes, hasAttachedBytes } from "./body/attached-bytes.js";
import { demandStreamedBody } from "./body/blob-body.js";
import { type BodyReader, bringsBody, isLongBody } from "./body/body.js";
import type { CallerBound } from "./overload/caller-bound.js";
import type { LoadShedder } from "./overload/load-shedding.js";
import type { AnyHandler, RouteEntry } from "./request/contract.js";
import { withStates } from "./request/rate-limit-headers.js";
import type { RequestContext } from "./request/request-context.js";
import { originForm, requireWellEncoded } from "./request/target.js";
import type { RequestParameters } from "./validation/parameters.js";
import type { RequestValidator } from "./validation/request-validator.js";

/** One operation of the contract, with everything that its steps need. */
export interface Operation extends Secured {
  readonly entry: RouteEntry;
  /** The headers of its answers. */
  readonly headers: HeaderList;
  /** Whether pages of other origins may call it. */
  readonly isForPages: boolean;
  readonly loadShedder: LoadShedder | null;
  readonly callerBound: CallerBound | null;
  /** Called before a long body is read; null if nothing must be checked. */
  readonly checkCaller: CallerCheck | null;
  /** Null if the operation takes no body. */
  readonly body: { readonly isRequired: boolean; limit(): number } | null;
  readonly validate: RequestValidator;
  readonly handler: AnyHandler;
  /** Null if answers are not checked. */
  readonly checkAnswer: AnswerCheck | null;
}

/**
 * Throws if nothing in a caller's body would be accepted. Parameters of the path are not validated yet; `bodyBytes` is what
 * the request announces, or 0.
 */
export type CallerCheck = (
  principal: object,
  request: { params: Readonly<Record<string, string>>; bodyBytes: number; observer: LimitObserver },
) => Promise<void>;

export interface OperationDeps extends AnswerDeps {
  begin(req: IncomingMessage, res: ServerResponse): RequestContext;
  bodies: BodyReader;
  refusals: Refusals;
  answerError: AnswerError;
  /** Bodies over this length are long. */
  longBodyBytes: number;
  /** Where browsers are sent with shared links. */
  linkApp: LinkApp | null;
}

/**
 * The steps of a request for any operation of the contract, in order: request id, authentication, body, validation,
 * handler, answer. A step throws to refuse the request.
 */
export async function answerOperation(
  operation: Operation,
  context: RequestContext,
  deps: OperationDeps,
): Promise<void> {
  const req = context.req as Request;
  context.operation = operation.id;
  context.route = operation.entry.path;
  const isShared = operation.entry.sharedLink === true;
  if (isShared && isForReaders(context)) return answerReader(context, operation.headers, deps.linkApp);
  try {
    requireWellEncoded(req.url);
    const sent: RequestParameters = {
      params: req.params as Record<string, string>,
      queryString: originForm(req.url).queryString,
    };
    const authenticating = authenticate(context, operation);
    if (authenticating !== undefined) await authenticating;
    if (context.principal !== null) deps.connections.authenticated(req.socket);
    operation.callerBound?.enter(context);

    if (operation.checkCaller !== null && isLongBody(context.req, deps.longBodyBytes)) {
      const observer: LimitObserver = {
        observeLimits(states, now) {
          context.limits = withStates(context.limits, states, now);
        },
      };
      const bodyBytes = Number(context.req.headers["content-length"] ?? 0);
      await operation.checkCaller(context.principal as object, { params: sent.params, bodyBytes, observer });
    }

    const { attachedBytes } = operation.entry;
    if (operation.body !== null && bringsBody(context.req, operation.body, attachedBytes)) {
      const bytes = await deps.bodies.read(context, operation.body.limit());
      operation.loadShedder?.enter(context);
      const json = hasAttachedBytes(context.req, attachedBytes) ? detachBytes(context, bytes) : bytes;
      const parsing = deps.bodies.parse(json, operation.entry.itemsCheckedApart);
      context.body = parsing instanceof Promise ? await parsing : parsing;
    }

    if (operation.entry.streamedBody === true) demandStreamedBody(context);

    const validating = operation.validate(context, isShared ? withoutTrackingParameters(sent) : sent);
    if (validating !== undefined) await validating;

    context.isHandled = true;
    const reply = await operation.handler(new HandlerCall(context, deps));

    const fault =
      operation.checkAnswer !== null && isJson(reply) ? await operation.checkAnswer(context, reply) : undefined;
    if (fault !== undefined) throw fault;

    const send = operation.entry.conditional === true && isJson(reply) ? sendConditionally : sendReply;
    const sending = send(context, operation.headers, reply);
    if (sending !== undefined) await sending;
    countLongAnswer(context, deps.connections);
  } catch (error) {
    if (!context.res.headersSent) setBaseHeaders(context, operation.headers);
    deps.answerError(context, error, operation.checkAnswer);
  }
}

function withoutTrackingParameters(sent: RequestParameters): RequestParameters {
  return { ...sent, queryString: withoutTracking(sent.queryString) };
}

export function setBaseHeaders(context: RequestContext, headers: HeaderList): void {
  setHeaders(context.res, headersOf(context, headers));
}
