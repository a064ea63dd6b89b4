import { expect, test } from '@jest/globals';
import { openApiDocument } from '../../src/index.ts';
import { things } from '../things.ts';

interface Flow {
  readonly scopes: Readonly<Record<string, string>>;
}
interface Described {
  readonly components: {
    readonly securitySchemes: {
      readonly oauth2: { readonly flows: Readonly<Record<'clientCredentials' | 'authorizationCode', Flow>> };
    };
  };
}

test('the description has both flows: clients get tokens for themselves, and for users who sign in', () => {
  const options = { service: 'things', version: '1.2.3', operations: things, serverUrl: 'https://tickets.example' };
  const { clientCredentials, authorizationCode } = (openApiDocument(options) as Described).components.securitySchemes
    .oauth2.flows;
  expect(clientCredentials).toMatchObject({ tokenUrl: 'https://tickets.example/auth/token' });
  expect(authorizationCode).toMatchObject({
    authorizationUrl: 'https://tickets.example/auth/authorize',
    tokenUrl: 'https://tickets.example/auth/token',
    refreshUrl: 'https://tickets.example/auth/token',
  });
  const [forClients, forUsers] = [Object.keys(clientCredentials.scopes), Object.keys(authorizationCode.scopes)];
  expect(forClients.length).toBeGreaterThan(0);
  expect(forUsers).toEqual([...forClients, 'openid', 'profile', 'email', 'offline_access']);
});
