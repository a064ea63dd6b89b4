import { type At, type Content, type Description, resolveIn } from '@boxoffice/codegen';
import type { Direction, Finding } from './finding.ts';
import { compareSchemas } from './schemas.ts';

/** The two releases of a document. */
export interface Documents {
  readonly before: Description;
  readonly after: Description;
}

/** An operation that both releases have. */
export interface Pair extends Documents {
  readonly was: At;
  readonly is: At;
}

/** Differences of a body in the media types that the earlier release has. */
export const contentFindings = (
  { before, after }: Documents,
  was: Content = {},
  is: Content = {},
  direction: Direction,
  where: string,
): Finding[] =>
  Object.entries(was).flatMap(([type, { schema }]) => {
    const now = is[type];
    if (!now) return [{ where, what: `${type} is gone` }];
    const sides = [
      { schema, resolve: resolveIn(before) },
      { schema: now.schema, resolve: resolveIn(after) },
    ] as const;
    return compareSchemas(...sides, direction).map(({ path, what }) => ({ where, what: `${path} ${what}` }));
  });
