import type { Retentions } from '@boxoffice/service';

const DAY_MS = 24 * 60 * 60_000;

/** A fact that ends an order may come again, from a dead-letter queue, too; so long it is known what was told of it. */
const RELEASE_RETENTION_MS = 30 * DAY_MS;

/** No try of a request is still under way after so long. */
const GIVEN_UP_RETENTION_MS = DAY_MS;

/** How long what this service stores is kept. */
export const retention: Retentions = {
  institutions: { kept: 'for good' },
  products: { kept: 'for good; `closed` and `cancelled` ones, too, since orders name them' },
  performances: { kept: 'as long as their products' },
  tariffs: { kept: 'for good' },
  points_of_sale: { kept: 'for good' },
  places: { kept: 'as long as their performances' },
  releases: {
    kept: '30 days (`RELEASE_RETENTION_MS`)',
    ends: [{ field: 'createdAt', iso: true, afterMs: RELEASE_RETENTION_MS }],
  },
  given_up: {
    kept: 'a day (`GIVEN_UP_RETENTION_MS`)',
    ends: [{ field: 'at', afterMs: GIVEN_UP_RETENTION_MS }],
  },
};
