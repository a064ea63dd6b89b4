import { createHmac, randomInt } from 'node:crypto';
import { deriveSealingKey, seal, unseal } from '@boxoffice/runtime';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const CHARACTERS = 32;

/** Milliseconds for which the secret before the newest one signs after a rotation. */
export const OVERLAP_MS = 24 * 60 * 60 * 1000;

export interface StoredSecret {
  readonly sealed: string;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
}

/** `whsec_` and 32 characters of `[A-Za-z0-9]`, 190 random bits. */
export function makeSecret(): string {
  return `whsec_${Array.from({ length: CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
}

export type SecretBox = ReturnType<typeof createSecretBox>;

export function createSecretBox(keyEncryptionKey: string) {
  const key = deriveSealingKey(keyEncryptionKey, 'webhook secrets at rest');
  return {
    store: (webhookId: string, secret: string, now: Date): StoredSecret => ({
      sealed: seal(key, webhookId, Buffer.from(secret)),
      createdAt: now.toISOString(),
    }),
    /** Undefined if it was encrypted under another key. */
    open: (webhookId: string, { sealed }: StoredSecret): string | undefined =>
      unseal(key, webhookId, sealed)?.toString(),
  };
}

/** The new secret, and of the others the newest. */
export function rotateSecrets(secrets: readonly StoredSecret[], added: StoredSecret): StoredSecret[] {
  return [added, ...secrets.slice(0, 1)];
}

/** At an instant (epoch milliseconds), the newest first. */
export function selectSigningSecrets([newest, before]: readonly StoredSecret[], now: number): StoredSecret[] {
  if (!newest) return [];
  return before && now < Date.parse(newest.createdAt) + OVERLAP_MS ? [newest, before] : [newest];
}

const PREFIX = 'whsec_';

/** The attempt's time in epoch seconds, and the body to the byte. */
interface SignedMessage {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
}

export function createSignedHeaders(
  secrets: readonly string[],
  message: SignedMessage,
): Readonly<Record<string, string>> {
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': sign(secrets, message),
  };
}

/** One signature per secret, separated by spaces (Standard Webhooks 1.0). */
const sign = (secrets: readonly string[], { id, timestamp, body }: SignedMessage): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
