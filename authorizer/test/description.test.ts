import { dereference, findExampleFaults } from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { expect, test } from '@jest/globals';
import type { Authorizer } from '../src/authorizer.ts';
import { createRoutes } from '../src/commands.ts';
import { type Json, startInstallationForSuite } from './installation.ts';

const installation = startInstallationForSuite();

test('every operation has examples that its own schemas accept', () => {
  expect(findExampleFaults(createRoutes({} as Store, { oauth: {}, internal: {} } as Authorizer))).toEqual([]);
});

test('a 401 of an OAuth endpoint may have no challenge', async () => {
  const document = dereference((await installation.get('/openapi.json')).body, ['responses']);
  const paths = document.paths as Record<string, { post: { responses: Record<string, Json> } }>;
  for (const path of ['/auth/token', '/auth/introspect', '/auth/revoke']) {
    const { responses } = paths[path]?.post ?? {};
    expect(responses?.['401']?.headers).toMatchObject({
      'WWW-Authenticate': {
        required: false,
        description: expect.stringContaining('Only if the client used HTTP Basic'),
      },
    });
    expect(responses?.['403']?.headers ?? {}).not.toHaveProperty('WWW-Authenticate');
  }
});
