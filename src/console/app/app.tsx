import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { OperationId } from "../../../generated/handlers.js";
import { ConnectionError, isAnswer } from "../../client/connection/failures.js";
import type { Action, ActionOutcome } from "../action.js";
import { Context } from "../context.js";
import { ActionDialog } from "../dialog.js";
import { forgetDraft, useHasDraft } from "../draft.js";
import { describeFailure, FailureNote } from "../failure-note.js";
import { loadKeys } from "../keys.js";
import { useNames } from "../names.js";
import { Outcome } from "../outcome.js";
import { forgetOutages, useOutage } from "../reachability.js";
import { hrefOf, takeLinkCode, usePlace } from "../route.js";
import {
  forgetSession,
  goOnWith,
  readStored,
  resume,
  resumeElsewhere,
  type SignedIn,
  signInWithLink,
} from "../session.js";
import { SignIn } from "../sign-in.js";
import { listenToTabs } from "../tabs.js";
import { texts } from "../texts.js";
import { applyTheme, storedTheme, type Theme, themes } from "../theme.js";
import { AuditView } from "../views/audit.js";
import { BackupsView } from "../views/backups.js";
import { ConfigurationView } from "../views/configuration.js";
import { DevicesView } from "../views/devices.js";
import { FederationView } from "../views/federation.js";
import { InvitesView } from "../views/invites.js";
import { OverviewView } from "../views/overview.js";
import { ReportsView } from "../views/reports.js";
import { SessionsView } from "../views/sessions.js";

interface View {
  path: string;
  title: string;
  /** Who may call none of these operations does not see the view. */
  operations: readonly OperationId[];
  render: () => preact.JSX.Element;
}

const configurationPath = "configuration";

const views: readonly View[] = [
  { path: "", title: texts.overview.title, operations: ["getHealth"], render: () => <OverviewView /> },
  { path: "devices", title: texts.devices.title, operations: ["getDevice"], render: () => <DevicesView /> },
  {
    path: "reports",
    title: texts.reports.title,
    operations: ["listAuditEntries", "removeBlob"],
    render: () => <ReportsView />,
  },
  {
    path: "federation",
    title: texts.federation.title,
    operations: ["listBlockedServers"],
    render: () => <FederationView />,
  },
  { path: "invites", title: texts.invites.title, operations: ["listInvites"], render: () => <InvitesView /> },
  {
    path: configurationPath,
    title: texts.configuration.title,
    operations: ["getConfig"],
    render: () => <ConfigurationView />,
  },
  { path: "audit", title: texts.audit.title, operations: ["listAuditEntries"], render: () => <AuditView /> },
  { path: "backups", title: texts.backups.title, operations: ["listBackups"], render: () => <BackupsView /> },
  { path: "sessions", title: texts.sessions.title, operations: ["listAdminSessions"], render: () => <SessionsView /> },
];

/** Who is signed in: nobody yet known, nobody, or an administrator. */
type Identity = { session: SignedIn } | { notice?: string; failure?: unknown } | undefined;

export function App() {
  const [identity, setIdentity] = useState<Identity>();
  const { enter, onEnd } = useEntrance(setIdentity);
  useSharedSession(identity, enter, onEnd);
  useEffect(() => {
    /** A link that is opened in this tab changes only the fragment, and loads nothing. */
    const followLink = () => {
      const code = takeLinkCode();
      if (code !== undefined) void enter(() => signInWithLink(code, onEnd));
      return code !== undefined;
    };
    if (!followLink()) void enter(async () => resume(await loadKeys(), onEnd));
    addEventListener("hashchange", followLink);
    return () => removeEventListener("hashchange", followLink);
  }, []);
  if (identity === undefined) return <p class="loading">{texts.loading}</p>;
  const signOut = (notice?: string) => {
    forgetSession();
    forgetDraft();
    setIdentity(notice === undefined ? {} : { notice });
  };
  if ("session" in identity) return <Shell session={identity.session} onSignedOut={signOut} />;
  return (
    <>
      <SignIn notice={identity.notice} onSignedIn={(session) => setIdentity({ session })} onEnd={onEnd} />
      {identity.failure !== undefined && <FailureNote failure={identity.failure} />}
    </>
  );
}

const resumeAgainMillis = 2_000;

type Enter = (signIn: () => Promise<SignedIn | undefined>, noticeOtherwise?: string) => Promise<void>;

/**
 * Lets somebody in who is signing in; and where a session ends, looks for one in another tab. Each attempt begins when the
 * one before it has ended: a page that still asks other tabs for a session must not overrule the link opened meanwhile.
 */
function useEntrance(setIdentity: (identity: Identity) => void): { enter: Enter; onEnd: () => void } {
  return useMemo(() => {
    let earlier = Promise.resolve();
    const enter: Enter = (signIn, notice) => {
      earlier = earlier
        .then(signIn)
        .then((session) => setIdentity(session !== undefined ? { session } : notice === undefined ? {} : { notice }))
        .catch((failure) => {
          setIdentity(isAnswer(failure, "CHALLENGE_EXPIRED") ? { notice: texts.signIn.linkEnded } : { failure });
          // Nobody should have to sign in again because the relay was away for a moment.
          if (failure instanceof ConnectionError && readStored() !== undefined) setTimeout(again, resumeAgainMillis);
        });
      return earlier;
    };
    const again = () => void enter(async () => resume(await loadKeys(), onEnd));
    const onEnd = () => {
      setIdentity(undefined);
      void enter(async () => resumeElsewhere(await loadKeys(), onEnd), texts.signIn.ended);
    };
    return { enter, onEnd };
  }, []);
}

/** Tabs of one browser share a session: one that asks to sign in takes that of another, and one that has it answers. */
function useSharedSession(identity: Identity, enter: Enter, onEnd: () => void): void {
  const latest = useRef(identity);
  latest.current = identity;
  useEffect(() => {
    const session = () =>
      latest.current !== undefined && "session" in latest.current ? latest.current.session : undefined;
    return listenToTabs({
      session: () => (session() === undefined ? undefined : readStored()),
      onSession(stored) {
        if (latest.current === undefined || session() !== undefined) return;
        void enter(async () => goOnWith(stored, await loadKeys(), onEnd));
      },
      onCheck: () =>
        void session()
          ?.call("listAlerts")
          .catch(() => undefined),
    });
  }, []);
}

function Shell({ session, onSignedOut }: { session: SignedIn; onSignedOut: (notice?: string) => void }) {
  const { path } = usePlace();
  const [action, setAction] = useState<Action>();
  const [outcome, setOutcome] = useState<ActionOutcome>();
  const [version, setVersion] = useState(0);
  const context = useMemo(() => ({ session, ask: setAction, report: setOutcome }), [session]);
  const allowed = views.filter(({ operations }) => operations.some((operation) => session.may(operation)));
  const view = allowed.find((one) => one.path === path);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${view?.title ?? texts.noView}, ${session.domain}`;
  }, [view, session]);
  // Before the effects with which the view sends its first requests.
  useLayoutEffect(forgetOutages, [view, session]);
  // What can be undone stays in every view; the rest says nothing to another one.
  useEffect(() => setOutcome((old) => (old?.undo === undefined ? undefined : old)), [path]);
  const closeDialog = (done?: ActionOutcome) => {
    setAction(undefined);
    if (done !== undefined) setOutcome(done);
  };
  const undo = async () => {
    const taken = outcome?.undo?.();
    setOutcome(
      await taken?.then(
        (text) => ({ text }),
        (failure) => ({ text: describeFailure(failure), hasFailed: true }),
      ),
    );
    setVersion((old) => old + 1);
  };
  return (
    <Context.Provider value={context}>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {texts.skip}
      </button>
      <TopBar session={session} onSignedOut={onSignedOut} />
      <Navigation allowed={allowed} view={view} />
      <main id="main" ref={main} tabIndex={-1}>
        <ConnectionBanner />
        <Outcome outcome={outcome} onUndo={undo} onClose={() => setOutcome(undefined)} />
        <h1>{view?.title ?? texts.noView}</h1>
        <div key={`${path} ${version}`}>{view?.render() ?? <p class="empty">{texts.noViewHelp}</p>}</div>
      </main>
      {action !== undefined && <ActionDialog action={action} onClose={closeDialog} />}
    </Context.Provider>
  );
}

function Navigation({ allowed, view }: { allowed: readonly View[]; view: View | undefined }) {
  const current = useRef<HTMLAnchorElement>(null);
  const hasDraft = useHasDraft();
  // On a narrow screen the row of views scrolls sideways.
  useEffect(() => current.current?.scrollIntoView({ block: "nearest", inline: "center" }), [view]);
  return (
    <nav class="views" aria-label={texts.views}>
      {allowed.map((one) => (
        <a
          key={one.path}
          ref={one === view ? current : null}
          href={hrefOf(one.path)}
          aria-current={one === view ? "page" : undefined}
        >
          {one.title}
          {one.path === configurationPath && hasDraft && <small> ({texts.configuration.unsaved})</small>}
        </a>
      ))}
    </nav>
  );
}

function TopBar({ session, onSignedOut }: { session: SignedIn; onSignedOut: (notice?: string) => void }) {
  const [theme, setTheme] = useState(storedTheme);
  const name = useNames()[session.deviceId];
  const choose = (chosen: Theme) => {
    applyTheme(chosen);
    setTheme(chosen);
  };
  const signOut = async () => {
    // A relay that does not answer cannot end the session; the page forgets it all the same.
    const done = await session.signOut().then(
      () => texts.signIn.signedOut,
      () => texts.signIn.signedOutHere,
    );
    onSignedOut(done);
  };
  return (
    <header class="top">
      <a href={hrefOf("")} class="domain">
        {session.domain}
      </a>
      <span class="who" title={session.deviceId}>
        {texts.levels[session.level]} {name ?? <span class="id">{session.deviceId.slice(0, 8)}…</span>}
      </span>
      <label>
        <span class="hidden">{texts.theme}</span>
        <select value={theme} onChange={(event) => choose(event.currentTarget.value as Theme)}>
          {themes.map((one) => (
            <option key={one} value={one}>
              {texts.themes[one]}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={signOut}>
        {texts.signIn.signOut}
      </button>
    </header>
  );
}

/** Says that the relay is away for as long as it is. */
function ConnectionBanner() {
  const outage = useOutage();
  return (
    <div role="status" aria-live="polite">
      {outage !== undefined && <p class="note warn">{outage === "database" ? texts.noDatabase : texts.away}</p>}
    </div>
  );
}
