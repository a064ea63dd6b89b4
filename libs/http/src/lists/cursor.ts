import { createHmac, timingSafeEqual } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import type { Position } from '../operation.ts';

/** Signs and reads the positions of one list. */
export interface CursorCodec {
  /** @throws {Fault} `invalid_parameter` unless this very text was written for the institution. */
  read(institution: string, cursor: string): Position;
  write(institution: string, position: Position): string;
}

const MAC_BYTES = 16;

const BASE64URL = /^[A-Za-z0-9_-]+$/;

/** The refusal of a cursor. */
export const foreignCursor = () =>
  new Fault('invalid_parameter', 'query parameter cursor is not one that this list gave; leave it out to start again.');

/**
 * Cursors that hold a position under a signature bound to the operation and the institution: opaque and unforgeable.
 */
export const createCursorCodec = (key: string | Buffer, operation: string): CursorCodec => {
  const sign = (institution: string, payload: Buffer): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([operation, institution]))
      .update('\0')
      .update(payload)
      .digest()
      .subarray(0, MAC_BYTES);

  return {
    write: (institution, { value, id, by, asOf }) => {
      const payload = Buffer.from(JSON.stringify([value, id, by, asOf]));
      return Buffer.concat([sign(institution, payload), payload]).toString('base64url');
    },
    read: (institution, cursor) => {
      const bytes = Buffer.from(cursor, 'base64url');
      // Other spellings of the same bytes would make several cursors of one position.
      const isCanonical = BASE64URL.test(cursor) && bytes.toString('base64url') === cursor;
      const payload = bytes.subarray(MAC_BYTES);
      if (!isCanonical || payload.length === 0) throw foreignCursor();
      if (!timingSafeEqual(sign(institution, payload), bytes.subarray(0, MAC_BYTES))) throw foreignCursor();
      const [value, id, by, asOf] = JSON.parse(payload.toString('utf8'));
      return { value, id, by: by ?? undefined, asOf: asOf ?? undefined };
    },
  };
};
