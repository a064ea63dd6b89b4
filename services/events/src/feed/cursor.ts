import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';

/** The cursor that everybody knows: before the oldest event that is kept. */
export const START = 'start';

/** Positions in an institution's events, opaque and signed. */
export type EventCursors = ReturnType<typeof createEventCursors>;

const MAC_BYTES = 12;
const SEQUENCE_BYTES = 8;

const foreign = () =>
  new Fault('invalid_parameter', 'This cursor is not one that the events of this institution gave.');

/** The cursors of every instance: signed with a key that follows from the service's secret. */
export const createEventCursors = (serviceSecret: string) => {
  const key = Buffer.from(hkdfSync('sha256', serviceSecret, '', 'boxoffice cursors of the event feed', 32));
  const sign = (institution: string, position: Buffer): Buffer =>
    createHmac('sha256', key).update(institution).update('\0').update(position).digest().subarray(0, MAC_BYTES);

  return {
    /** The position behind the event of this sequence; 0: before the first one. */
    write(institution: string, sequence: number): string {
      const position = Buffer.alloc(SEQUENCE_BYTES);
      position.writeBigUInt64BE(BigInt(sequence));
      return Buffer.concat([position, sign(institution, position)]).toString('base64url');
    },
    /** @throws {Fault} `invalid_parameter` unless it was written for the institution */
    read(institution: string, cursor: string): number {
      const bytes = Buffer.from(cursor, 'base64url');
      const isWhole = bytes.length === SEQUENCE_BYTES + MAC_BYTES && bytes.toString('base64url') === cursor;
      if (!isWhole) throw foreign();
      const position = bytes.subarray(0, SEQUENCE_BYTES);
      if (!timingSafeEqual(sign(institution, position), bytes.subarray(SEQUENCE_BYTES))) throw foreign();
      return Number(position.readBigUInt64BE());
    },
  };
};
