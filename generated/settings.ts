// Made by `npm run generate` from spec/. Do not edit.
export const settingsTable = {
  "server": {
    "server_name": {
      "kind": "text",
      "initial": "MLS relay",
      "minimum": 1,
      "maximum": 100,
      "description": "Name shown to users."
    },
    "protocol_version": {
      "kind": "choice",
      "initial": "1.0",
      "choices": [
        "1.0"
      ],
      "description": "Protocol version that the server speaks."
    },
    "max_message_size": {
      "kind": "integer",
      "initial": 10485760,
      "minimum": 1024,
      "maximum": 20971520,
      "description": "Most bytes of a decoded ciphertext."
    },
    "max_retention_days": {
      "kind": "integer",
      "initial": 30,
      "minimum": 1,
      "maximum": 365,
      "description": "Days after which a queued message expires."
    }
  },
  "registration": {
    "enabled": {
      "kind": "flag",
      "initial": true,
      "description": "Whether devices unknown to the server may register."
    },
    "mode": {
      "kind": "choice",
      "initial": "open",
      "choices": [
        "open",
        "invite_only",
        "federation_allowlist"
      ],
      "description": "Who may register."
    },
    "require_proof_of_work": {
      "kind": "flag",
      "initial": true,
      "description": "Whether a first announcement needs a delay proof or one of its substitutes."
    },
    "proof_of_work_difficulty": {
      "kind": "integer",
      "initial": 5000000,
      "minimum": 1,
      "maximum": 80000000,
      "description": "Steps of a delay proof before load raises them."
    },
    "allow_time_delay": {
      "kind": "flag",
      "initial": false,
      "description": "Whether a challenge of sufficient age stands in for a proof."
    },
    "time_delay_seconds": {
      "kind": "integer",
      "initial": 120,
      "minimum": 1,
      "maximum": 240,
      "description": "Age at which a challenge stands in for a proof."
    },
    "accept_invites": {
      "kind": "flag",
      "initial": true,
      "description": "Whether an invite stands in for a proof."
    }
  },
  "progressive_trust": {
    "enabled": {
      "kind": "flag",
      "initial": true,
      "description": "Whether tiers apply; off, every device counts as Trusted."
    },
    "new_tier_duration_hours": {
      "kind": "integer",
      "initial": 6,
      "minimum": 0,
      "maximum": 8760,
      "description": "Age at which a device leaves the New tier."
    },
    "established_tier_duration_hours": {
      "kind": "integer",
      "initial": 24,
      "minimum": 0,
      "maximum": 8760,
      "description": "Age since registration at which a device is Trusted."
    },
    "new_tier_limit": {
      "kind": "integer",
      "initial": 10,
      "minimum": 1,
      "maximum": 1000,
      "description": "Messages per window in the New tier."
    },
    "established_tier_limit": {
      "kind": "integer",
      "initial": 60,
      "minimum": 1,
      "maximum": 1000000,
      "description": "Messages per window in the Established tier."
    },
    "trusted_tier_limit": {
      "kind": "integer",
      "initial": 300,
      "minimum": 1,
      "maximum": 1000000,
      "description": "Messages per window when Trusted or Verified."
    },
    "spam_report_block_threshold": {
      "kind": "integer",
      "initial": 5,
      "minimum": 1,
      "maximum": 1000,
      "description": "Distinct reporters at which a device is blocked."
    },
    "spam_score_threshold": {
      "kind": "number",
      "initial": 3.5,
      "minimum": 0.5,
      "maximum": 1000,
      "description": "Spam score of the last 7 days above which a device is banned."
    }
  },
  "federation": {
    "enabled": {
      "kind": "flag",
      "initial": true,
      "description": "Whether messages are exchanged with other servers."
    },
    "allowlist_mode": {
      "kind": "flag",
      "initial": false,
      "description": "Whether only servers on the allowlist are peers."
    },
    "auto_block_threshold": {
      "kind": "number",
      "initial": 0.3,
      "minimum": 0,
      "maximum": 1,
      "description": "Reputation below which a peer is blocked."
    },
    "publish_blocklist": {
      "kind": "flag",
      "initial": false,
      "description": "Whether the block list is published."
    },
    "certificate_validation": {
      "kind": "flag",
      "initial": true,
      "description": "Whether peers must prove their domain by a valid certificate."
    }
  },
  "rate_limiting": {
    "enabled": {
      "kind": "flag",
      "initial": true,
      "description": "Whether message limits apply."
    },
    "window_seconds": {
      "kind": "integer",
      "initial": 3600,
      "minimum": 1,
      "maximum": 86400,
      "description": "Length of the window of the message limit."
    },
    "burst_allowance": {
      "kind": "integer",
      "initial": 10,
      "minimum": 0,
      "maximum": 100000,
      "description": "Most unused messages carried over into the next window."
    },
    "recipients_per_message": {
      "kind": "integer",
      "initial": 25,
      "minimum": 1,
      "maximum": 1000,
      "description": "Recipients of a message to many that count as one message when Trusted or Verified."
    },
    "infopackage_uploads_per_hour": {
      "kind": "integer",
      "initial": 10,
      "minimum": 1,
      "maximum": 100000,
      "description": "Info packages that a user may upload in an hour."
    },
    "infopackage_uploads_per_day": {
      "kind": "integer",
      "initial": 50,
      "minimum": 1,
      "maximum": 1000000,
      "description": "Info packages that a user may upload in a day."
    }
  },
  "storage": {
    "message_queue_limit": {
      "kind": "integer",
      "initial": 1000,
      "minimum": 1,
      "maximum": 1000000,
      "description": "Most messages in the queue of a device."
    },
    "message_queue_bytes_limit": {
      "kind": "integer",
      "initial": 268435456,
      "minimum": 1048576,
      "maximum": 1099511627776,
      "description": "Most bytes in a queue."
    },
    "announcement_retention_hours": {
      "kind": "integer",
      "initial": 24,
      "minimum": 1,
      "maximum": 8760,
      "description": "Hours for which an announced address lives."
    },
    "metadata_retention_days": {
      "kind": "integer",
      "initial": 30,
      "minimum": 1,
      "maximum": 3650,
      "description": "Days of inactivity after which a device is removed."
    }
  }
} as const;
