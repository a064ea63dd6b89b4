import { ServiceRefusal } from '@boxoffice/service';
import { eachOf } from '@boxoffice/store';
import type { Ticket } from '../clients/tickets.ts';
import type { PosContext } from '../context.ts';
import type { Visit } from '../request/admit.ts';

/** A document as an answer has it. */
export interface ShownDocument {
  readonly contentType: string;
  readonly base64: string;
}

/** Documents drawn concurrently for one request. */
const WIDTH = 4;

const drawn: ReadonlySet<Ticket['status']> = new Set(['printed', 'controlled']);

/** The documents of those tickets that have one, by ticket id, in the languages as the visitor prefers them. */
export const documentsOf = async (
  { tickets }: Pick<PosContext, 'tickets'>,
  { pointOfSale, languages }: Visit,
  found: readonly Ticket[],
): Promise<Record<string, ShownDocument>> => {
  const documents = new Map<string, ShownDocument>();
  await eachOf(found.filter(({ status }) => drawn.has(status)).values(), WIDTH, async ({ id }) => {
    const document = await tickets.document(pointOfSale.institution, id, languages).catch((error: unknown) => {
      // It was cancelled or replaced meanwhile.
      if (error instanceof ServiceRefusal && error.http === 412) return undefined;
      throw error;
    });
    if (document) documents.set(id, document);
  });
  return Object.fromEntries(found.flatMap(({ id }) => [documents.get(id)].flatMap((one) => (one ? [[id, one]] : []))));
};
