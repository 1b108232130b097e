import type { AnswerOf } from "../../client/connection/calls.js";
import { Badge } from "../badge.js";
import { useConsole } from "../context.js";
import { formatNumber, formatTime } from "../format.js";
import { type Column, List, pageIn, pageRows } from "../list.js";
import { Loaded } from "../loaded.js";
import { Panel, useReveal } from "../panel.js";
import { type Polled, usePolled } from "../polling.js";
import { changeQuery, hrefWithin, usePlace } from "../route.js";
import { texts } from "../texts.js";
import { blockAction, unblockAction } from "./federation-actions.js";

type ListedPeer = AnswerOf<"listPeers">["peers"][number];
type Blocklist = AnswerOf<"listBlockedServers">;
type PeerBlocklist = AnswerOf<"listPeerBlocklists">["lists"][number];

const t = texts.federation;
/** Less than this is shown as 0. */
const minShown = 0.005;

export function PeerLink({ domain }: { domain: string }) {
  return <a href={hrefWithin(usePlace(), "federation", { peer: domain })}>{domain}</a>;
}

/** What a score is made of, in words; nothing where nothing was deducted. */
function reasonsOf({ deductions: { spam_reports, rejected_messages, block_lists } }: ListedPeer): string {
  const parts = [
    [t.deductions.spam, spam_reports],
    [t.deductions.rejected, rejected_messages],
    [t.deductions.lists, block_lists],
  ] as const;
  const named = parts
    .filter(([, value]) => value >= minShown)
    .map(([name, value]) => `${name} −${formatNumber(value)}`);
  return named.length === 0 ? t.deductions.none : named.join(", ");
}

const peerColumns: readonly Column<ListedPeer>[] = [
  {
    name: "domain",
    label: t.domain,
    value: (row) => row.server_domain,
    show: (row) => <PeerLink domain={row.server_domain} />,
  },
  {
    name: "status",
    label: t.status,
    value: (row) => row.reputation.federation_status,
    show: (row) => <Badge state={row.reputation.federation_status} />,
  },
  { name: "score", label: t.scoreShort, value: (row) => row.reputation.reputation_score },
  { name: "why", label: t.why, value: reasonsOf },
  { name: "delivered", label: t.delivered, value: (row) => row.reputation.metrics.messages_delivered },
  {
    name: "active",
    label: t.lastActivity,
    value: (row) => row.reputation.last_activity,
    show: (row) => formatTime(row.reputation.last_activity),
  },
];

/** The servers with which there was contact, page by page. */
export function Peers({ blocked }: { blocked: Polled<Blocklist> }) {
  const { session } = useConsole();
  const { query } = usePlace();
  const offset = pageRows * (pageIn(query, "peers") - 1);
  const load = () => session.call("listPeers", { query: { limit: pageRows, offset } });
  const peers = usePolled(`peers ${offset}`, load, 60);
  return (
    <Panel title={t.peers} hint={t.peersHelp}>
      <Loaded polled={peers}>
        {(answer) => (
          <List
            name="peers"
            label={t.peers}
            columns={peerColumns}
            rows={answer.peers}
            keyOf={(row) => row.server_domain}
            empty={t.noPeers}
            {...(answer.has_more || offset > 0
              ? { remote: { sortable: [], hasMore: answer.has_more, sort: "" } }
              : undefined)}
            actions={({ server_domain, reputation }) => (
              <BlockButton
                domain={server_domain}
                isBlocked={reputation.federation_status === "blocked"}
                blocked={blocked}
                onDone={peers.reload}
              />
            )}
          />
        )}
      </Loaded>
    </Panel>
  );
}

interface BlockButtonProps {
  domain: string;
  isBlocked: boolean;
  blocked: Polled<Blocklist>;
  onDone?(): void;
}

/** Blocks a server, or ends its block; a block of a name above it is ended there. */
export function BlockButton({ domain, isBlocked, blocked, onDone }: BlockButtonProps) {
  const { session, ask } = useConsole();
  const block = blocked.data?.blocked_servers.find((one) => one.domain === domain);
  const done = () => {
    blocked.reload();
    onDone?.();
  };
  if (block !== undefined)
    return (
      <button type="button" onClick={() => ask(unblockAction(session, block, done))}>
        {t.unblock}
      </button>
    );
  if (isBlocked) return null;
  return (
    <button type="button" onClick={() => ask(blockAction(session, domain, done))}>
      {t.blockThis}
    </button>
  );
}

const listColumns: readonly Column<PeerBlocklist>[] = [
  {
    name: "domain",
    label: t.publisher,
    value: (row) => row.server_domain,
    show: (row) => <PeerLink domain={row.server_domain} />,
  },
  { name: "servers", label: t.listed, value: (row) => row.server_count },
  { name: "fetched", label: t.fetched, value: (row) => row.fetched_at, show: (row) => formatTime(row.fetched_at) },
];
const maxLists = 1000;

/** The block lists of peers, which lower the scores of who is on them. */
export function PeerLists() {
  const { session } = useConsole();
  const { query } = usePlace();
  const lists = usePolled("peer lists", () => session.call("listPeerBlocklists", { query: { limit: maxLists } }), 60);
  return (
    <Panel title={t.peerLists} hint={t.peerListsHelp}>
      <Loaded polled={lists}>
        {(answer) => (
          <List
            name="lists"
            label={t.peerLists}
            columns={listColumns}
            rows={answer.lists}
            keyOf={(row) => row.server_domain}
            empty={t.noPeerLists}
            actions={({ server_domain }) => (
              <button type="button" onClick={() => changeQuery({ list: server_domain })}>
                {t.showList}
              </button>
            )}
          />
        )}
      </Loaded>
      {query["list"] && <PeerList domain={query["list"]} />}
    </Panel>
  );
}

function PeerList({ domain }: { domain: string }) {
  const { session } = useConsole();
  const heading = useReveal<HTMLHeadingElement>(domain);
  const load = () => session.call("getPeerBlocklist", { path: { server_domain: domain } });
  return (
    <section aria-label={t.listOf(domain)}>
      <h3 ref={heading} tabIndex={-1}>
        {t.listOf(domain)}
      </h3>
      <Loaded polled={usePolled(`list ${domain}`, load, 60)}>
        {({ servers }) => (
          <List
            name="listed"
            label={t.listOf(domain)}
            columns={[{ name: "domain", label: t.domain, value: (row: string) => row }]}
            rows={servers}
            keyOf={(row) => row}
            empty={t.emptyList}
          />
        )}
      </Loaded>
      <button type="button" onClick={() => changeQuery({ list: "" })}>
        {texts.close}
      </button>
    </section>
  );
}
