import { OAuthFault } from './oauth-error.ts';

/** A posted form: what its endpoint knows of it, empty values left out. */
export type Form<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/** `application/x-www-form-urlencoded`, bare or with the only charset that it can have. */
const FORM = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*(?:utf-8|"utf-8")\s*)?;?$/i;

/** Refuses whatever is not a form. */
export const checkFormType = (contentType: string | undefined): void => {
  if (!FORM.test(contentType?.trim() ?? '')) {
    throw new OAuthFault(
      'bad_request',
      'invalid_request',
      'The request must be a form: Content-Type application/x-www-form-urlencoded in UTF-8.',
    );
  }
};

/**
 * Reads a posted form (RFC 6749, 3.2): parameters that the endpoint does not know are ignored, an empty value counts as absent, and a
 * known parameter that comes twice is refused.
 */
export const readForm = <const Name extends string>(body: string, names: readonly Name[]): Form<Name> => {
  const form: Partial<Record<Name, string>> = {};
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(body)) {
    const known = names.find((candidate) => candidate === name);
    if (!known) continue;
    if (seen.has(known)) {
      throw new OAuthFault('bad_request', 'invalid_request', `The parameter ${known} comes more than once.`);
    }
    seen.add(known);
    if (value !== '') form[known] = value;
  }
  return form;
};

/** The values of required parameters, in order; refuses naming each one that is absent. */
export const required = <Name extends string>(form: Form<Name>, names: readonly Name[]): string[] => {
  const missing = names.filter((name) => form[name] === undefined);
  if (missing.length === 0) return names.map((name) => form[name] as string);
  throw new OAuthFault(
    'missing_parameter',
    'invalid_request',
    `${missing.length === 1 ? 'A required parameter is' : 'Required parameters are'} absent: ${missing.join(', ')}.`,
  );
};
