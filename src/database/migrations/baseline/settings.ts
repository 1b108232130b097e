/** The settings that administrators change while the relay runs. */
export const settingsTables = `
  create table settings (
    key text primary key,
    value jsonb not null,
    updated_at bigint not null,
    updated_by text
  );

  -- Grows with every change, so that nodes notice it.
  create table settings_version (
    one boolean primary key default true check (one),
    version bigint not null
  );
  insert into settings_version (version) values (0);
`;
