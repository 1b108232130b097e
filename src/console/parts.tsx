import type { ComponentChildren } from "preact";
import { errorCatalogue } from "../../generated/errors.js";
import { AnswerError, ConnectionError } from "../sdk/failures.js";
import { formatName } from "./format.js";
import type { Polled } from "./polling.js";
import { texts } from "./texts.js";

const catalogue: Readonly<Record<string, { code: number; error: string; meaning: string }>> = errorCatalogue;

/** An error with the catalogue's words for it, and the id under which the relay's log has the request. */
export function FailureNote({ failure }: { failure: unknown }) {
  const requestId = failure instanceof AnswerError ? failure.extras["request_id"] : undefined;
  return (
    <div class="note failure" role="alert">
      <p>{describeFailure(failure)}</p>
      {failure instanceof AnswerError && <Details details={failure.extras["details"]} />}
      {typeof requestId === "string" && (
        <p class="request-id">
          {texts.requestId} <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}

export function describeFailure(failure: unknown): string {
  if (failure instanceof ConnectionError) return texts.noAnswer;
  if (!(failure instanceof AnswerError)) return failure instanceof Error ? failure.message : String(failure);
  const same = (entry: { code: number; error: string }) => entry.code === failure.code && entry.error === failure.error;
  const entry = Object.values(catalogue).find(same);
  return `${formatName(failure.error.toLowerCase())}: ${entry?.meaning ?? failure.message}`;
}

function Details({ details }: { details: unknown }) {
  if (!Array.isArray(details)) return null;
  return (
    <ul>
      {details.map(({ path, message }: { path?: string; message?: string }) => (
        <li key={path}>
          <code>{path}</code> {message}
        </li>
      ))}
    </ul>
  );
}

/** The state of something that is polled: loading, failed at first, or there, perhaps no longer fresh. */
export function Loaded<T>({ polled, children }: { polled: Polled<T>; children: (data: T) => ComponentChildren }) {
  const { data, failure } = polled;
  return (
    <>
      {failure !== undefined && <FailureNote failure={failure} />}
      {data === undefined && failure === undefined && <p class="loading">{texts.loading}</p>}
      {data !== undefined && children(data)}
    </>
  );
}

interface PanelProps {
  title: string;
  hint?: string;
  buttons?: ComponentChildren;
  children: ComponentChildren;
}

export function Panel({ title, hint, buttons, children }: PanelProps) {
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {buttons !== undefined && <div class="buttons">{buttons}</div>}
      </header>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {children}
    </section>
  );
}

type Tone = "good" | "bad" | "warn" | "plain";

const tones: Readonly<Record<string, Tone>> = {
  healthy: "good",
  verified: "good",
  verify: "good",
  active: "good",
  trusted: "good",
  degraded: "warn",
  warning: "warn",
  limited: "warn",
  monitor: "warn",
  medium: "warn",
  high: "bad",
  critical: "bad",
  unhealthy: "bad",
  blocked: "bad",
  failed: "bad",
  made: "good",
  block: "bad",
  revoked: "bad",
};

/** A state in a word; the colour only repeats it. */
export function Badge({ state }: { state: string }) {
  return <span class={`badge ${tones[state] ?? "plain"}`}>{formatName(state)}</span>;
}

/** Names and values. */
export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A device id, shortened for the eye, whole for the pointer and for who copies the link. */
export function DeviceLink({ id }: { id: string }) {
  return (
    <a href={`#/devices?id=${id}`} title={id} class="id">
      {id.slice(0, 12)}…
    </a>
  );
}
