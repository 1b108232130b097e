import { useMemo, useState } from "preact/hooks";
import type { Group, Member, ShownMember } from "../groups/index.js";
import { Block } from "./blocked.js";
import { Button } from "./button.js";
import { Dialog } from "./dialog.js";
import { GroupSettings } from "./group-settings.js";
import { useChanges, useReading } from "./hooks.js";
import { Invitations, removeFrom } from "./invitations.js";
import { OwnSettings } from "./personal-settings.js";
import { Face, ShowPicture } from "./profile-pictures.js";
import { Shared } from "./qr-code.js";
import { changed, invitationLink, me } from "./session.js";
import { attempt } from "./tasks.js";
import { maxNameLength } from "./text-field.js";
import { fill, t } from "./texts.js";

interface DetailsProps {
  group: Group;
  onClose(): void;
  onGroup(group: Group): void;
}

/** The members of a group, and how to invite and remove them. */
export function Details({ group, onClose, onGroup }: DetailsProps) {
  const version = useChanges();
  const [namesakes, setNamesakes] = useState<ReadonlySet<string>>(new Set());
  useReading(async () => setNamesakes(new Set((await group.namesakes()).map(({ user }) => user))), [version]);
  const [compared, compare] = useState<Member | undefined>(undefined);
  const [link, setLink] = useState<string | undefined>(undefined);
  const isActive = group.state === "active";
  const isDirect = group.direct !== undefined;
  const leave = () => {
    if (confirm(t.leaveSure)) attempt(() => group.leave().then(onClose));
  };
  const remove = ({ id, name }: Member) => {
    if (confirm(fill(t.removeSure, { name }))) attempt(() => removeFrom(group, id));
  };
  const appoint = (member: Member) =>
    attempt(() => group.setRole(member.user, isAdministrator(group, member) ? undefined : ["administrator"]));
  const write = ({ user, name }: Member) => {
    // The details would cover the chat, even if it is already open.
    onClose();
    attempt(async () => onGroup(await me().directChat(user, { name: `${me().name}, ${name}` })));
  };
  const call = ({ user, name, profileName }: ShownMember) => {
    const given = prompt(fill(t.contactNameHint, { name: profileName ?? name }), name);
    if (given === null) return;
    const chosen = given.trim().slice(0, maxNameLength);
    attempt(() =>
      me()
        .setContact(user, { name: chosen || undefined })
        .then(changed),
    );
  };
  const invite = () => attempt(async () => setLink((await invitationLink(group)).link));
  return (
    <Dialog title={group.name || t.nameless} onClose={onClose}>
      {group.description && (
        <p>
          <bdi>{group.description}</bdi>
        </p>
      )}
      {!isDirect && <ShowPicture of={group} />}
      {isActive && !isDirect && link === undefined && group.may("invite") && (
        <Button label={t.invite} class="main" onClick={invite} />
      )}
      {link !== undefined && <Shared text={link} label={t.invitationLink} hint={t.inviteHint} />}
      <Invitations group={group} />
      <OwnSettings group={group} />
      {isActive && <GroupSettings group={group} />}
      <h3>{t.members}</h3>
      <ul class="members">
        {peopleIn(group).map(([member, devices]) => (
          <li key={member.id}>
            <Face name={member.name} of={member.user} />
            <span>
              <bdi>{member.name || t.nameless}</bdi>{" "}
              {member.profileName && (
                <small>
                  <bdi>{fill(t.callsThemself, { name: member.profileName })}</bdi>
                </small>
              )}
              {namesakes.has(member.user) && (
                <small class="bad">{fill(t.namesake, { key: member.user.slice(0, 8) })}</small>
              )}
              {member.user === me().user && <small>({t.you})</small>}
              {member.isSigned && me().isVerified(member.user) && <small class="good">✓ {t.verified}</small>}
              {!member.isSigned && <small class="bad">{t.unsigned}</small>}
              {isAdministrator(group, member) && <small> {t.administrator}</small>}
              <details>
                <summary>{t.devices}</summary>
                {devices.map((device) => (
                  <small class="address" key={device.id}>
                    {device.address}
                    {device.user === me().user && ` (${device.isMe ? t.thisDevice : t.otherDevice}) `}
                    {isActive && device.user === me().user && !device.isMe && group.mayRemove(device.id) && (
                      <Button
                        icon="✕"
                        label={fill(t.remove, { name: t.otherDevice })}
                        class="icon"
                        onClick={() => remove({ ...device, name: t.otherDevice })}
                      />
                    )}
                  </small>
                ))}
              </details>
            </span>
            {member.isSigned && member.user !== me().user && (
              <Button
                icon={t.compare}
                label={fill(t.compareWith, { name: member.name })}
                onClick={() => compare(member)}
              />
            )}
            {member.isSigned && member.user !== me().user && !isDirect && (
              <Button icon="✉" label={fill(t.contactBegin, { name: member.name })} onClick={() => write(member)} />
            )}
            {member.isSigned && member.user !== me().user && <ShowPicture of={member.user} />}
            {member.isSigned && member.user !== me().user && (
              <Button icon="✎" label={fill(t.contactName, { name: member.name })} onClick={() => call(member)} />
            )}
            {member.isSigned && member.user !== me().user && <Block user={member.user} name={member.name} />}
            {isActive && !isDirect && member.isSigned && member.user !== me().user && group.may("administrator") && (
              <Button
                icon={t.administrator}
                label={fill(t.administratorOf, { name: member.name })}
                pressed={isAdministrator(group, member)}
                onClick={() => appoint(member)}
              />
            )}
            {isActive && !isDirect && member.user !== me().user && group.mayRemove(member.id) && (
              <Button icon="✕" label={fill(t.remove, { name: member.name })} onClick={() => remove(member)} />
            )}
          </li>
        ))}
      </ul>
      {compared !== undefined && <SafetyNumber of={compared} />}
      {isActive && <Button label={t.leave} class="danger" onClick={leave} />}
    </Dialog>
  );
}

function isAdministrator(group: Group, { user, isSigned }: Member): boolean {
  return isSigned && group.roles().users[user]?.includes("administrator") === true;
}

/** The devices of each person, in the order of their first devices. A device that its user has not signed is listed separately. */
function peopleIn(group: Group): [ShownMember, Member[]][] {
  const people = new Map<string, ShownMember[]>();
  for (const member of group.members()) {
    const key = member.isSigned ? member.user : `device ${member.id}`;
    people.set(key, [...(people.get(key) ?? []), member]);
  }
  return [...people.values()].map((devices) => [devices[0] as ShownMember, devices]);
}

/** The safety number that two people compare, and the result. */
function SafetyNumber({ of: { user, name } }: { of: Member }) {
  const digits = useMemo(() => me().safetyNumber(user), [user]);
  const isVerified = me().isVerified(user);
  const mark = () => attempt(() => me().setVerified(user, !isVerified).then(changed));
  return (
    <section aria-label={fill(t.safetyNumber, { name })}>
      <h3>{fill(t.safetyNumber, { name })}</h3>
      <p class="digits">{digits}</p>
      <p class="hint">{t.safetyNumberHint}</p>
      <Button label={isVerified ? t.notVerified : t.setVerified} class={isVerified ? "" : "main"} onClick={mark} />
    </section>
  );
}
