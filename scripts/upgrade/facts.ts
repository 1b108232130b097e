/** What the tests have to know about a stored database. Keys are in hexadecimal. */
export interface Facts {
  domain: string;
  masterKey: string;
  /** Unix seconds. */
  madeAt: number;
  adminSecretKey: string;
  sender: { deviceId: string; secretKey: string };
  /** A device with messages in its queue, in this order. */
  recipient: {
    deviceId: string;
    secretKey: string;
    address: string;
    queued: readonly { messageId: string; text: string }[];
  };
  infoLink: string;
  /** `receipt` is what the relay answered. */
  slot: { name: string; content: string; receipt: unknown };
}
