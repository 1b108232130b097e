/** Bounds what many transfers keep in memory together. */
export interface ByteSemaphore {
  /** Room for that many bytes, once there is; whoever waits longest goes first. Whoever has room asks for no more. */
  room(bytes: number): Promise<ByteReservation>;
  /** The same where there is room now and nobody waits for it. */
  reserveImmediately(bytes: number): ByteReservation | undefined;
}

/** Bytes that somebody has to himself. */
export interface ByteReservation {
  bytes(): number;
  /** Keeps so many of them and gives the others back. */
  keep(bytes: number): void;
  /** Gives all back; a second time does nothing. */
  free(): void;
}

/** One transfer runs in any case, however large. */
export function createByteSemaphore(limitBytes: number): ByteSemaphore {
  const waiting: { bytes: number; go: (room: ByteReservation) => void }[] = [];
  let held = 0;

  const admit = (): void => {
    for (let next = waiting[0]; next !== undefined && fits(next.bytes); next = waiting[0]) {
      waiting.shift();
      next.go(take(next.bytes));
    }
  };
  const fits = (bytes: number): boolean => held === 0 || held + bytes <= limitBytes;
  const take = (bytes: number): ByteReservation => {
    let mine = bytes;
    held += bytes;
    const keep = (fewer: number): void => {
      held -= mine - fewer;
      mine = fewer;
      admit();
    };
    return { bytes: () => mine, keep, free: () => keep(0) };
  };

  return {
    room: (bytes) =>
      new Promise((resolve) => {
        waiting.push({ bytes, go: resolve });
        admit();
      }),
    reserveImmediately: (bytes) => (waiting.length === 0 && held + bytes <= limitBytes ? take(bytes) : undefined),
  };
}

/** Runs `work` with room for what is read before it is known how much it is; it says how much of that is kept. */
export async function withImmediateReservation<T>(
  inFlight: ByteSemaphore,
  bytes: number,
  work: (room: ByteReservation | undefined) => Promise<{ result: T; kept: number }>,
): Promise<T> {
  const room = inFlight.reserveImmediately(bytes);
  try {
    const { result, kept } = await work(room);
    room?.keep(kept);
    return result;
  } catch (error) {
    room?.free();
    throw error;
  }
}
