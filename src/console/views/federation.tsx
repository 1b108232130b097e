import type { AnswerOf } from "../../client/connection/calls.js";
import { Badge } from "../badge.js";
import { useConsole } from "../context.js";
import { AdminLink } from "../device-link.js";
import { Facts } from "../facts.js";
import { describeFailure } from "../failure-note.js";
import { LookUp } from "../fields.js";
import { formatBytes, formatMillis, formatNumber, formatTime, formatValue } from "../format.js";
import { type Column, List } from "../list.js";
import { Loaded } from "../loaded.js";
import { Panel } from "../panel.js";
import { type Polled, usePolled } from "../polling.js";
import { changeQuery, usePlace } from "../route.js";
import { texts } from "../texts.js";
import { blockAction, policyAction, purgeAction, retryOutbox, unblockAction } from "./federation-actions.js";
import { BlockButton, PeerLink, PeerLists, Peers } from "./peers.js";

const t = texts.federation;
const maxRows = 1000;

export function FederationView() {
  const { session } = useConsole();
  const { query } = usePlace();
  const blocked = usePolled("blocked", () => session.call("listBlockedServers", { query: { limit: maxRows } }), 30);
  return (
    <>
      <Peer domain={query["peer"] ?? ""} blocked={blocked} />
      <Peers blocked={blocked} />
      <Outbox />
      <Blocked blocked={blocked} />
      <PeerLists />
      <Policy />
    </>
  );
}

function Peer({ domain, blocked }: { domain: string; blocked: Polled<Blocklist> }) {
  return (
    <Panel
      title={t.peer}
      reveal={domain}
      hint={t.peerHelp}
      buttons={domain !== "" && <BlockButton domain={domain} isBlocked={false} blocked={blocked} />}
    >
      <LookUp label={t.domain} button={t.show} given={domain} onSubmit={(peer) => changeQuery({ peer })} />
      {domain !== "" && <Reputation domain={domain} />}
    </Panel>
  );
}

function Reputation({ domain }: { domain: string }) {
  const { session } = useConsole();
  const load = () => session.call("getServerReputation", { path: { server_domain: domain } });
  return (
    <Loaded polled={usePolled(`peer ${domain}`, load, 30)}>
      {({ metrics, ...peer }) => (
        <>
          <p>
            <strong>{peer.server_domain}</strong> <Badge state={peer.federation_status} />
          </p>
          <Facts
            facts={[
              [t.score, formatNumber(peer.reputation_score)],
              [t.delivered, formatNumber(metrics.messages_delivered)],
              [t.rejected, formatNumber(metrics.messages_rejected)],
              [t.spam, formatNumber(metrics.spam_reports_received)],
              [t.uptime, formatNumber(metrics.uptime_percentage)],
              [t.responseTime, formatMillis(metrics.average_response_time_ms)],
              [t.certificate, formatValue(metrics.certificate_valid)],
              [t.listedBy, formatNumber(peer.federated_blocklist_count)],
              [t.firstContact, formatTime(peer.first_contact)],
              [t.lastActivity, formatTime(peer.last_activity)],
            ]}
          />
        </>
      )}
    </Loaded>
  );
}

type Destination = AnswerOf<"listOutboxBacklogs">["destinations"][number];

const outboxColumns: readonly Column<Destination>[] = [
  {
    name: "domain",
    label: t.domain,
    value: (row) => row.server_domain,
    show: (row) => <PeerLink domain={row.server_domain} />,
  },
  { name: "messages", label: t.messages, value: (row) => row.messages },
  { name: "bytes", label: t.size, value: (row) => row.bytes, show: (row) => formatBytes(row.bytes) },
  { name: "oldest", label: t.oldest, value: (row) => row.oldest_at, show: (row) => formatTime(row.oldest_at) },
  { name: "failures", label: t.failures, value: (row) => row.failures },
  {
    name: "next",
    label: t.nextAttempt,
    value: (row) => row.next_attempt_at,
    show: (row) => formatTime(row.next_attempt_at),
  },
  { name: "problem", label: t.problem, value: (row) => row.problem && describeProblem(row.problem) },
];

/** The relay names a problem by a word, perhaps with what the other server said after it. */
function describeProblem(problem: string): string {
  const [name = "", ...rest] = problem.split(" ");
  const words = t.problems[name];
  if (words === undefined) return problem;
  return rest.length === 0 ? words : `${words}: ${rest.join(" ")}`;
}

function Outbox() {
  const { session, ask, report } = useConsole();
  const outbox = usePolled("outbox", () => session.call("listOutboxBacklogs", { query: { limit: maxRows } }));
  const retry = async (domain: string) => {
    await retryOutbox(session, domain).then(report, (failure) =>
      report({ text: describeFailure(failure), hasFailed: true }),
    );
    outbox.reload();
  };
  return (
    <Panel title={t.outbox}>
      <Loaded polled={outbox}>
        {({ destinations }) => (
          <List
            name="outbox"
            label={t.outbox}
            columns={outboxColumns}
            rows={destinations}
            keyOf={(row) => row.server_domain}
            empty={t.noOutbox}
            actions={({ server_domain }) => (
              <>
                <button type="button" onClick={() => retry(server_domain)}>
                  {t.retry}
                </button>
                <button
                  type="button"
                  class="danger"
                  onClick={() => ask(purgeAction(session, server_domain, outbox.reload))}
                >
                  {t.purge}
                </button>
              </>
            )}
          />
        )}
      </Loaded>
    </Panel>
  );
}

type Blocklist = AnswerOf<"listBlockedServers">;
type BlockedServer = Blocklist["blocked_servers"][number];

const blockedColumns: readonly Column<BlockedServer>[] = [
  { name: "domain", label: t.domain, value: (row) => row.domain, show: (row) => <PeerLink domain={row.domain} /> },
  { name: "severity", label: t.severity, value: (row) => row.severity, show: (row) => <Badge state={row.severity} /> },
  { name: "category", label: t.category, value: (row) => row.reason_category },
  { name: "reason", label: texts.reason, value: (row) => row.reason },
  { name: "at", label: t.blockedAt, value: (row) => row.blocked_at, show: (row) => formatTime(row.blocked_at) },
  { name: "expires", label: t.until, value: (row) => row.expires_at, show: (row) => formatTime(row.expires_at) },
  {
    name: "by",
    label: t.by,
    value: (row) => row.blocked_by,
    show: (row) => (row.blocked_by === null ? t.automatic : <AdminLink id={row.blocked_by} />),
  },
];

function Blocked({ blocked }: { blocked: Polled<Blocklist> }) {
  const { session, ask } = useConsole();
  return (
    <Panel
      title={t.blocked}
      buttons={
        <button type="button" onClick={() => ask(blockAction(session, "", blocked.reload))}>
          {t.block}
        </button>
      }
    >
      <Loaded polled={blocked}>
        {({ blocked_servers, total_blocked }) => (
          <List
            name="blocked"
            total={total_blocked}
            label={t.blocked}
            columns={blockedColumns}
            rows={blocked_servers}
            keyOf={(row) => row.domain}
            empty={t.noBlocked}
            actions={(row) => (
              <button type="button" onClick={() => ask(unblockAction(session, row, blocked.reload))}>
                {t.unblock}
              </button>
            )}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function Policy() {
  const { session, ask } = useConsole();
  const policy = usePolled("policy", () => session.call("getFederationPolicy"), 30);
  const { data } = policy;
  return (
    <Panel
      title={t.policy}
      buttons={
        session.may("setFederationPolicy") &&
        data !== undefined && (
          <button type="button" onClick={() => ask(policyAction(session, data, policy.reload))}>
            {t.changePolicy}
          </button>
        )
      }
    >
      <Loaded polled={policy}>
        {(current) => (
          <Facts
            facts={[
              [t.allowlistMode, formatValue(current.allowlist_mode)],
              [t.allowlist, formatValue(current.allowlist.join(", "))],
              [t.threshold, formatNumber(current.auto_block_threshold)],
              [t.checkCertificates, formatValue(current.require_certificate_validation)],
              [t.publish, formatValue(current.publish_blocklist)],
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}
