import { useState } from "preact/hooks";
import type { Group, PendingRequest } from "../groups/index.js";
import { Button } from "./button.js";
import { useChanges, useReading } from "./hooks.js";
import { changed } from "./session.js";
import { attempt } from "./tasks.js";
import { fill, t } from "./texts.js";
import { dayOf } from "./times.js";

/** The valid invitations. Anyone who may invite can end each of them. */
export function Invitations({ group }: { group: Group }) {
  useChanges();
  const invitations = group.invitations();
  if (invitations.length === 0) return null;
  const end = (id: string) => attempt(() => group.revoke(id).then(changed));
  return (
    <section aria-label={t.invitations}>
      <h3>{t.invitations}</h3>
      <ul class="members">
        {invitations.map(({ id, usesLeft, expiresAtSeconds }) => (
          <li key={id}>
            <span>{fill(t.invitationLeft, { count: usesLeft, time: dayOf(expiresAtSeconds * 1000) })}</span>
            {group.may("invite") && <Button label={t.endInvitation} onClick={() => end(id)} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Asks whether to let in people who were removed before or need approval. */
export function JoinRequests({ group }: { group: Group }) {
  const version = useChanges();
  const [requests, setRequests] = useState<PendingRequest[]>([]);
  useReading(async () => setRequests(group.may("invite") ? await group.requests() : []), [version]);
  const answer = (work: Promise<void>) => attempt(() => work.then(changed));
  return (
    <>
      {requests.map(({ request, name, wasRemoved }) => (
        <p class="ended" role="status" key={request}>
          <bdi>{fill(wasRemoved ? t.asksAgain : t.asks, { name: name || t.nameless })}</bdi>{" "}
          <Button label={t.approve} class="main" onClick={() => answer(group.approve(request))} />{" "}
          <Button label={t.refuse} onClick={() => answer(group.refuse(request))} />
        </p>
      ))}
    </>
  );
}

/** Removes a person and, if the user agrees, ends all invitations, because the removed person may know a link. */
export async function removeFrom(group: Group, member: number): Promise<void> {
  await group.remove([member]);
  const left = group.may("invite") ? group.invitations() : [];
  if (left.length === 0 || !confirm(t.endInvitations)) return;
  for (const { id } of left) await group.revoke(id);
  changed();
}
