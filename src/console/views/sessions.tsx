import type { AnswerOf } from "../../client/connection/calls.js";
import type { Action } from "../action.js";
import { Badge } from "../badge.js";
import { useConsole } from "../context.js";
import { AdminLink } from "../device-link.js";
import { formatTime } from "../format.js";
import { type Column, List } from "../list.js";
import { Loaded } from "../loaded.js";
import { maxNameLength, nameAdmin, useNames } from "../names.js";
import { Panel } from "../panel.js";
import { usePolled } from "../polling.js";
import type { SignedIn } from "../session.js";
import { texts } from "../texts.js";

type Session = AnswerOf<"listAdminSessions">["sessions"][number];

const t = texts.sessions;
const wordsShown = 2;

const columns: readonly Column<Session>[] = [
  {
    name: "admin",
    label: t.admin,
    value: (row) => row.device_id,
    show: (row) => (
      <>
        <AdminLink id={row.device_id} /> {row.current && <Badge state={t.current} />}
      </>
    ),
  },
  { name: "method", label: t.method, value: (row) => t.methods[row.method] },
  { name: "began", label: t.began, value: (row) => row.began_at, show: (row) => formatTime(row.began_at) },
  { name: "renewed", label: t.renewed, value: (row) => row.renewed_at, show: (row) => formatTime(row.renewed_at) },
  { name: "expires", label: t.expires, value: (row) => row.expires_at, show: (row) => formatTime(row.expires_at) },
  { name: "ip", label: t.ip, value: (row) => row.ip_address },
  {
    name: "agent",
    label: t.agent,
    value: (row) => row.user_agent,
    show: (row) => <span title={row.user_agent ?? undefined}>{shortAgent(row.user_agent)}</span>,
  },
];

/** The end of a browser's name tells it from others; the beginning is the same for nearly all. */
function shortAgent(agent: string | null): string {
  return agent?.split(" ").slice(-wordsShown).join(" ") ?? texts.none;
}

export function SessionsView() {
  const { session, ask } = useConsole();
  const names = useNames();
  const sessions = usePolled("sessions", () => session.call("listAdminSessions"));
  return (
    <Panel title={t.list} hint={session.level === "admin" ? t.helpAll : t.helpOwn}>
      <Loaded polled={sessions}>
        {(answer) => (
          <List
            name="sessions"
            label={t.list}
            columns={columns}
            rows={answer.sessions}
            keyOf={(row) => row.session_id}
            empty={t.empty}
            actions={(row) => (
              <>
                <button type="button" onClick={() => ask(nameAction(row.device_id, names[row.device_id] ?? ""))}>
                  {t.name}
                </button>
                {!row.current && (
                  <button type="button" class="danger" onClick={() => ask(endAction(session, row, sessions.reload))}>
                    {t.end}
                  </button>
                )}
              </>
            )}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function nameAction(deviceId: string, before: string): Action {
  const give = async (name: string): Promise<string> => {
    nameAdmin(deviceId, name);
    return name === "" ? t.unnamed(deviceId) : t.named(deviceId, name);
  };
  return {
    title: t.nameTitle,
    explanation: t.nameHelp(deviceId),
    submitLabel: t.name,
    fields: [{ name: "name", label: t.name, type: "text", value: before, optional: true, max: maxNameLength }],
    run: async ({ name = "" }) => ({ text: await give(name.trim()), undo: () => give(before) }),
  };
}

function endAction(session: SignedIn, { session_id, device_id }: Session, onDone: () => void): Action {
  return {
    title: t.end,
    explanation: t.endHelp,
    submitLabel: t.end,
    nameToType: device_id.slice(0, 8),
    onDone,
    async run() {
      await session.call("endAdminSession", { path: { session_id } });
      return { text: t.ended(device_id) };
    },
  };
}
