import { createCheck, timestamp } from '@boxoffice/http';
import { Type } from 'typebox';
import type { UsageReport as Report } from './record.ts';

const text = Type.String({ maxLength: 256 });
const textOrNull = Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 256 });
const count = Type.Integer({ minimum: 0 });

/** A gateway's report, as it is sent. */
export const UsageReport = Type.Object({
  gateway: text,
  sequence: Type.Integer({ minimum: 1 }),
  rows: Type.Array(
    Type.Object({
      institution: text,
      minute: timestamp,
      last: Type.Optional(count),
      apiKeyId: textOrNull,
      clientId: textOrNull,
      userId: textOrNull,
      operation: text,
      status: count,
      admitted: Type.Optional(Type.Boolean({ description: 'whether they count against the quota of the key' })),
      requests: count,
      bytes: count,
    }),
  ),
});

const check = createCheck(UsageReport);

/** Reads a gateway's report. @throws {Fault} bad_request, validation_error */
export const readReport = (value: unknown): Report => {
  check(value);
  return value as Report;
};
