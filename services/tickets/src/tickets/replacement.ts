import { type AnyOperation, mergePatch, operation } from '@boxoffice/http';
import { signBarcode } from '../barcode/barcode.ts';
import { type Collections, type Context, type ContextOf, type InstitutionContext, readTimestamp } from '../context.ts';
import { isNamed, rename, toBeneficiary } from '../domain/beneficiary.ts';
import * as domain from '../domain/ticket.ts';
import * as example from '../examples.ts';
import { Replacement, readOnly, Ticket, TicketChanges } from '../schemas.ts';
import { replacementsCollection, type TicketDocument } from '../store.ts';
import {
  answer,
  answerNewTicket,
  changing,
  computeEtag,
  finalCodes,
  PATH,
  single,
  toTicketView,
  type Versioned,
} from './answers.ts';
import { finishReplacement } from './lineage.ts';
import { getTicket, type Request, requireAllowed } from './tickets.ts';

type Replacing = (
  ticket: TicketDocument,
  asNew: { readonly id: string; readonly barcode: string },
  now: string,
) => domain.Decision<TicketDocument>;

/** Returns the current ticket afterwards. `decide` may throw a Fault of its own. */
export async function changeOrReplace(
  context: InstitutionContext,
  id: string,
  { idempotencyRecord, ifMatch, requireUnchanged }: Request,
  decide: Replacing,
): Promise<Versioned> {
  const { collections } = context;
  for (;;) {
    const before = await getTicket(collections, id);
    const asNew = { id: domain.deriveNextId(id), barcode: await signNextBarcode(context, before) };
    ifMatch(computeEtag(before));
    requireUnchanged?.(before);
    const replaces = requireAllowed(decide(before, asNew, readTimestamp(context))).status === 'invalidated';
    if (replaces) await recordPending(collections, id, context.now());
    let overtaken = false;
    const written = await collections.tickets.update(
      id,
      (ticket) => {
        ifMatch(computeEtag(ticket));
        requireUnchanged?.(ticket);
        const next = requireAllowed(decide(ticket, asNew, readTimestamp(context)));
        // Printed since the first read: the pending replacement must be recorded first.
        overtaken = next.status === 'invalidated' && !replaces;
        return overtaken || next === ticket ? undefined : { next };
      },
      { idempotencyRecord },
    );
    if (!written || overtaken) continue;
    const successor = await finishReplacement(collections, written);
    if (!successor) return written;
    await collections.replacements.delete(successor.id);
    return buildFreshSuccessor(written) ?? successor;
  }
}

const signNextBarcode = async (
  { keys, now, collections: { institution } }: InstitutionContext,
  ticket: domain.Ticket,
): Promise<string> => {
  const [tid, iat] = [domain.deriveNextId(ticket.id), Math.floor(now() / 1000)];
  return signBarcode(await keys.signing(institution), { tid, prf: ticket.performanceId, plc: ticket.place.id, iat });
};

/** The sweep completes it if this process dies. */
const recordPending = async ({ replacements }: Collections, ticketId: string, now: number): Promise<void> => {
  await replacements.insertMany([{ id: domain.deriveNextId(ticketId), ticketId, since: now }]);
};

/** In its first version, so that a repeated request gets the first answer. */
const buildFreshSuccessor = (ticket: domain.Ticket): Versioned | undefined => {
  const next = domain.buildSuccessor(ticket);
  return next && { ...next, version: 1 };
};

/** The old ticket stores the reason. */
export function replaceTicket(context: InstitutionContext, id: string, request: Request, reason?: string) {
  return changeOrReplace(context, id, request, (ticket, { id: newId, barcode }, at) => {
    const why = reason === undefined ? {} : { reason };
    return domain.replace(ticket, newId, { barcode, beneficiary: ticket.beneficiary, at, ...why });
  });
}

/** Milliseconds until a pending replacement counts as interrupted. */
export const INTERRUPTED_MS = 5_000;

/** Milliseconds until a replacement that was not committed is abandoned. */
const ABANDONED_MS = 10 * 60_000;

/** Of processes that died between the writes; safe to run in several instances. */
export async function resumeInterruptedReplacements(context: Context): Promise<void> {
  const now = context.now();
  const interrupted = await context.store
    .collection(replacementsCollection)
    .acrossInstitutions.find({ where: { since: { lte: now - INTERRUPTED_MS } }, limit: 500 });
  for (const { id, ticketId, institution, since } of interrupted) {
    const collections = context.collections(institution);
    const old = await collections.tickets.get(ticketId);
    const finished = old?.replacedBy === id && (await finishReplacement(collections, old));
    if (finished || since <= now - ABANDONED_MS) await collections.replacements.delete(id);
  }
}

const params = { ticketId: example.ids.ticket };

export function createReplacementRoutes(contextOf: ContextOf): AnyOperation[] {
  return [
    operation({
      ...single,
      ...changing,
      id: 'updateTicket',
      method: 'patch',
      summary: 'Changes the beneficiary of a ticket',
      description:
        'A JSON merge patch (RFC 7396): null removes. A printed ticket has the old name on paper, so it is replaced: ' +
        'the answer is the new ticket, whose `replaces` is this one. Refused for a controlled, cancelled or replaced ' +
        'ticket.',
      body: TicketChanges,
      readOnly,
      errors: finalCodes,
      example: { params, body: { beneficiary: example.beneficiary }, answer: example.replacing },
      handle: async ({ caller, params, body, ifMatch, requireUnchanged, remember }) => {
        const request: Request = {
          ifMatch,
          requireUnchanged: (ticket) => requireUnchanged(toTicketView(ticket)),
          idempotencyRecord: remember<Versioned>((ticket) => answer(buildFreshSuccessor(ticket) ?? ticket)),
        };
        const change: Replacing = (ticket, asNew, now) => {
          const { beneficiary: current } = ticket;
          const { beneficiary } = mergePatch<{ beneficiary?: object | null }>({ beneficiary: current }, body);
          const wanted = beneficiary ? toBeneficiary(beneficiary) : null;
          // Writing the current name back is allowed in every status.
          return isNamed(ticket, wanted) ? { next: ticket } : rename(ticket, wanted, asNew, now);
        };
        return answer(await changeOrReplace(contextOf(caller), params.ticketId, request, change));
      },
    }),
    operation({
      ...single,
      path: `${PATH}/{ticketId}/replacement`,
      id: 'replaceTicket',
      method: 'post',
      access: 'tickets:write',
      summary: 'Replaces a printed ticket by a new one',
      description:
        'For a lost ticket, or one for another person. The new ticket is printed and has its own barcode; this one ' +
        'is invalidated, and its barcode is refused at the door. The place stays the same, and the line of the order ' +
        'names the new ticket.',
      body: Replacement,
      answers: { 201: Ticket },
      errors: ['ticket_not_printed', ...finalCodes],
      etag: true,
      conditional: true,
      example: { params, body: { reason: 'lost' }, answer: example.replacing },
      handle: async ({ caller, params, body, ifMatch, remember }) => {
        const idempotencyRecord = remember<Versioned>((ticket) =>
          answerNewTicket(buildFreshSuccessor(ticket) ?? ticket),
        );
        const request = { ifMatch, idempotencyRecord };
        return answerNewTicket(await replaceTicket(contextOf(caller), params.ticketId, request, body.reason));
      },
    }),
  ];
}
