/** A backup that is not what was written, or not by this program. */
export class DamagedBackup extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DamagedBackup";
  }
}
