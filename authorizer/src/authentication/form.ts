import { OAuthFault } from './oauth-error.ts';

/** The known fields of a posted form; absent and empty ones are missing. */
export type Form<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/** The values of required fields, in order. @throws {OAuthFault} naming every missing field */
export const required = <Name extends string>(form: Form<Name>, names: readonly Name[]): string[] => {
  const missing = names.filter((name) => form[name] === undefined);
  if (missing.length === 0) return names.map((name) => form[name] as string);
  const details = missing.map((name) => `form field ${name} is required`).join('; ');
  throw new OAuthFault('missing_parameter', 'invalid_request', `${details}.`);
};
