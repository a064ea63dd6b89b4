import { expect, test } from '@jest/globals';
import { startProcess } from '../program.ts';

test.each([
  [['nope'], 'there is no service "nope"; there are: gateway, authorizer, catalog, contacts'],
  [[], 'no service given: npm run service -- NAME; there are: gateway, authorizer, catalog, contacts'],
])('npm run service -- %s', async (args, line) => {
  const child = startProcess('service.ts', args, {});
  expect(await child.ended).toBe(1);
  // Later services are listed at the end.
  expect(child.output()).toMatch(new RegExp(`^${line}[a-z, ]*\n$`));
});
