import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { OperationId } from "../../generated/handlers.js";
import { isAnswer } from "../sdk/failures.js";
import type { Action, ActionOutcome } from "./action.js";
import { Context } from "./context.js";
import { ActionDialog } from "./dialog.js";
import { loadKeys } from "./keys.js";
import { describeFailure, FailureNote } from "./parts.js";
import { useIsAway } from "./reachability.js";
import { hrefOf, takeLinkCode, usePlace } from "./route.js";
import { discover, forgetSession, resume, type SignedIn, signInWithLink } from "./session.js";
import { SignIn } from "./sign-in.js";
import { texts } from "./texts.js";
import { applyTheme, storedTheme, type Theme, themes } from "./theme.js";
import { AuditView } from "./views/audit.js";
import { BackupsView } from "./views/backups.js";
import { ConfigurationView } from "./views/configuration.js";
import { DevicesView } from "./views/devices.js";
import { FederationView } from "./views/federation.js";
import { InvitesView } from "./views/invites.js";
import { OverviewView } from "./views/overview.js";
import { ReportsView } from "./views/reports.js";
import { SessionsView } from "./views/sessions.js";

interface View {
  path: string;
  title: string;
  /** Who may not call this operation does not see the view. */
  operation: OperationId;
  render: () => preact.JSX.Element;
}

const views: readonly View[] = [
  { path: "", title: texts.overview.title, operation: "getHealth", render: () => <OverviewView /> },
  { path: "devices", title: texts.devices.title, operation: "getDevice", render: () => <DevicesView /> },
  { path: "reports", title: texts.reports.title, operation: "listAuditEntries", render: () => <ReportsView /> },
  {
    path: "federation",
    title: texts.federation.title,
    operation: "listBlockedServers",
    render: () => <FederationView />,
  },
  { path: "invites", title: texts.invites.title, operation: "listInvites", render: () => <InvitesView /> },
  {
    path: "configuration",
    title: texts.configuration.title,
    operation: "getConfig",
    render: () => <ConfigurationView />,
  },
  { path: "audit", title: texts.audit.title, operation: "listAuditEntries", render: () => <AuditView /> },
  { path: "backups", title: texts.backups.title, operation: "listBackups", render: () => <BackupsView /> },
  { path: "sessions", title: texts.sessions.title, operation: "listAdminSessions", render: () => <SessionsView /> },
];

/** Who is signed in: nobody yet known, nobody, or an administrator. */
type Identity = { session: SignedIn } | { notice?: string; failure?: unknown } | undefined;

export function App() {
  const [identity, setIdentity] = useState<Identity>();
  const end = useCallback((notice?: string) => {
    forgetSession();
    setIdentity(notice === undefined ? {} : { notice });
  }, []);
  const onEnd = useCallback(() => end(texts.signIn.ended), [end]);
  useEffect(() => {
    const enter = (entering: Promise<SignedIn | undefined>) =>
      entering
        .then((session) => setIdentity(session === undefined ? {} : { session }))
        .catch((failure) =>
          setIdentity(isAnswer(failure, "CHALLENGE_EXPIRED") ? { notice: texts.signIn.linkEnded } : { failure }),
        );
    /** A link that is opened in this tab changes only the fragment, and loads nothing. */
    const followLink = () => {
      const code = takeLinkCode();
      if (code !== undefined) void enter(signInWithLink(code, onEnd));
      return code !== undefined;
    };
    if (!followLink()) void enter(loadKeys().then((keys) => resume(keys, onEnd)));
    addEventListener("hashchange", followLink);
    return () => removeEventListener("hashchange", followLink);
  }, [onEnd]);
  useEffect(() => {
    discover().then(
      ({ domain }) => {
        document.title = `${domain}: ${texts.title}`;
      },
      () => undefined,
    );
  }, []);
  if (identity === undefined) return <p class="loading">{texts.loading}</p>;
  if ("session" in identity) return <Shell session={identity.session} onSignedOut={end} />;
  return (
    <>
      <SignIn notice={identity.notice} onSignedIn={(session) => setIdentity({ session })} onEnd={onEnd} />
      {identity.failure !== undefined && <FailureNote failure={identity.failure} />}
    </>
  );
}

function Shell({ session, onSignedOut }: { session: SignedIn; onSignedOut: (notice?: string) => void }) {
  const { path } = usePlace();
  const [action, setAction] = useState<Action>();
  const [outcome, setOutcome] = useState<ActionOutcome>();
  const [version, setVersion] = useState(0);
  const context = useMemo(() => ({ session, ask: setAction, report: setOutcome }), [session]);
  const allowed = views.filter(({ operation }) => session.may(operation));
  const view = allowed.find((one) => one.path === path);
  const main = useRef<HTMLElement>(null);
  const closeDialog = (done?: unknown) => {
    setAction(undefined);
    if (done !== undefined) setOutcome(done as ActionOutcome);
  };
  const undo = async () => {
    const text = await outcome?.undo?.().catch(describeFailure);
    setOutcome(text === undefined ? undefined : { text });
    setVersion((old) => old + 1);
  };
  return (
    <Context.Provider value={context}>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {texts.skip}
      </button>
      <TopBar session={session} onSignedOut={onSignedOut} />
      <nav class="views" aria-label={texts.views}>
        {allowed.map((one) => (
          <a key={one.path} href={hrefOf(one.path)} aria-current={one === view ? "page" : undefined}>
            {one.title}
          </a>
        ))}
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        <ConnectionBanner />
        <h1>{view?.title ?? texts.noView}</h1>
        <div key={`${path} ${version}`}>{view?.render() ?? <p class="empty">{texts.noViewHelp}</p>}</div>
      </main>
      <Outcome outcome={outcome} onUndo={undo} onClose={() => setOutcome(undefined)} />
      {action !== undefined && <ActionDialog action={action} onClose={closeDialog} />}
    </Context.Provider>
  );
}

function TopBar({ session, onSignedOut }: { session: SignedIn; onSignedOut: (notice?: string) => void }) {
  const [theme, setTheme] = useState(storedTheme);
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
        {texts.levels[session.level]} <span class="id">{session.deviceId.slice(0, 8)}…</span>
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
  const isAway = useIsAway();
  return (
    <div role="status" aria-live="polite">
      {isAway && <p class="note warn">{texts.away}</p>}
    </div>
  );
}

interface OutcomeProps {
  outcome: ActionOutcome | undefined;
  onUndo(): void;
  onClose(): void;
}

function Outcome({ outcome, onUndo, onClose }: OutcomeProps) {
  return (
    <div class="outcome" role="status" aria-live="polite">
      {outcome !== undefined && (
        <p class="note good">
          {outcome.text}{" "}
          {outcome.undo !== undefined && (
            <button type="button" onClick={onUndo}>
              {texts.undo}
            </button>
          )}
          <button type="button" onClick={onClose} aria-label={texts.close}>
            ✕
          </button>
        </p>
      )}
    </div>
  );
}
