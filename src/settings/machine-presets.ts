/** What a preset gives a machine of one kind, besides the presets of settings that administrators change. */
export interface MachinePreset {
  description: string;
  /** Environment variables; a variable that is set keeps its value. */
  variables: Readonly<Record<string, string>>;
  /** Constants, by name. */
  constants: Readonly<Record<string, number>>;
  /** Settings of the embedded PostgreSQL. */
  postgresql: Readonly<Record<string, string>>;
}

/** docs/how-to/small.md explains each value. */
export const machinePresets: Readonly<Record<string, MachinePreset>> = {
  small: {
    description: "A relay and its embedded PostgreSQL in little memory, for some dozens of people",
    variables: {
      DATABASE_POOL_SIZE: "2",
      PROOF_WORKERS: "1",
      INTAKE_BUFFER_MESSAGES: "2000",
      INTAKE_BUFFER_BYTES: "16777216",
      BODIES_IN_FLIGHT_BYTES: "50331648",
      ANSWERS_IN_FLIGHT_BYTES: "16777216",
      STREAM_HELD_BYTES: "4194304",
      STREAMS_PER_NODE: "1000",
      CONNECTIONS_PER_NODE: "2000",
      CONNECTIONS_PER_IP: "500",
      SEED_SERVER_MAX_MESSAGE_SIZE: "1048576",
    },
    constants: {
      intakeConcurrentFlushes: 1,
      intakeFlushMessages: 256,
      intakeFlushBytes: 4_194_304,
      pipelinedRequestsPerNode: 100,
      pollPageBytes: 4_194_304,
      outboxTransactionBytes: 2_097_152,
      outboxInFlightBytes: 8_388_608,
      streamConcurrentReads: 1,
    },
    postgresql: {
      max_connections: "30",
      shared_buffers: "4MB",
      wal_buffers: "512kB",
      work_mem: "1MB",
      maintenance_work_mem: "8MB",
      autovacuum_work_mem: "4MB",
      effective_cache_size: "64MB",
      max_wal_size: "256MB",
      min_wal_size: "32MB",
      autovacuum_max_workers: "1",
      autovacuum_naptime: "60s",
      max_worker_processes: "1",
      max_logical_replication_workers: "0",
    },
  },
};
