import { useMemo, useState } from "preact/hooks";
import type { Group, Groups } from "../groups/index.js";
import { Avatar, attempt, Copied, Dialog, QrCode, useChanges } from "./parts.js";
import { changed, invitationLink } from "./session.js";
import { t } from "./texts.js";

/** The members of a group, and how people come and go. */
export function Details({ group, me, onClose }: { group: Group; me: Groups; onClose(): void }) {
  useChanges();
  const [compared, compare] = useState<string | undefined>(undefined);
  const [link, setLink] = useState<string | undefined>(undefined);
  const isActive = group.state === "active";
  const leave = () => {
    if (confirm(t.leaveSure)) attempt(() => group.leave().then(onClose));
  };
  return (
    <Dialog title={group.name} onClose={onClose}>
      {isActive && link === undefined && (
        <button
          type="button"
          class="main"
          onClick={() => attempt(async () => setLink((await invitationLink(group)).link))}
        >
          {t.invite}
        </button>
      )}
      {link !== undefined && (
        <section>
          <QrCode text={link} label={t.invitationLink} />
          <p class="hint">{t.inviteHint}</p>
          <Copied text={link} label={t.invitationLink} />
        </section>
      )}
      <h3>{t.members}</h3>
      <ul class="members">
        {group.members().map(({ id, user, name, address, isMe, isSigned }) => (
          <li key={id}>
            <Avatar name={name} />
            <span>
              {name} {user === me.user && <small>({isMe ? t.you : t.otherDevice})</small>}
              {isSigned && me.isVerified(user) && <small class="good">✓ {t.verified}</small>}
              <small class="address">{address}</small>
              {!isSigned && <small class="bad">{t.unsigned}</small>}
            </span>
            {isSigned && user !== me.user && (
              <button type="button" aria-label={t.compareWith(name)} onClick={() => compare(user)}>
                {t.compare}
              </button>
            )}
            {isActive && !isMe && (
              <button
                type="button"
                aria-label={t.remove(name)}
                onClick={() => confirm(t.removeSure(name)) && attempt(() => group.remove([id]))}
              >
                ✕
              </button>
            )}
          </li>
        ))}
      </ul>
      {compared !== undefined && <SafetyNumber user={compared} me={me} />}
      {isActive && (
        <button type="button" class="danger" onClick={leave}>
          {t.leave}
        </button>
      )}
    </Dialog>
  );
}

/** Digits that two people compare, and what came of it. */
function SafetyNumber({ user, me }: { user: string; me: Groups }) {
  const digits = useMemo(() => me.safetyNumber(user), [user]);
  const isVerified = me.isVerified(user);
  const mark = () => attempt(() => me.setVerified(user, !isVerified).then(changed));
  return (
    <section aria-label={t.safetyNumber}>
      <h3>{t.safetyNumber}</h3>
      <p class="digits">{digits}</p>
      <p class="hint">{t.safetyNumberHint}</p>
      <button type="button" class={isVerified ? "" : "main"} onClick={mark}>
        {isVerified ? t.notVerified : t.setVerified}
      </button>
    </section>
  );
}
