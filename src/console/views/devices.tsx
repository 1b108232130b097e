import { useEffect, useState } from "preact/hooks";
import type { AnswerOf } from "../../client/connection/calls.js";
import { parseDeviceId } from "../../protocol/identifiers.js";
import { Badge } from "../badge.js";
import { type ConsoleContext, useConsole } from "../context.js";
import { AdminLink, DeviceLink } from "../device-link.js";
import { Facts } from "../facts.js";
import { FailureNote } from "../failure-note.js";
import { FilterField, LookUp } from "../fields.js";
import { formatNumber, formatSpan, formatTime, formatValue } from "../format.js";
import { type Column, List } from "../list.js";
import { Loaded } from "../loaded.js";
import { Panel } from "../panel.js";
import { usePolled } from "../polling.js";
import { changeQuery, hrefOf, usePlace } from "../route.js";
import type { SignedIn } from "../session.js";
import { texts } from "../texts.js";
import {
  blockAction,
  deleteAction,
  limitAction,
  revokeAction,
  testPushAction,
  verifyAction,
  verifyManyAction,
} from "./device-actions.js";
import { DeviceList } from "./device-list.js";

const t = texts.devices;
/** The digits that an id may begin with. */
const beginningForm = /^[0-9a-f]{1,63}$/i;

export function DevicesView() {
  const { session } = useConsole();
  const { query } = usePlace();
  return (
    <>
      <Search given={query["id"] ?? ""} />
      {query["id"] && <Detail id={query["id"]} />}
      {session.may("listDevices") && <DeviceList />}
      {session.may("listPendingDevices") && <Candidates />}
    </>
  );
}

/** Finds a device by what an administrator may have at hand: its id, its public key, or one of its addresses. */
async function idOf(session: SignedIn, typed: string): Promise<string> {
  const id = parseDeviceId(typed);
  if (id !== undefined) return id;
  if (beginningForm.test(typed)) return idWithBeginning(session, typed.toLowerCase());
  if (!typed.includes("@")) throw new Error(t.notAnId);
  if (!session.may("listDevices")) throw new Error(t.addressForbidden);
  const { devices } = await session.call("listDevices", { query: { address: typed } });
  if (devices[0] === undefined) throw new Error(t.addressUnknown);
  return devices[0].device_id;
}

/** The only id that begins with these digits. Where there are several, the list of devices shows them. */
async function idWithBeginning(session: SignedIn, id_prefix: string): Promise<string> {
  if (!session.may("listDevices")) throw new Error(t.beginningForbidden);
  const { devices } = await session.call("listDevices", { query: { id_prefix, limit: 2 } });
  const [first, second] = devices;
  if (first === undefined) throw new Error(t.beginningUnknown);
  if (second === undefined) return first.device_id;
  changeQuery({ id: "", "devices.prefix": id_prefix, "devices.state": "", "devices.page": "" });
  throw new Error(t.severalBegin);
}

function Search({ given }: { given: string }) {
  const { session } = useConsole();
  const [failure, setFailure] = useState<unknown>();
  // A search that failed says nothing about the device that is chosen next.
  useEffect(() => {
    if (given !== "") setFailure(undefined);
  }, [given]);
  const find = async (typed: string) => {
    setFailure(undefined);
    await idOf(session, typed).then(
      (id) => changeQuery({ id }),
      (problem) => {
        setFailure(problem);
        // The device that was shown is not the one that was looked for.
        changeQuery({ id: "" });
      },
    );
  };
  return (
    <Panel title={t.find}>
      <LookUp label={t.idOrAddress} button={t.show} given={given} onSubmit={find} />
      {failure !== undefined && <FailureNote failure={failure} />}
      {given === "" && failure === undefined && <p class="hint">{t.findHelp}</p>}
    </Panel>
  );
}

type Device = AnswerOf<"getDevice">;

function Detail({ id }: { id: string }) {
  const { session } = useConsole();
  const device = usePolled(`device ${id}`, () => session.call("getDevice", { path: { device_id: id } }));
  /** The eye goes on where it was: at the device's line, if the lists show it. */
  const close = () => {
    changeQuery({ id: "" });
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`.list a[title="${id}"]`)?.focus());
  };
  return (
    <Panel
      title={t.detail}
      reveal={id}
      buttons={
        <>
          {device.data && <DeviceButtons device={device.data} reload={device.reload} />}
          <button type="button" onClick={close}>
            {texts.close}
          </button>
        </>
      }
    >
      <Loaded polled={device}>{(found) => <DeviceFacts device={found} />}</Loaded>
    </Panel>
  );
}

function DeviceButtons({ device, reload }: { device: Device; reload: () => void }) {
  const { session, ask } = useConsole();
  const isBlocked = device.trust_tier === "blocked";
  return (
    <>
      {session.may("verifyDevice") && !device.admin_verified && !isBlocked && (
        <button type="button" onClick={() => ask(verifyAction(session, device.device_id, reload))}>
          {t.verify}
        </button>
      )}
      {session.may("revokeVerification") && device.admin_verified && (
        <button type="button" onClick={() => ask(revokeAction(session, device.device_id, reload))}>
          {t.revoke}
        </button>
      )}
      {session.may("blockDevice") && !isBlocked && (
        <button type="button" onClick={() => ask(blockAction(session, device.device_id, reload))}>
          {t.block}
        </button>
      )}
      {session.may("deleteDevice") && (
        <button
          type="button"
          class="danger"
          onClick={() => ask(deleteAction(session, device.device_id, () => changeQuery({ id: "" })))}
        >
          {t.delete}
        </button>
      )}
      {session.may("testDevicePush") && (
        <button type="button" onClick={() => ask(testPushAction(session, device.device_id))}>
          {t.testPush}
        </button>
      )}
      {session.may("setRateLimit") && (
        <button type="button" onClick={() => ask(limitAction(session, device, reload))}>
          {t.setLimit}
        </button>
      )}
    </>
  );
}

function DeviceFacts({ device }: { device: Device }) {
  const { session } = useConsole();
  const { metrics, rate_limiting: rate, spam, federation } = device;
  const { blocked_at: blockedAt, banned_until: bannedUntil } = device;
  return (
    <>
      <p>
        <code class="id">{device.device_id}</code> <Badge state={device.trust_tier} />
      </p>
      {(blockedAt !== null || bannedUntil !== null) && (
        <p class="note warn">
          {t.held}
          {blockedAt !== null && ` ${t.blockedAt(formatTime(blockedAt))}`}
          {bannedUntil !== null && ` ${t.bannedUntil(formatTime(bannedUntil))}`}
        </p>
      )}
      {device.trust_tier === "blocked" && <p class="note">{t.unblockHelp(device.device_id)}</p>}
      <Facts
        facts={[
          [t.facts.registered, `${formatTime(device.registered_at)} (${formatSpan(ageOf(device, session))})`],
          [t.facts.active, formatTime(metrics.last_active)],
          [t.facts.verified, formatTime(device.verified_at)],
          [t.facts.verifiedBy, device.verified_by === null ? texts.none : <AdminLink id={device.verified_by} />],
          [t.facts.sent, formatNumber(metrics.messages_sent)],
          [t.facts.received, formatNumber(metrics.messages_received)],
          [t.facts.thisHour, `${rate.messages_this_hour} / ${formatNumber(rate.current_limit)}`],
          [t.facts.custom, formatNumber(rate.custom_limit)],
          [t.facts.customEnds, formatTime(rate.custom_limit_expires_at)],
          [t.facts.reports, formatNumber(metrics.spam_reports)],
          [t.facts.reportsBy, formatNumber(metrics.spam_reports_by_device)],
          [t.facts.reporters, formatNumber(spam.counted_reporters)],
          [t.facts.score, formatNumber(spam.score)],
          [t.facts.domains, formatValue(federation.domains_contacted.join(", "))],
        ]}
      />
      {session.may("listAuditEntries") && (
        <p>
          <a href={hrefOf("audit", { target: device.device_id, days: "30" })}>{t.history}</a>
        </p>
      )}
    </>
  );
}

type Candidate = AnswerOf<"listPendingDevices">["pending_devices"][number];

function ageOf({ registered_at }: Pick<Candidate, "registered_at">, session: SignedIn): number {
  return Math.max(0, session.nowSeconds() - registered_at);
}

const columnsFor = (session: SignedIn): readonly Column<Candidate>[] => [
  { name: "id", label: t.id, value: (row) => row.device_id, show: (row) => <DeviceLink id={row.device_id} /> },
  {
    name: "age",
    label: t.age,
    value: (row) => ageOf(row, session),
    show: (row) => formatSpan(ageOf(row, session)),
  },
  { name: "tier", label: t.tier, value: (row) => row.current_tier, show: (row) => <Badge state={row.current_tier} /> },
  { name: "sent", label: t.facts.sent, value: (row) => row.messages_sent },
  { name: "received", label: t.facts.received, value: (row) => row.messages_received },
  { name: "reports", label: t.facts.reports, value: (row) => row.spam_reports },
  {
    name: "suggestion",
    label: t.suggestion,
    value: (row) => row.suggested_action,
    show: (row) => <Badge state={row.suggested_action} />,
  },
];

const candidateFilters = [
  { name: "min_age_hours", label: t.minAge, usual: 0, max: 87_600 },
  { name: "max_age_hours", label: t.maxAge, usual: 24, max: 87_600 },
  { name: "min_messages", label: t.minMessages, usual: 10, max: 1_000_000 },
  { name: "max_spam_reports", label: t.maxReports, usual: 0, max: 1_000_000 },
] as const;
const maxCandidates = 1000;
/** The most that one bulk verification takes. */
const maxAtOnce = 100;

function Candidates() {
  const context = useConsole();
  const { session } = context;
  const { query } = usePlace();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const wanted = Object.fromEntries(candidateFilters.map(({ name, usual }) => [name, Number(query[name] || usual)]));
  const load = () => session.call("listPendingDevices", { query: { ...wanted, limit: maxCandidates } });
  const pending = usePolled(JSON.stringify(wanted), load, 30);
  const toggle = (keys: readonly string[], on: boolean) => {
    const next = new Set(selected);
    for (const key of keys) on ? next.add(key) : next.delete(key);
    setSelected(next);
  };
  const done = () => {
    setSelected(new Set());
    pending.reload();
  };
  return (
    <Panel
      title={t.candidates}
      hint={t.candidatesHelp}
      buttons={<BulkButton context={context} selected={selected} onDone={done} />}
    >
      <div class="controls">
        {candidateFilters.map(({ name, label, usual, max }) => (
          <FilterField
            key={name}
            label={label}
            max={max}
            value={query[name] ?? String(usual)}
            onCommit={(value) => changeQuery({ [name]: value })}
          />
        ))}
      </div>
      <Loaded polled={pending}>
        {({ pending_devices, total_count, complete }) => (
          <>
            <List
              name="candidates"
              total={total_count}
              label={t.candidates}
              columns={columnsFor(session)}
              rows={pending_devices}
              keyOf={(row) => row.device_id}
              empty={t.noCandidates}
              selection={{ selected, toggle }}
            />
            {!complete && <p class="hint">{t.incomplete(total_count)}</p>}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

interface BulkButtonProps {
  context: ConsoleContext;
  selected: ReadonlySet<string>;
  onDone(): void;
}

function BulkButton({ context: { session, ask }, selected, onDone }: BulkButtonProps) {
  const ids = [...selected].slice(0, maxAtOnce);
  return (
    <button type="button" disabled={ids.length === 0} onClick={() => ask(verifyManyAction(session, ids, onDone))}>
      {t.verifyMany(ids.length)}
    </button>
  );
}
