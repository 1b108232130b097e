/**
 * A file that the package loads only when it is needed did not arrive: the network is away, or the server has another version of the application by now. The call can be
 * repeated. Some browsers remember such a failure until the page is loaded again.
 */
export class NotLoadedError extends Error {
  constructor(cause: unknown) {
    super(`a file of this package could not be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.name = "NotLoadedError";
  }
}

/** What `import()` loads. Throws NotLoadedError. Packages above this one load their files by it as well. */
export async function loaded<T>(file: Promise<T>): Promise<T> {
  try {
    return await file;
  } catch (cause) {
    throw new NotLoadedError(cause);
  }
}
