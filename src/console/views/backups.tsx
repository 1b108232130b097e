import { useState } from "preact/hooks";
import type { AnswerOf } from "../../client/connection/calls.js";
import { Badge } from "../badge.js";
import { useConsole } from "../context.js";
import { Facts } from "../facts.js";
import { FailureNote } from "../failure-note.js";
import { formatBytes, formatSpan, formatTime, formatValue } from "../format.js";
import { type Column, List } from "../list.js";
import { Loaded } from "../loaded.js";
import { Panel } from "../panel.js";
import { usePolled } from "../polling.js";
import type { SignedIn } from "../session.js";
import { texts } from "../texts.js";

type Overview = AnswerOf<"listBackups">;
type Backup = Overview["backups"][number];

const t = texts.backups;
const pollSeconds = 5;

const columns: readonly Column<Backup>[] = [
  {
    name: "state",
    label: t.state,
    value: (row) => (row.problem === null ? t.made : t.failed),
    show: (row) => <Badge state={row.problem === null ? "made" : "failed"} />,
  },
  { name: "started", label: t.started, value: (row) => row.started_at, show: (row) => formatTime(row.started_at) },
  {
    name: "duration",
    label: t.duration,
    value: (row) => row.finished_at - row.started_at,
    show: (row) => formatSpan(row.finished_at - row.started_at),
  },
  { name: "origin", label: t.origin, value: (row) => t.origins[row.origin] },
  { name: "file", label: t.file, value: (row) => row.file, show: (row) => <code>{row.file}</code> },
  {
    name: "bytes",
    label: t.size,
    value: (row) => row.bytes,
    show: (row) => (row.bytes === null ? texts.none : formatBytes(row.bytes)),
  },
  { name: "problem", label: t.problem, value: (row) => row.problem },
];

export function BackupsView() {
  const { session } = useConsole();
  const backups = usePolled("backups", () => session.call("listBackups"), pollSeconds);
  return (
    <Loaded polled={backups}>
      {(answer) => (
        <>
          <State answer={answer} session={session} reload={backups.reload} />
          <Panel title={t.list} hint={t.help}>
            <List
              name="backups"
              label={t.list}
              columns={columns}
              rows={answer.backups}
              keyOf={(row) => `${row.started_at} ${row.file}`}
              empty={answer.schedule.enabled ? t.empty : t.emptyOff}
            />
          </Panel>
        </>
      )}
    </Loaded>
  );
}

interface StateProps {
  answer: Overview;
  session: SignedIn;
  reload(): void;
}

function State({ answer, session, reload }: StateProps) {
  const { report } = useConsole();
  const [failure, setFailure] = useState<unknown>();
  const { schedule, requested_at: requested, running_since: running } = answer;
  const last = answer.backups.find(({ problem }) => problem === null);
  const isUnderWay = requested !== null || running !== null;
  const start = async () => {
    setFailure(undefined);
    try {
      await session.call("startBackup");
      report({ text: t.startedText });
      reload();
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <Panel
      title={t.now}
      buttons={
        <button type="button" class="primary" disabled={!schedule.enabled || isUnderWay} onClick={start}>
          {t.start}
        </button>
      }
    >
      {failure !== undefined && <FailureNote failure={failure} />}
      <div role="status" aria-live="polite">
        {running !== null && <p class="note">{t.running(formatSpan(Math.max(0, session.nowSeconds() - running)))}</p>}
        {running === null && requested !== null && <p class="note">{t.requested}</p>}
      </div>
      {!schedule.enabled && <p class="note warn">{t.off}</p>}
      <Facts
        facts={[
          [t.age, last === undefined ? t.never : formatSpan(Math.max(0, session.nowSeconds() - last.finished_at))],
          [t.every, schedule.enabled ? formatSpan(schedule.every_seconds) : texts.none],
          [t.keep, schedule.enabled ? String(schedule.keep) : texts.none],
          [t.encrypted, formatValue(schedule.encrypted)],
        ]}
      />
    </Panel>
  );
}
