import type { Retentions } from '@boxoffice/service';
import { RECORDS_MS } from './schedule.ts';

const DAY_MS = 24 * 60 * 60_000;

/** How long the documents of webhooks are stored. */
export const webhookRetention: Retentions = {
  webhooks: {
    retained: 'until they are deleted, and 30 days longer without their secrets',
    ends: [{ field: 'deletedAt', iso: true, afterMs: RECORDS_MS }],
  },
  webhook_deliveries: {
    retained: '30 days after the attempt (`RECORDS_MS`); one that is waiting until it is made',
    ends: [{ field: 'at', iso: true, afterMs: RECORDS_MS }],
  },
  webhook_positions: { retained: 'as long as their webhooks' },
  webhook_workers: {
    retained: 'until the process ends, or a day after its last beat',
    ends: [{ field: 'beatAt', afterMs: DAY_MS }],
  },
};
