import type { CallerUser, Role } from '@boxoffice/identity';
import { describe, expect, test } from '@jest/globals';
import { type AnyOperation, ok, operation } from '../../src/index.ts';
import { forSuite, start } from '../fixture.ts';

const user = (role: Role): CallerUser => ({
  id: 'usr_1',
  role,
  contact: role === 'customer' ? 'C1' : null,
  pointsOfSale: [],
});

let handled = 0;

const thing = (id: string, more: Pick<AnyOperation, 'access' | 'method'> & Partial<AnyOperation>): AnyOperation =>
  operation({
    id,
    path: `/${id}`,
    summary: 'Handles a thing',
    answers: { 200: {} },
    example: { answer: {} },
    handle: () => {
      handled += 1;
      return ok({});
    },
    ...more,
  });

const operations = [
  thing('read', { method: 'get', access: 'things:read' }),
  thing('write', { method: 'post', access: 'things:write' }),
  thing('readToWrite', { method: 'post', access: 'things:read', alsoNeeds: ['things.sensitive:write'] }),
  thing('readByCustomers', { method: 'get', access: 'things:read', admits: ['customer'] }),
  thing('writeByCustomers', { method: 'post', access: 'things:write', admits: ['customer'] }),
  thing('writeAtTheDoor', { method: 'post', access: 'things:write', admits: ['door'] }),
] as const;

const scopes = ['things:read', 'things:write', 'things.sensitive:write'];

describe('a role bounds the operations of its users', () => {
  const app = forSuite(() => start(operations));

  const send = (id: string, method: string, role: Role | null, init: RequestInit = {}) =>
    app.call(`/${id}`, { ...init, method, as: { operation: id, scopes, user: role && user(role) } });

  const allowedFor = async (role: Role | null): Promise<string[]> => {
    const answers = await Promise.all(operations.map(({ id, method }) => send(id, method.toUpperCase(), role)));
    expect(answers.every(({ status }) => status === 200 || status === 403)).toBe(true);
    return operations.filter((_, index) => answers[index]?.status === 200).map(({ id }) => id);
  };

  test.each([null, 'admin', 'manager', 'box_office'] as const)('%s: all that the scopes allow', async (role) => {
    expect(await allowedFor(role)).toEqual(operations.map(({ id }) => id));
  });

  test('door: what reads, and the writes that admit it', async () => {
    expect(await allowedFor('door')).toEqual(['read', 'readByCustomers', 'writeAtTheDoor']);
  });

  test('customer: what admits it alone', async () => {
    expect(await allowedFor('customer')).toEqual(['readByCustomers', 'writeByCustomers']);
  });

  test('the refusal comes before the request is read, and names the role', async () => {
    const before = handled;
    const answer = await send('write', 'POST', 'door', { body: 'x'.repeat(400_000) });
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { status: 'forbidden', details: 'A user of the role door may not do this.', data: null },
    ]);
    expect(handled).toBe(before);
  });
});
