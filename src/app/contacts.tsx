import { useState } from "preact/hooks";
import type { Group, Groups } from "../groups/index.js";
import { type Contact, contactLinkOf } from "./contact.js";
import { attempt, Copied, Dialog, QrCode } from "./parts.js";
import { t } from "./texts.js";

/** Asks whether to begin a group with a person. */
export function NewContact({
  contact: { user, name, addresses },
  me,
  onGroup,
  onClose,
}: {
  contact: Contact;
  me: Groups;
  onGroup(group: Group): void;
  onClose(): void;
}) {
  const begin = () => {
    onClose();
    attempt(async () => {
      const group = await me.create({ name: `${me.name}, ${name}` });
      // What is written before they are a member would not reach them.
      await group.add(addresses.map((address) => ({ address, user })));
      onGroup(group);
    });
  };
  return (
    <Dialog title={name} onClose={onClose}>
      {addresses.map((address) => (
        <small class="address" key={address}>
          {address}
        </small>
      ))}
      {user === me.user ? (
        <p>{t.contactSelf}</p>
      ) : (
        <button type="button" class="main" onClick={begin}>
          {t.contactBegin(name)}
        </button>
      )}
    </Dialog>
  );
}

/** Makes a link by which others write to this user. */
export function ContactLink({ me }: { me: Groups }) {
  const [link, setLink] = useState<string | undefined>(undefined);
  if (link === undefined)
    return (
      <button type="button" onClick={() => attempt(async () => setLink(await contactLinkOf(me)))}>
        {t.contactLink}
      </button>
    );
  return (
    <section>
      <QrCode text={link} label={t.contactLink} />
      <p class="hint">{t.contactLinkHint}</p>
      <Copied text={link} label={t.contactLink} />
    </section>
  );
}
