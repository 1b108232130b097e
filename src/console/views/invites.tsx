import { useState } from "preact/hooks";
import { renderSVG } from "uqr";
import type { AnswerOf } from "../../client/connection/calls.js";
import { type Action, secondsOf } from "../action.js";
import { Badge } from "../badge.js";
import { useConsole } from "../context.js";
import { AdminLink } from "../device-link.js";
import { formatTime } from "../format.js";
import { type Column, List } from "../list.js";
import { Loaded } from "../loaded.js";
import { Panel } from "../panel.js";
import { usePolled } from "../polling.js";
import { changeQuery, usePlace } from "../route.js";
import { relayAddress, type SignedIn } from "../session.js";
import { texts } from "../texts.js";

type Invite = AnswerOf<"listInvites">["invites"][number];
type Created = AnswerOf<"createInvite">;

const t = texts.invites;
const pageSize = 200;
const maxUses = 10_000;
/** What a QR code needs around it (ISO/IEC 18004), on dark pages above all. */
const quietModules = 4;

export function InvitesView() {
  const { session, ask } = useConsole();
  const { query } = usePlace();
  const [created, setCreated] = useState<Created>();
  const offset = Number(query["offset"]) || 0;
  const load = () => session.call("listInvites", { query: { limit: pageSize, offset } });
  const invites = usePolled(`invites ${offset}`, load);
  const create = () => ask(createAction(session, setCreated, invites.reload));
  return (
    <>
      {created !== undefined && <NewInvite invite={created} onClose={() => setCreated(undefined)} />}
      <Panel
        title={t.list}
        hint={t.help}
        buttons={
          <button type="button" class="primary" onClick={create}>
            {t.create}
          </button>
        }
      >
        <Loaded polled={invites}>
          {(answer) => (
            <>
              <List
                name="invites"
                total={answer.total_count}
                label={t.list}
                columns={columnsAt(session.nowSeconds())}
                rows={answer.invites}
                keyOf={(row) => row.invite_id}
                empty={t.empty}
                actions={(row) =>
                  row.revoked_at === null && (
                    <button type="button" onClick={() => ask(revokeAction(session, row, invites.reload))}>
                      {t.revoke}
                    </button>
                  )
                }
              />
              {answer.total_count > offset + pageSize && (
                <button type="button" onClick={() => changeQuery({ offset: String(offset + pageSize) })}>
                  {t.older}
                </button>
              )}
            </>
          )}
        </Loaded>
      </Panel>
    </>
  );
}

function columnsAt(now: number): readonly Column<Invite>[] {
  return [
    {
      name: "id",
      label: t.id,
      value: (row) => row.invite_id,
      show: (row) => <code>{row.invite_id.slice(0, 8)}…</code>,
    },
    {
      name: "state",
      label: t.state,
      value: (row) => stateOf(row, now),
      show: (row) => <Badge state={stateOf(row, now)} />,
    },
    { name: "uses", label: t.uses, value: (row) => row.uses, show: (row) => `${row.uses} / ${row.max_uses}` },
    { name: "domain", label: t.domain, value: (row) => row.domain },
    { name: "created", label: t.created, value: (row) => row.created_at, show: (row) => formatTime(row.created_at) },
    { name: "expires", label: t.expires, value: (row) => row.expires_at, show: (row) => formatTime(row.expires_at) },
    { name: "by", label: t.by, value: (row) => row.created_by, show: (row) => <AdminLink id={row.created_by} /> },
  ];
}

function stateOf(invite: Invite, now: number): string {
  if (invite.revoked_at !== null) return "revoked";
  if (invite.uses >= invite.max_uses) return "used up";
  return invite.expires_at <= now ? "expired" : "active";
}

/** The handle is shown once: the server keeps only its hash. */
function NewInvite({ invite, onClose }: { invite: Created; onClose: () => void }) {
  const code = invite.invite_handle ?? invite.invite_code;
  const link = relayAddress(`#invite=${code}`);
  const image = `data:image/svg+xml,${encodeURIComponent(renderSVG(link, { border: quietModules }))}`;
  return (
    <Panel
      title={t.newInvite}
      reveal={invite.invite_id}
      hint={t.onlyOnce}
      buttons={
        <button type="button" onClick={onClose}>
          {texts.close}
        </button>
      }
    >
      <div class="invite">
        <img src={image} alt={t.qr} width="280" height="280" />
        <div class="words">
          <p>
            <a class="id" href={link}>
              {link}
            </a>
          </p>
          <p class="id">{code}</p>
          <p>{t.validUntil(invite.max_uses, formatTime(invite.expires_at))}</p>
          <div class="buttons">
            <button type="button" onClick={() => navigator.clipboard.writeText(link)}>
              {t.copyLink}
            </button>
            <button type="button" onClick={() => navigator.clipboard.writeText(code)}>
              {t.copyCode}
            </button>
          </div>
        </div>
      </div>
    </Panel>
  );
}

function createAction(session: SignedIn, onCreated: (invite: Created) => void, onDone: () => void): Action {
  return {
    title: t.create,
    explanation: t.createHelp,
    submitLabel: t.create,
    fields: [
      { name: "uses", label: t.maxUses, type: "number", value: "1", min: 1, max: maxUses },
      { name: "until", label: t.expires, type: "date", optional: true, hint: t.expiresHint },
    ],
    onDone,
    async run({ uses, until }) {
      const expiresAt = secondsOf(until);
      const body = { max_uses: Number(uses), ...(expiresAt === undefined ? {} : { expires_at: expiresAt }) };
      const invite = await session.call("createInvite", { body });
      onCreated(invite);
      return { text: t.createdText, undo: () => revoke(session, invite.invite_id) };
    },
  };
}

function revokeAction(session: SignedIn, { invite_id }: Invite, onDone: () => void): Action {
  return {
    title: t.revoke,
    explanation: t.revokeHelp,
    submitLabel: t.revoke,
    nameToType: invite_id.slice(0, 8),
    onDone,
    run: async () => ({ text: await revoke(session, invite_id) }),
  };
}

async function revoke(session: SignedIn, invite_id: string): Promise<string> {
  await session.call("revokeInvite", { path: { invite_id } });
  return t.revoked(invite_id);
}
