// What PostgreSQL says when it does not start is long, and its cause is somewhere within.

const causes: readonly (readonly [RegExp, string])[] = [
  [
    /could not (?:locate|read|find).*checkpoint|invalid (?:primary )?checkpoint|could not open file "(?:\.\/)?pg_wal/i,
    "files of its write-ahead log (pg_wal) are missing or damaged; restore the last backup into an empty DATA_DIR, and never run " +
      "pg_resetwal (docs/how-to/disaster.md)",
  ],
  [
    /shared memory segment[^\n]*No space left on device|\/dev\/shm|could not (?:resize|create) shared memory/i,
    "/dev/shm is too small; give it 64 MB or more (`--shm-size` of docker run, `shm_size` of Compose)",
  ],
];

/** The same, after its cause if that is known, or after the line in which PostgreSQL gave up. */
export function leadWithCause(said: string): string {
  const known = causes.find(([pattern]) => pattern.test(said))?.[1];
  const lead = known ?? /(?:FATAL|PANIC):\s+(.+)/.exec(said)?.[1];
  return lead === undefined || said.startsWith(lead) ? said : `${lead}\nPostgreSQL said:\n${said}`;
}
