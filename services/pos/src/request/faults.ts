import { PosFault } from '@boxoffice/envelope';

/** The same answer for what does not exist and for what is not the visitor's own. */
export const notFound = (): PosFault => new PosFault('not_found', 'There is no such resource.');

export const sessionRequired = (): PosFault => new PosFault('session_required', 'The header X-auth-token is absent.');

/** The session ended while the request was being handled. */
export const sessionEnded = (): PosFault => new PosFault('session_invalid', 'The session is unknown or has ended.');

export const loginRequired = (): PosFault =>
  new PosFault('login_required', 'The operation needs a session with a logged-in user: log in with POST /sessions.');
