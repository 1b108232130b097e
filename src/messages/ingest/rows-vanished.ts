/** Thrown where devices were removed between two statements, or windows by a crash; the flush is to be repeated. */
export class RowsVanished extends Error {
  readonly deviceIds: readonly string[];

  constructor(deviceIds: readonly string[]) {
    super("rows of devices are gone");
    this.deviceIds = deviceIds;
  }
}
