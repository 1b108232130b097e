import { useState } from "preact/hooks";
import type { Group } from "../groups/index.js";
import { Button } from "./button.js";
import { type Contact, contactLinkOf } from "./contact-links.js";
import { Dialog } from "./dialog.js";
import { Shared } from "./qr-code.js";
import { me, noteNames, nowMillis, seen, update } from "./session.js";
import { attempt } from "./tasks.js";
import { fill, t } from "./texts.js";
import { momentOf } from "./times.js";

/** Creates a link with which others can message this user. */
export function ContactLink() {
  const [link, setLink] = useState<string | undefined>(undefined);
  const make = () => attempt(async () => setLink(await contactLinkOf(me())));
  if (link === undefined) return <Button label={t.contactLink} onClick={make} />;
  return <Shared text={link} label={t.contactLink} hint={t.contactLinkHint} />;
}

/** Asks whether to start a direct chat with a person. */
export function NewContact({ contact, onGroup }: { contact: Contact; onGroup(group: Group): void }) {
  const { user, name, addresses } = contact;
  const forget = () => update({ contact: undefined });
  const begin = () => {
    forget();
    noteNames(name, addresses);
    attempt(async () => {
      onGroup(await me().directChat(user, { addresses, name: `${me().name}, ${name}` }));
    });
  };
  return (
    <Dialog title={name} onClose={forget}>
      <small class="address">{addresses.join("\n")}</small>
      {user === me().user ? (
        <p>{t.contactSelf}</p>
      ) : (
        <Button label={fill(t.contactBegin, { name })} class="main" onClick={begin} />
      )}
    </Dialog>
  );
}

/** Says who could not be added to a group yet, or at all, and why. */
export function NotYet({ group }: { group?: Group }) {
  const entries = [...seen.notYet.values()].filter((one) => group === undefined || one.group === group.id);
  const texts = entries.map(({ group: id, name, isLimited, retryAtMillis }) => {
    const said = { name, group: me().group(id)?.name ?? "", time: momentOf(retryAtMillis, nowMillis()) };
    return fill(isLimited ? t.notYetLimited : t.notYetAway, said);
  });
  // A person with several devices is listed once.
  return (
    <>
      {[...new Set(texts)].map((text) => (
        <p class="hint pad" role="status" key={text}>
          {text}
        </p>
      ))}
    </>
  );
}
