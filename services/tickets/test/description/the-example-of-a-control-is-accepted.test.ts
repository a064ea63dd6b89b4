import { expect, test } from '@jest/globals';
import * as example from '../../src/examples.ts';
import { confirmed, PATH, printed } from '../fixture/orders.ts';
import { openFixture } from '../fixture/service.ts';

test('the example of a control is accepted today', async () => {
  const fixture = await openFixture();
  const { id } = await printed(fixture, confirmed(1));
  const { status } = await fixture.call('POST', `${PATH}/${id}/control`, { body: example.control });
  expect(status).toBe(200);
  await fixture.close();
});
