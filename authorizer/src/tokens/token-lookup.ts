import type { Authenticate } from '../authentication/authenticate-client.ts';
import type { Form } from '../authentication/form.ts';
import type { TokenStatus } from './status.ts';

/** The form of introspection and revocation. `token_type_hint` is ignored: there is one type of token. */
export type TokenLookupForm = Form<'token' | 'client_id' | 'client_secret'>;

/** What introspection and revocation need to look up a token for an authenticated client. */
export interface TokenLookupDependencies {
  readonly authenticate: Authenticate;
  readonly tokens: TokenStatus;
}
