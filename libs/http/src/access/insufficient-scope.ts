import { Fault } from '@boxoffice/envelope';

/** The 403 of a token that lacks these scopes (RFC 6750, 3.1). */
export const insufficientScope = (details: string, lacking: readonly string[]): Fault =>
  new Fault('forbidden', details, {
    'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${lacking.join(' ')}"`,
  });

/**
 * Refuses a request whose token lacks a scope that only this form of the request needs. `subject` begins the sentence.
 * @throws Fault `forbidden`
 */
export const requireScope = (held: readonly string[], scope: string, subject: string): void => {
  if (!held.includes(scope))
    throw insufficientScope(`${subject} needs the scope ${scope}, which the token does not have.`, [scope]);
};
