// Signatures of Standard Webhooks, and the secrets that make them.

import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/** What is signed: the message's id, the attempt's time in epoch seconds, and the body to the byte. */
interface SignedMessage {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
}

/** The value of `webhook-signature`: one signature per secret, separated by spaces (Standard Webhooks 1.0). */
const signatureOf = (secrets: readonly string[], { id, timestamp, body }: SignedMessage): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');

/** The headers of Standard Webhooks for a message. */
export const signedHeaders = (
  secrets: readonly string[],
  message: SignedMessage,
): Readonly<Record<string, string>> => ({
  'webhook-id': message.id,
  'webhook-timestamp': String(message.timestamp),
  'webhook-signature': signatureOf(secrets, message),
});
