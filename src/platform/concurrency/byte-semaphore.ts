/** Bounds the bytes that many transfers hold in memory together. Hand-written: it counts bytes and can shrink a reservation. */
export type ByteSemaphore = ReturnType<typeof createByteSemaphore>;

/** An exclusive reservation of bytes. */
export interface ByteReservation {
  bytes(): number;
  /** Keeps `bytes` of them and releases the others. */
  keep(bytes: number): void;
  /** Releases all bytes; a second call does nothing. */
  free(): void;
  /** Moves `bytes` of them to a separate reservation. */
  split(bytes: number): ByteReservation;
}

/** A transfer larger than the limit runs alone. */
export function createByteSemaphore(limitBytes: number) {
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
    held += bytes;
    return reservationOf(bytes);
  };
  const reservationOf = (bytes: number): ByteReservation => {
    let mine = bytes;
    const keep = (fewer: number): void => {
      held -= mine - fewer;
      mine = fewer;
      admit();
    };
    const split = (part: number): ByteReservation => {
      mine -= part;
      return reservationOf(part);
    };
    return { bytes: () => mine, keep, free: () => keep(0), split };
  };

  return {
    /** Reserves the bytes; calls are served in order. A caller that holds a reservation must not wait for another one. */
    room: (bytes: number): Promise<ByteReservation> =>
      new Promise((resolve) => {
        waiting.push({ bytes, go: resolve });
        admit();
      }),
    /** Reserves the bytes if they are free now and nobody is waiting. */
    reserveImmediately: (bytes: number): ByteReservation | undefined =>
      waiting.length === 0 && held + bytes <= limitBytes ? take(bytes) : undefined,
  };
}

/**
 * Runs `work` with a reservation for a result of unknown size; `work` returns how many bytes of the result are kept.
 */
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
