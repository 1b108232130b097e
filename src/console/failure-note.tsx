import { errorCatalogue } from "../../generated/errors.js";
import { AnswerError, ConnectionError } from "../client/connection/failures.js";
import { formatName, formatSpan } from "./format.js";
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
