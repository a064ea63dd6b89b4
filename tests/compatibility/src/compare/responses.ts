import { type Description, partIn, type Response, resolveIn, type Schema } from '@boxoffice/codegen';
import { contentFindings, type Pair } from './content.ts';
import type { Finding } from './finding.ts';
import { compareSchemas } from './schemas.ts';

interface Header {
  readonly $ref?: string;
  readonly schema?: Schema;
}

const isSuccess = (status: string): boolean => status.startsWith('2');

const codesOf = ({ content = {} }: Response): string[] =>
  Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples));

const headerFindings = ({ before, after }: Pair, was: Response, is: Response, where: string): Finding[] => {
  const side = (description: Description, header: Header) => {
    const resolve = resolveIn(description);
    const { schema = {} } = partIn(description, header);
    return { schema, resolve };
  };
  const named = (response: Response) =>
    new Map(Object.entries(response.headers ?? {}).map(([name, header]) => [name.toLowerCase(), { name, header }]));
  const later = named(is);
  return [...named(was)].flatMap(([key, { name, header }]) => {
    const now = later.get(key);
    if (!now) return [{ where, what: `header ${name} is gone` }];
    return compareSchemas(side(before, header), side(after, now.header), 'answer').map(({ what }) => ({
      where,
      what: `header ${name} ${what}`,
    }));
  });
};

/**
 * Differences of responses. A new kind of error is harmless: callers treat it by its HTTP status. A new success is not,
 * nor is a removed code that callers may wait for.
 */
export const responseFindings = (pair: Pair): Finding[] => {
  const { was, is } = pair;
  const responsesOf = (description: Description, responses: Readonly<Record<string, Response>>) =>
    Object.fromEntries(Object.entries(responses).map(([status, one]) => [status, partIn(description, one)]));
  const earlier = responsesOf(pair.before, was.operation.responses);
  const later = responsesOf(pair.after, is.operation.responses);
  const added = Object.keys(later).filter((status) => isSuccess(status) && !earlier[status]);
  return [
    ...Object.entries(earlier).flatMap(([status, response]) => {
      const where = `${was.name}, answer ${status}`;
      const now = later[status];
      if (!now) return [{ where, what: 'is gone' }];
      const codes = isSuccess(status) ? [] : codesOf(response).filter((code) => !codesOf(now).includes(code));
      return [
        ...codes.map((code) => ({ where, what: `code ${code} is gone` })),
        ...headerFindings(pair, response, now, where),
        ...contentFindings(pair, response.content, now.content, 'answer', where),
      ];
    }),
    ...added.map((status) => ({ where: `${was.name}, answer ${status}`, what: 'is new' })),
  ];
};
