import { Button } from "./button.js";
import { useChanges } from "./hooks.js";
import { me } from "./session.js";
import { attempt } from "./tasks.js";
import { fill, t } from "./texts.js";

/** Hides a person on all devices of the user, or shows them again. */
export function Block({ user, name }: { user: string; name: string }) {
  const isBlocked = me().blockedUsers().includes(user);
  const toggle = () => {
    if (isBlocked) attempt(() => me().unblockUser(user));
    else if (confirm(fill(t.blockSure, { name }))) attempt(() => me().blockUser(user));
  };
  return (
    <Button
      icon={isBlocked ? t.unblock : t.block}
      label={fill(isBlocked ? t.unblockPerson : t.blockPerson, { name })}
      onClick={toggle}
    />
  );
}

/** Everybody whom the user has blocked, including people who no longer share a group with them. */
export function Blocked() {
  useChanges();
  const users = me().blockedUsers();
  if (users.length === 0) return null;
  return (
    <>
      <h3>{t.blocked}</h3>
      <ul class="members">
        {users.map((user) => (
          <li key={user}>
            <span>
              <bdi>{nameOf(user)}</bdi>
            </span>
            <Block user={user} name={nameOf(user)} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The name, from one of the groups. */
function nameOf(user: string): string {
  const members = me()
    .groups()
    .flatMap((group) => group.members());
  return members.find((one) => one.user === user)?.name || user.slice(0, 8);
}
