// Times by the clocks of a venue, which pages show as they are: a browser may know other rules of time zones.
import { createNullableSchema } from '@boxoffice/http';
import { Type } from 'typebox';

const { String: Text } = Type;

const local = (description: string) => Text({ format: 'date-time', description });

export const localStartDate = local(
  '`startDate` by the clocks of the venue, with their offset from UTC: `2026-12-31T19:30:00-05:00`; in UTC without one',
);

export const startOffset = createNullableSchema(
  Text({
    description: 'the name of that offset where the clocks show the time twice, for readers: `GMT+1`; else null',
  }),
);

export const localStart = { localStartDate, startOffset };

export const localPeriod = {
  localStartDate: createNullableSchema(localStartDate),
  localEndDate: createNullableSchema(local('`endDate` by the clocks of the venue')),
};

export const localValidUntil = createNullableSchema(local('`validUntil` by the clocks of the venue'));

export const localCreatedAt = local('`createdAt` by the clocks of the first venue');
