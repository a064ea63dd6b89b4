import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import type { Caller } from '@boxoffice/identity';
import type { Position } from '../operation.ts';

const MAC_BYTES = 16;

const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** The refusal of a cursor. */
export const foreignCursor = () =>
  new Fault('invalid_parameter', 'query parameter cursor is not one that this list gave; leave it out to start again.');

/**
 * Who may use a cursor again: the institution's clients without bounds share theirs, since they see the same; those of a
 * user, of a client with bounds and of API keys, which see less, are apart.
 */
export const ownerOf = ({ institution, client, user, bounds, isPublic }: Caller): string => {
  if (bounds !== null) return JSON.stringify([institution, 'client', client, user?.id ?? null]);
  if (user !== null) return JSON.stringify([institution, 'user', user.id]);
  return isPublic ? JSON.stringify([institution, 'public']) : institution;
};

/** Cursors that hold a position under a signature bound to the operation and the owner: opaque and unforgeable. */
export const createCursorCodec = (secret: string | Buffer, operation: string) => {
  // With bytes, each signature would cost 25 µs more.
  const key = createSecretKey(Buffer.from(secret));
  const sign = (owner: string, payload: Buffer): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([operation, owner]))
      .update('\0')
      .update(payload)
      .digest()
      .subarray(0, MAC_BYTES);

  return {
    write: (owner: string, { value, id, by, asOf }: Position): string => {
      const payload = Buffer.from(JSON.stringify([value, id, by, asOf]));
      return Buffer.concat([sign(owner, payload), payload]).toString('base64url');
    },
    /** @throws {Fault} `invalid_parameter` unless this very text was written for the owner. */
    read: (owner: string, cursor: string): Position => {
      const bytes = Buffer.from(cursor, 'base64url');
      // Other spellings of the same bytes would make several cursors of one position.
      const isCanonical = BASE64URL.test(cursor) && bytes.toString('base64url') === cursor;
      const payload = bytes.subarray(MAC_BYTES);
      if (!isCanonical || payload.length === 0) throw foreignCursor();
      if (!timingSafeEqual(sign(owner, payload), bytes.subarray(0, MAC_BYTES))) throw foreignCursor();
      const [value, id, by, asOf] = JSON.parse(payload.toString('utf8'));
      return { value, id, by: by ?? undefined, asOf: asOf ?? undefined };
    },
  };
};
