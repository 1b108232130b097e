import { useState } from "preact/hooks";
import type { AnswerOf } from "../../client/connection/calls.js";
import { useConsole } from "../context.js";
import { AdminLink, DeviceLink } from "../device-link.js";
import { FailureNote } from "../failure-note.js";
import { FilterField } from "../fields.js";
import { formatMeasure, formatName, formatSetting, formatTime, formatValue } from "../format.js";
import { type Column, List } from "../list.js";
import { Loaded } from "../loaded.js";
import { Panel } from "../panel.js";
import { usePolled } from "../polling.js";
import { changeQuery, usePlace } from "../route.js";
import type { SignedIn } from "../session.js";
import { texts } from "../texts.js";
import { type AuditAction, type AuditQuery, auditActions, authors } from "./audit-actions.js";

type Entry = AnswerOf<"listAuditEntries">["entries"][number];

const t = texts.audit;
const pageSize = 100;
const daySeconds = 86_400;
const roundedToSeconds = 300;
const spans = ["1", "7", "30", "365"];
const deviceIdForm = /^[0-9a-f]{64}$/;
/** Digits that an id may begin with. */
const beginningForm = /^[0-9a-f]{1,63}$/i;

export const auditColumns: readonly Column<Entry>[] = [
  { name: "time", label: t.time, value: (row) => row.timestamp, show: (row) => formatTime(row.timestamp) },
  { name: "action", label: t.action, value: (row) => row.action, show: (row) => formatName(row.action) },
  {
    name: "admin",
    label: t.admin,
    value: (row) => row.admin,
    show: (row) => (row.admin === null ? authorOf(row) : <AdminLink id={row.admin} />),
  },
  {
    name: "target",
    label: t.target,
    value: (row) => row.target,
    show: (row) => (row.target !== null && deviceIdForm.test(row.target) ? <DeviceLink id={row.target} /> : row.target),
  },
  {
    name: "details",
    label: t.details,
    value: (row) => JSON.stringify(row.details),
    show: (row) => <DetailList details={row.details} />,
  },
];

/** Who did what no administrator did, as far as the entry tells. */
function authorOf({ action, details }: Entry): string {
  if ("reporters" in details && action !== "spam_reported") return t.authors.relay;
  return t.authors[authors[action as AuditAction] ?? "relayOrOperator"];
}

function DetailList({ details }: { details: object }) {
  const members = Object.entries(details).filter(([, value]) => value !== null);
  return (
    <ul class="details">
      {members.map(([name, value]) => (
        <li key={name}>{describeDetail(name, value)}</li>
      ))}
    </ul>
  );
}

/** A detail in words: of a change its old and new values, of a list its members. */
function describeDetail(name: string, value: unknown): string {
  if (Array.isArray(value)) return `${formatName(name)}: ${value.map(formatValue).join(", ")}`;
  if (typeof value !== "object" || value === null) return formatMeasure(name, value).join(": ");
  const parts = Object.entries(value as Record<string, { old?: unknown; new?: unknown }>).map(([part, change]) =>
    "new" in Object(change)
      ? `${part}: ${formatSetting(part, change.old)} → ${formatSetting(part, change.new)}`
      : `${part}: ${formatSetting(part, change)}`,
  );
  return `${formatName(name)}: ${parts.join("; ")}`;
}

/** So many days ago, rounded down: who asks again within some minutes asks for the same, and learns that it still holds. */
export function sinceDays(days: number, now: number): number {
  return Math.floor((now - days * daySeconds) / roundedToSeconds) * roundedToSeconds;
}

/** The filters of the address bar, as the operation takes them. */
function filtersOf(query: Readonly<Record<string, string>>, now: number): AuditQuery {
  const action = auditActions.find((one) => one === query["action"]);
  const filters: AuditQuery = { since: sinceDays(Number(query["days"]) || 1, now) };
  if (action !== undefined) filters.action = action;
  const { admin, target } = query;
  if (admin) filters[beginningForm.test(admin) ? "admin_prefix" : "admin"] = admin.toLowerCase();
  if (target) filters[deviceIdForm.test(target) ? "target" : "target_prefix"] = target;
  return filters;
}

export function AuditView() {
  const { session } = useConsole();
  const { query } = usePlace();
  const offset = Number(query["offset"]) || 0;
  const load = () =>
    session.call("listAuditEntries", {
      query: { ...filtersOf(query, session.nowSeconds()), limit: pageSize, offset },
    });
  const { days, action, admin, target } = query;
  const entries = usePolled(JSON.stringify([days, action, admin, target, offset]), load, 30);
  return (
    <Panel title={t.entries} buttons={<Export key={JSON.stringify(query)} session={session} query={query} />}>
      <Filters query={query} />
      <Loaded polled={entries}>
        {(answer) => (
          <>
            <List
              name="audit"
              label={t.entries}
              columns={auditColumns}
              rows={answer.entries}
              keyOf={(row) => row.id}
              empty={t.empty}
            />
            <div class="controls">
              <span>
                {t.shown(
                  answer.entries.length === 0 ? 0 : offset + 1,
                  offset + answer.entries.length,
                  answer.total_count,
                )}
              </span>
              <button type="button" disabled={offset === 0} onClick={() => goTo(offset - pageSize)}>
                {t.newer}
              </button>
              <button type="button" disabled={!answer.has_more} onClick={() => goTo(answer.next_offset ?? 0)}>
                {t.older}
              </button>
            </div>
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function goTo(offset: number): void {
  changeQuery({ offset: offset <= 0 ? "" : String(offset) });
}

function Filters({ query }: { query: Readonly<Record<string, string>> }) {
  const commit = (name: string) => (value: string) => changeQuery({ [name]: value, offset: "" });
  return (
    <div class="controls">
      <label>
        {t.span}
        <select value={query["days"] ?? "1"} onChange={(event) => commit("days")(event.currentTarget.value)}>
          {spans.map((days) => (
            <option key={days} value={days}>
              {t.days(Number(days))}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t.action}
        <select value={query["action"] ?? ""} onChange={(event) => commit("action")(event.currentTarget.value)}>
          <option value="">{t.anyAction}</option>
          {auditActions.map((action: AuditAction) => (
            <option key={action} value={action}>
              {formatName(action)}
            </option>
          ))}
        </select>
      </label>
      <FilterField
        label={t.admin}
        placeholder={t.idOrBeginning}
        value={query["admin"] ?? ""}
        onCommit={commit("admin")}
      />
      <FilterField
        label={t.target}
        placeholder={t.idOrBeginning}
        value={query["target"] ?? ""}
        onCommit={commit("target")}
      />
    </div>
  );
}

/** Saves what the filters match, as far as the relay exports it. */
function Export({ session, query }: { session: SignedIn; query: Readonly<Record<string, string>> }) {
  const [failure, setFailure] = useState<unknown>();
  const save = async (format: "csv" | "json") => {
    setFailure(undefined);
    try {
      const filters = filtersOf(query, session.nowSeconds());
      const answer = await session.call("exportAuditEntries", { query: { ...filters, format } });
      const text = typeof answer === "string" ? answer : JSON.stringify(answer, null, 2);
      saveFile(`audit.${format}`, new Blob([text], { type: format === "csv" ? "text/csv" : "application/json" }));
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <>
      <button type="button" onClick={() => save("csv")}>
        {t.exportCsv}
      </button>
      <button type="button" onClick={() => save("json")}>
        {t.exportJson}
      </button>
      {failure !== undefined && <FailureNote failure={failure} />}
    </>
  );
}

function saveFile(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
