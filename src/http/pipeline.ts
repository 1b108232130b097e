import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { LimitObserver } from "../protocol/rate-limit.js";
import {
  type AnswerDeps,
  countLongAnswer,
  everyAnswersHeaders,
  HandlerCall,
  type HeaderList,
  headersOf,
  isJson,
  sendReply,
  setHeaders,
} from "./answer/answer.js";
import { sendConditionally } from "./answer/conditional.js";
import { preflightHeaders } from "./answer/cors.js";
import type { AnswerCheck, AnswerError } from "./answer/errors.js";
import type { Refusals } from "./answer/refusals.js";
import { isForReaders, refuseReader, withoutTracking } from "./answer/shared-links.js";
import { authenticate, type Secured } from "./authenticate.js";
import { detachBytes, hasAttachedBytes } from "./body/attached-bytes.js";
import { type BodyReader, bringsBody, isLongBody } from "./body/body.js";
import type { LoadShedder } from "./overload/load-shedding.js";
import type { AnyHandler } from "./request/contract.js";
import { createDispatcher, type Match, type Mismatch, methodsOf, type Routed } from "./request/dispatch.js";
import { withStates } from "./request/rate-limit-headers.js";
import type { RequestContext } from "./request/request-context.js";
import type { RequestValidator } from "./validation/request-validator.js";

/** One operation of the contract, with everything that its steps need. */
export interface Operation extends Routed, Secured {
  /** The headers of its answers. */
  readonly headers: HeaderList;
  /** Whether pages of other origins may call it. */
  readonly isForPages: boolean;
  readonly loadShedder: LoadShedder | null;
  /** Called before a long body is read; null if nothing must be checked. */
  readonly checkCaller: CallerCheck | null;
  /** Null if the operation takes no body. */
  readonly body: { readonly isRequired: boolean; limit(): number } | null;
  readonly validate: RequestValidator;
  readonly handler: AnyHandler;
  /** Null if answers are not checked. */
  readonly checkAnswer: AnswerCheck | null;
}

/** Throws if nothing in a caller's body would be accepted. Parameters of the path are not validated yet. */
export type CallerCheck = (
  principal: object,
  request: { params: Readonly<Record<string, string>>; observer: LimitObserver },
) => Promise<void>;

export interface PipelineDeps extends AnswerDeps {
  operations: readonly Operation[];
  /** Answers everything that is not an operation: pages, documents, unknown routes, requests without a host. */
  frame: RequestListener;
  begin(req: IncomingMessage, res: ServerResponse): RequestContext;
  bodies: BodyReader;
  refusals: Refusals;
  answerError: AnswerError;
  /** Bodies over this length are long. */
  longBodyBytes: number;
}

/**
 * The steps of a request for any operation of the contract, in order: route, load shedding, request id, authentication,
 * body, validation, handler, answer. A step throws to refuse the request.
 */
export function createPipeline(deps: PipelineDeps): RequestListener {
  const dispatch = createDispatcher(deps.operations);
  return (req, res) => {
    const route = hasHost(req) ? dispatch(req.method ?? "", req.url ?? "") : null;
    if (route === null) deps.frame(req, res);
    else if (route.kind === "mismatch") answerMismatch(route, deps.begin(req, res), deps);
    else if (route.operation.loadShedder?.isFull()) deps.refusals.add(route.operation, { req, res });
    else void answerOperation(route, deps.begin(req, res), deps);
  };
}

async function answerOperation(match: Match<Operation>, context: RequestContext, deps: PipelineDeps): Promise<void> {
  const { operation } = match;
  context.operation = operation.id;
  context.route = operation.entry.path;
  const isShared = operation.entry.sharedLink === true;
  if (isShared && isForReaders(context)) return refuseReader(context, operation.headers);
  try {
    const authenticating = authenticate(context, operation);
    if (authenticating !== undefined) await authenticating;

    if (operation.checkCaller !== null && isLongBody(context.req, deps.longBodyBytes)) {
      const observer: LimitObserver = {
        observeLimits(states, now) {
          context.limits = withStates(context.limits, states, now);
        },
      };
      await operation.checkCaller(context.principal as object, { params: match.params, observer });
    }

    const { attachedBytes } = operation.entry;
    if (operation.body !== null && bringsBody(context.req, operation.body, attachedBytes)) {
      const bytes = await deps.bodies.read(context, operation.body.limit());
      operation.loadShedder?.enter(context);
      const json = hasAttachedBytes(context.req, attachedBytes) ? detachBytes(context, bytes) : bytes;
      const parsing = deps.bodies.parse(json, operation.entry.itemsCheckedApart);
      context.body = parsing instanceof Promise ? await parsing : parsing;
    }

    const validating = operation.validate(context, isShared ? withoutTrackingParameters(match) : match);
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

function withoutTrackingParameters(match: Match<Operation>): Match<Operation> {
  return { ...match, queryString: withoutTracking(match.queryString) };
}

/** Answers a preflight, or refuses a method that the path does not take, or a malformed URL. */
function answerMismatch(mismatch: Mismatch<Operation>, context: RequestContext, deps: PipelineDeps): void {
  const { refusal, operation, neighbours } = mismatch;
  const { req, res } = context;
  const openMethods = neighbours.filter(({ isForPages }) => isForPages).flatMap(({ entry }) => methodsOf(entry));
  const preflight = preflightHeaders(req, openMethods);
  if (preflight !== null) {
    setBaseHeaders(context, [...everyAnswersHeaders, ...preflight]);
    res.statusCode = 204;
    res.end();
    return;
  }
  context.operation = operation?.id ?? null;
  context.route = operation?.entry.path ?? null;
  const isMethodTaken = operation !== null && methodsOf(operation.entry).includes(req.method ?? "");
  setBaseHeaders(context, isMethodTaken ? operation.headers : everyAnswersHeaders);
  deps.answerError(context, refusal);
}

function setBaseHeaders(context: RequestContext, headers: HeaderList): void {
  setHeaders(context.res, headersOf(context, headers));
}

/** RFC 9112, section 3.2. */
export function hasHost({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host !== undefined || httpVersion !== "1.1";
}
