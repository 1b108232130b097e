import type { Contract } from "./contract.js";
import { operationsOf } from "./contract.js";
import { writeGenerated } from "./output.js";

/** Writes the types that tie handlers to the contract, with one interface per tag. */
export async function writeHandlerTypes(contract: Contract, root: URL): Promise<void> {
  const operations = operationsOf(contract).map(({ operation }) => operation);
  const interfaces = contract.tags.map(({ name, description }) => {
    const ids = operations.filter(({ tags }) => tags[0] === name).map(({ operationId }) => operationId);
    return interfaceOf(name, description ?? "", ids);
  });
  const names = contract.tags.map(({ name }) => interfaceName(name)).join(", ");
  const all = `/** Every operation of the contract. */\nexport interface AllHandlers extends ${names} {}\n`;
  await writeGenerated(root, "handlers.ts", [HANDLER_TYPES, ...interfaces, all].join("\n"));
}

function interfaceOf(tag: string, description: string, operationIds: string[]): string {
  const members = operationIds.map((id) => `  ${id}: Handler<'${id}'>;`);
  return `/** ${description} */\nexport interface ${interfaceName(tag)} {\n${members.join("\n")}\n}\n`;
}

/** `info-packages` gives `InfoPackagesHandlers`. */
function interfaceName(tag: string): string {
  return `${tag.replace(/(?:^|[-_ ])(\w)/g, (_, letter: string) => letter.toUpperCase())}Handlers`;
}

const HANDLER_TYPES = `import type { operations } from './openapi-types.js';
import type { Routes } from './routes.js';

export type OperationId = keyof operations & keyof Routes;

/** What is known of a caller, by the kind of its token. Times are Unix seconds. */
export interface Principals {
  device: { deviceId: string; sessionId: string; authTime: number; expiresAt: number };
  admin: {
    deviceId: string;
    sessionId: string;
    permissions: readonly string[];
    authTime: number;
    expiresAt: number;
  };
  federation: { domain: string };
}

/** What is left of a limit. Times are Unix seconds. */
export interface LimitState {
  name: string;
  limit: number;
  remaining: number;
  windowSeconds: number;
  resetAt: number | null;
}

/** The caller of an operation: one of the kinds that its security names. */
export type PrincipalOf<I extends OperationId> = Principals[Routes[I]['security'][number]];

type Nothing = Record<never, never>;
type Part<O, K extends string> = O extends { parameters: infer P }
  ? K extends keyof P
    ? Exclude<P[K], undefined>
    : Nothing
  : Nothing;
/** Node gives header names in lower case. */
type LowerCased<H> = { [K in keyof H as Lowercase<K & string>]: H[K] };
type JsonBody<O> = O extends { requestBody: { content: { 'application/json': infer B } } }
  ? B
  : O extends { requestBody?: { content: { 'application/json': infer B } } }
    ? B | undefined
    : undefined;

type Responses<I extends OperationId> = operations[I]['responses'];
type Content<R> = R extends { content: infer C } ? C : never;
/** The headers that \`observeLimits\` sets. */
type LimitHeader = 'RateLimit' | 'RateLimit-Policy';
/** The headers that a handler sets for a response, without the index signature for all others. */
type Documented<R> = R extends { headers: infer H }
  ? { [K in keyof H as string extends K ? never : K extends LimitHeader ? never : K]: H[K] }
  : Nothing;
type ReplyHeaders<H> = [keyof H] extends [never]
  ? { headers?: Record<string, never> }
  : Nothing extends H
    ? { headers?: H }
    : { headers: H };
/** The pieces, in order, of a body that is too long to be held as a whole. */
export type AnswerChunks = AsyncIterable<string | Uint8Array>;
/** A body as it arrives. Throws INVALID_REQUEST if it pauses for too long or ends early. */
export type BodyChunks = AsyncIterable<Uint8Array>;
/** Does what JSON.stringify does, at less cost for this body. */
type EncodeJson<B> = (body: B) => string | Buffer;
type ReplyBody<C, Streamed> = [C] extends [never]
  ? { type?: never; body?: never }
  : {
      [M in keyof C]: (M extends 'application/json' ? { type?: M; encode?: EncodeJson<C[M]> } : { type: M }) & {
        body: Streamed extends true ? AnswerChunks : C[M];
      };
    }[keyof C];

type ReplyOf<S, R, Streamed> = { status: S } & ReplyBody<Content<R>, Streamed> & ReplyHeaders<Documented<R>>;

/** A success answer of an operation. Errors are thrown. JSON is the media type unless \`type\` names another. */
export type Reply<I extends OperationId> = {
  [S in Routes[I]['success'] & keyof Responses<I>]: ReplyOf<S, Responses<I>[S], Routes[I]['streamed']>;
}[Routes[I]['success'] & keyof Responses<I>];

declare const sent: unique symbol;
/** A reply that passed through \`Call.reply\`. */
export type Sent<I extends OperationId> = Reply<I> & { readonly [sent]: I };

interface CallOf<I extends OperationId> {
  params: Part<operations[I], 'path'>;
  query: Part<operations[I], 'query'>;
  headers: LowerCased<Part<operations[I], 'header'>>;
  body: JsonBody<operations[I]>;
  /** The bytes behind the JSON of a body that has some. */
  attached: Buffer | null;
  /** The client's network key: an IPv4 address, or an IPv6 /64. Told when it is asked for; a spread copy lacks it. */
  ip: string;
  userAgent: string | null;
  /** Whether only the headers of the answer are wanted. */
  isHead: boolean;
  requestId: string;
  /** The bearer token as it was sent. */
  token: string | null;
  /** Aborted when the client has gone, or has its answer. */
  gone(): AbortSignal;
  /** Settles when the answer has left, when the client has gone, or after the longest time an answer may stand still. */
  left(): Promise<void>;
  /**
   * Puts the state of limits into the headers \`RateLimit\` and \`RateLimit-Policy\` of the answer, be it a success or an
   * error. Times are Unix seconds. A later call replaces an earlier one.
   */
  observeLimits(states: readonly LimitState[], now: number): void;
  /** Checks the reply's type: an argument is checked for extra properties, a returned value is not. */
  reply(reply: Reply<I>): Sent<I>;
}

/** A validated request. \`principal\` is there only where the operation has security. */
export type Call<I extends OperationId> = CallOf<I> &
  (Routes[I]['streamedBody'] extends true ? { /** Call it once. */ stream(): BodyChunks } : Nothing) &
  ([Routes[I]['security'][number]] extends [never]
    ? Nothing
    : { principal: PrincipalOf<I> | (Routes[I]['tokenOptional'] extends true ? null : never) });

export type Handler<I extends OperationId> = (call: Call<I>) => Promise<Sent<I>>;
`;
