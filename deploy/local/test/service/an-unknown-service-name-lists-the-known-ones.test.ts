import { expect, test } from '@jest/globals';
import { startProcess } from '../program.ts';

test.each([
  [['nope'], 'there is no service "nope"; there are: gateway, authorizer, '],
  [[], 'no service given: npm run service -- NAME; there are: gateway, authorizer, '],
])('npm run service -- %s', async (args, line) => {
  const child = startProcess('service.ts', args, {});
  expect(await child.ended).toBe(1);
  // Those of teams are among them.
  expect(child.output()).toMatch(new RegExp(`^${line}[a-z0-9, -]*contacts[a-z0-9, -]*\n$`));
});
