import { Fault } from '@boxoffice/envelope';
import { writeScopes } from './domain/scopes.ts';

/** The 403 of a token that lacks these scopes (RFC 6750, 3.1). */
export const insufficientScope = (details: string, lacking: readonly string[]): Fault =>
  new Fault('forbidden', details, {
    'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${writeScopes(lacking)}"`,
  });
