import { expect, test } from '@jest/globals';
import * as example from '../../src/examples.ts';
import { confirmed, PATH, printed } from '../fixture/orders.ts';
import { openStand } from '../fixture/service.ts';

test('the example of a control is accepted today', async () => {
  const stand = await openStand();
  const { id } = await printed(stand, confirmed(1));
  const { status } = await stand.call('POST', `${PATH}/${id}/control`, { body: example.control });
  expect(status).toBe(200);
  await stand.close();
});
