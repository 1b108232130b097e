import { useConsole } from "../context.js";
import { List } from "../list.js";
import { Loaded } from "../loaded.js";
import { Panel } from "../panel.js";
import { refreshView, usePolled } from "../polling.js";
import { changeQuery, usePlace } from "../route.js";
import { texts } from "../texts.js";
import { auditColumns, sinceDays } from "./audit.js";
import type { AuditAction } from "./audit-actions.js";
import { ReportedBlob } from "./reported-blob.js";

const t = texts.reports;
const entriesShown = 500;

/** The steps from a report to what follows of it, each with its entries of the audit log. */
const steps: readonly { action: AuditAction; title: string; empty: string }[] = [
  { action: "spam_reported", title: t.reported, empty: t.noReports },
  { action: "device_blocked", title: t.blocked, empty: t.noneBlocked },
  { action: "device_banned", title: t.banned, empty: t.noneBanned },
  { action: "device_unblocked", title: t.unblocked, empty: t.noneUnblocked },
  { action: "blob_deleted", title: t.deletedBlobs, empty: t.noneDeleted },
];

export function ReportsView() {
  const { session } = useConsole();
  return (
    <>
      {session.may("removeBlob") && <ReportedBlob onDeleted={refreshView} />}
      {session.may("listAuditEntries") && <Steps />}
    </>
  );
}

function Steps() {
  const { query } = usePlace();
  const days = Number(query["days"]) || 7;
  return (
    <>
      <p class="hint">{t.help}</p>
      <div class="controls">
        <label>
          {texts.audit.span}
          <select value={String(days)} onChange={(event) => changeQuery({ days: event.currentTarget.value })}>
            {[1, 7, 30].map((one) => (
              <option key={one} value={String(one)}>
                {texts.audit.days(one)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {steps.map((step) => (
        <Step key={step.action} step={step} days={days} />
      ))}
    </>
  );
}

function Step({ step: { action, title, empty }, days }: { step: (typeof steps)[number]; days: number }) {
  const { session } = useConsole();
  const load = () =>
    session.call("listAuditEntries", {
      query: { action, since: sinceDays(days, session.nowSeconds()), limit: entriesShown },
    });
  const entries = usePolled(`${action} ${days}`, load, 60);
  return (
    <Panel title={title}>
      <Loaded polled={entries}>
        {(answer) => (
          <List
            name={action}
            total={answer.total_count}
            label={title}
            columns={auditColumns}
            rows={answer.entries}
            keyOf={(row) => row.id}
            empty={empty}
          />
        )}
      </Loaded>
    </Panel>
  );
}
