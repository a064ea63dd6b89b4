import { Fault } from '@boxoffice/envelope';
import type { ClientType } from '../domain/client.ts';
import { originProblem, redirectUriProblem } from '../domain/redirect-uri.ts';

interface Uris {
  readonly redirectUris?: readonly string[] | null | undefined;
  readonly origins?: readonly string[] | null | undefined;
}

/** Checks the redirect URIs and origins of a registration. @throws {Fault} validation_error, naming every wrong one */
export const checkUris = ({ redirectUris, origins }: Uris, type: ClientType): void => {
  const named = (member: string, list: readonly string[], problemOf: (uri: string) => string | undefined) =>
    list.flatMap((uri, index) => {
      const problem = problemOf(uri);
      return problem === undefined ? [] : [`$.${member}[${index}] ${problem}`];
    });
  const problems = [
    ...named('redirectUris', redirectUris ?? [], (uri) => redirectUriProblem(uri, type)),
    ...named('origins', origins ?? [], originProblem),
  ];
  if (problems.length > 0) throw new Fault('validation_error', `${problems.join('; ')}.`);
};
