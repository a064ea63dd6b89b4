import type { Caller } from '@boxoffice/identity';
import { salesBoundsOf } from '@boxoffice/service';
import { bounded } from '@boxoffice/store';
import type { CallerContext, Context } from './context.ts';

/**
 * Gives an operation the context of its caller: the institution's tickets, and of these what the user's role shows. It
 * is an operation's only way to the tickets, so none can forget the bounds.
 */
export type ContextOf = (caller: Pick<Caller, 'institution' | 'user'>) => CallerContext;

/** Makes the contexts of callers. */
export const createContextOf =
  ({ keys, now, drawing, collections }: Context): ContextOf =>
  (caller) => ({
    keys,
    now,
    drawing,
    collections: (institution) => {
      if (institution !== caller.institution)
        throw new Error(`a call for ${caller.institution} reached for the tickets of ${institution}`);
      const all = collections(institution);
      return { ...all, tickets: bounded(all.tickets, salesBoundsOf(caller)) };
    },
  });
