import type { Peer } from '@boxoffice/service';
import { expect, test } from '@jest/globals';
import { createTickets } from '../../src/clients/tickets.ts';

test('tickets that never answer are waited for a second, although the call itself never ends', async () => {
  const hanging = { call: () => new Promise(() => undefined) } as Partial<Peer> as Peer;
  expect(await createTickets(hanging).controlled('opera', 'ord_1')).toBeUndefined();
}, 10_000);
