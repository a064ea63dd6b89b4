import type { Reply } from '@boxoffice/testkit';

/** Whether the response tells the client to repeat the request later. */
export const isBusy = ({ status, body, headers }: Reply): boolean =>
  status === 429 ||
  (status === 409 && body?.status === 'idempotency_in_progress') ||
  (status === 409 && body?.status === 'conflict' && headers['idempotency-replayed'] === undefined);
