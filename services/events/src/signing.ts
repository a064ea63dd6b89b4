// Signatures of Standard Webhooks, and the secrets that make them.

import { createHmac, randomInt } from 'node:crypto';
import { deriveSealingKey, seal, unseal } from '@boxoffice/runtime';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const CHARACTERS = 32;

/** How long the secret before the newest one signs after a rotation, in milliseconds. */
export const OVERLAP_MS = 24 * 60 * 60 * 1000;

/** A secret as it is stored. */
export interface StoredSecret {
  readonly sealed: string;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
}

/** A new signing secret: `whsec_` and 32 characters of `[A-Za-z0-9]`, 190 random bits. */
export function makeSecret(): string {
  return `whsec_${Array.from({ length: CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
}

/** Encrypts the secrets of webhooks, each bound to its webhook. */
export type SecretBox = ReturnType<typeof createSecretBox>;

/** Makes the box from KEY_ENCRYPTION_KEY. */
export function createSecretBox(keyEncryptionKey: string) {
  const key = deriveSealingKey(keyEncryptionKey, 'webhook secrets at rest');
  return {
    store: (webhookId: string, secret: string, now: Date): StoredSecret => ({
      sealed: seal(key, webhookId, Buffer.from(secret)),
      createdAt: now.toISOString(),
    }),
    /** The secret; undefined if it was encrypted under another key. */
    open: (webhookId: string, { sealed }: StoredSecret): string | undefined =>
      unseal(key, webhookId, sealed)?.toString(),
  };
}

/** The secrets after a rotation: the new one, and of the others the newest. */
export function rotateSecrets(secrets: readonly StoredSecret[], added: StoredSecret): StoredSecret[] {
  return [added, ...secrets.slice(0, 1)];
}

/** The secrets that sign at an instant (epoch milliseconds), the newest first. */
export function selectSigningSecrets([newest, before]: readonly StoredSecret[], now: number): StoredSecret[] {
  if (!newest) return [];
  return before && now < Date.parse(newest.createdAt) + OVERLAP_MS ? [newest, before] : [newest];
}

const PREFIX = 'whsec_';

/** What is signed: the message's id, the attempt's time in epoch seconds, and the body to the byte. */
interface SignedMessage {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
}

/** The headers of Standard Webhooks for a message. */
export function createSignedHeaders(
  secrets: readonly string[],
  message: SignedMessage,
): Readonly<Record<string, string>> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': signatureOf(secrets, message),
  };
}

/** The value of `webhook-signature`: one signature per secret, separated by spaces (Standard Webhooks 1.0). */
const signatureOf = (secrets: readonly string[], { id, timestamp, body }: SignedMessage): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
