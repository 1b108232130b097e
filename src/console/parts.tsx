import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { errorCatalogue } from "../../generated/errors.js";
import { AnswerError, ConnectionError } from "../client/connection/failures.js";
import { useConsole } from "./context.js";
import { formatName, formatSpan, formatTime } from "./format.js";
import { useNames } from "./names.js";
import type { Polled } from "./polling.js";
import { hrefWithin, usePlace } from "./route.js";
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
  const meaning = entry?.meaning ?? failure.message;
  return `${formatName(failure.error.toLowerCase())}: ${withWait(meaning, failure.retryAfterSeconds)}`;
}

/** What the catalogue says of the header Retry-After, with the value that it had. */
const waitInCatalogue = /; try again after Retry-After seconds\.?$/;

function withWait(meaning: string, seconds: number | undefined): string {
  const said = meaning.replace(waitInCatalogue, ".");
  return seconds === undefined ? said : `${said} ${texts.retryIn(formatSpan(seconds))}`;
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
  const { data, failure, at } = polled;
  return (
    <>
      {failure !== undefined && <FailureNote failure={failure} />}
      {failure !== undefined && at !== undefined && <p class="hint">{texts.asOf(formatTime(at))}</p>}
      {data === undefined && failure === undefined && <p class="loading">{texts.loading}</p>}
      {data !== undefined && children(data)}
    </>
  );
}

/** Brings the section of a heading into view and gives it the focus when another thing is shown there: it was chosen elsewhere. */
export function useReveal<E extends HTMLElement>(shown: string) {
  const heading = useRef<E>(null);
  useEffect(() => {
    if (shown === "") return;
    heading.current?.focus({ preventScroll: true });
    heading.current?.closest("section")?.scrollIntoView({ block: "start" });
  }, [shown]);
  return heading;
}

interface PanelProps {
  title: string;
  hint?: string;
  buttons?: ComponentChildren;
  /** What the panel shows, where that is chosen elsewhere on the page. */
  reveal?: string;
  children: ComponentChildren;
}

export function Panel({ title, hint, buttons, reveal, children }: PanelProps) {
  const heading = useReveal<HTMLHeadingElement>(reveal ?? "");
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {buttons !== undefined && <div class="buttons">{buttons}</div>}
      </header>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {children}
    </section>
  );
}

interface LookUpProps {
  label: string;
  button: string;
  isDangerous?: boolean;
  /** What was looked up before, perhaps elsewhere on the page. */
  given?: string;
  onSubmit(typed: string): void;
}

/** Asks for the one thing that somebody has in mind, which no list needs to show. */
export function LookUp({ label, button, isDangerous = false, given = "", onSubmit }: LookUpProps) {
  const [typed, setTyped] = useState(given);
  useEffect(() => {
    if (given !== "") setTyped(given);
  }, [given]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit(typed.trim());
  };
  return (
    <form class="controls" onSubmit={submit}>
      <label class="wide">
        {label}
        <input
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
          spellcheck={false}
          autocomplete="off"
          required
        />
      </label>
      <button type="submit" class={isDangerous ? "danger" : "primary"}>
        {button}
      </button>
    </form>
  );
}

const numeric = { type: "number", min: 0 } as const;

interface FilterFieldProps {
  label: string;
  value: string;
  onCommit(value: string): void;
  placeholder?: string;
  /** The highest number, where it takes numbers. */
  max?: number;
}

/** A filter that takes effect when it is left. What is being typed stays while the list beneath it is loaded again. */
export function FilterField({ label, value, onCommit, placeholder = "", max }: FilterFieldProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const shared = {
    value: typed,
    onInput: (event: { currentTarget: HTMLInputElement }) => setTyped(event.currentTarget.value),
    onChange: (event: { currentTarget: HTMLInputElement }) => onCommit(event.currentTarget.value.trim()),
  };
  return (
    <label>
      {label}
      <input {...shared} {...(max === undefined ? { placeholder, spellcheck: false } : { ...numeric, max })} />
    </label>
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
export function Badge({ state, text = formatName(state) }: { state: string; text?: string }) {
  return <span class={`badge ${tones[state] ?? "plain"}`}>{text}</span>;
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
export function DeviceLink({ id, name }: { id: string; name?: string | undefined }) {
  return (
    <a href={hrefWithin(usePlace(), "devices", { id })} title={id} class={name === undefined ? "id" : undefined}>
      {name ?? shortId(id)}
    </a>
  );
}

/** An administrator by the name that this browser has, or by the beginning of the id. */
export function AdminLink({ id }: { id: string }) {
  const { session } = useConsole();
  const name = useNames()[id];
  return (
    <span>
      <DeviceLink id={id} name={name} />
      {id === session.deviceId && ` ${texts.you}`}
    </span>
  );
}

const shownDigits = 12;

function shortId(id: string): string {
  return `${id.slice(0, shownDigits)}…`;
}
