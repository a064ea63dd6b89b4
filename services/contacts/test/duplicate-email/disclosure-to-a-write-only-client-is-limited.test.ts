import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DUPLICATES_PER_MINUTE, engines, type Fixture, openFixture } from '../fixture/service.ts';

describe.each(engines.slice(0, 1))('the answer to a duplicate email, on $name', (engine) => {
  let fixture: Fixture;
  const email = `${randomUUID()}@example.org`;
  beforeAll(async () => {
    fixture = await openFixture(engine);
    await fixture.create({ lastName: 'Martin', email });
  });
  afterAll(() => fixture.close());

  const again = (client: string, scopes: string[] = []) =>
    fixture.create({ lastName: 'Other', email }, { client, scopes });

  test('is audited for a write-only client, without the contact in the audit', async () => {
    const before = fixture.audited.length;
    expect((await again('cl_writer')).status).toBe(409);
    expect(fixture.audited.slice(before)).toEqual([
      { event: 'audit.contact_disclosed', institution: 'opera', client: 'cl_writer' },
    ]);
    expect((await again('cl_reader', ['contacts:read'])).status).toBe(409);
    expect(fixture.audited.length).toBe(before + 1);
  });

  test('is rate-limited per minute for a write-only client, and not for others', async () => {
    const replies = await Promise.all(Array.from({ length: DUPLICATES_PER_MINUTE + 5 }, () => again('cl_prober')));
    const throttled = replies.filter(({ status }) => status === 429);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(DUPLICATES_PER_MINUTE);
    expect(throttled).toHaveLength(5);
    expect(throttled[0]?.body).toEqual({ status: 'too_many_requests', details: expect.any(String), data: null });
    expect(Number(throttled[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(fixture.audited.at(-1)).toMatchObject({ event: 'audit.disclosure_throttled', client: 'cl_prober' });
    expect((await again('cl_writer')).status).toBe(409);
    expect((await again('cl_prober', ['contacts:read'])).status).toBe(409);
    expect((await fixture.create({ lastName: 'New' }, { client: 'cl_prober' })).status).toBe(201);
  });
});
