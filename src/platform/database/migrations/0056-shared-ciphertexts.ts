import type { Knex } from "knex";

/**
 * Which messages in the outbox are one message to many: those after the first name its position. They have the same
 * ciphertext, so that a delivery needs to carry it once.
 */
export const sharedCiphertextsMigration = {
  name: "0056-shared-ciphertexts",
  async up(db: Knex): Promise<void> {
    await db.raw("alter table outbox add column shared_position bigint");
  },
};
