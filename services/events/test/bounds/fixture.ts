import type { BelongsTo } from '@boxoffice/service';
import { createEventExample } from '../../src/types/schemas.ts';
import type { EventType } from '../../src/types/types.ts';
import { createFact, type FactOptions, type Instance, type ServedCall } from '../fixture/service.ts';

export const HERE = 'here.example';
export const THERE = 'there.example';

export const ownOrders = { ownOrders: true, pointsOfSale: [] };
export const salesHere = { ownOrders: false, pointsOfSale: [HERE] };
export const ownSalesHere = { ownOrders: true, pointsOfSale: [HERE] };

const own = (pointOfSale: string | null) => ({ clientIds: ['partner'], pointOfSale });
const other = (pointOfSale: string | null) => ({ clientIds: ['another'], pointOfSale });

type Said = readonly [type: EventType, belongsTo?: BelongsTo, contactNumber?: string];

/** The type of the event of each resource, and whose it is; of orders the contact. */
const resources: Record<string, Said> = {
  con_named: ['contact.created', { clientIds: [] }],
  con_own: ['contact.created', { clientIds: ['partner'] }],
  con_other: ['contact.changed', { clientIds: ['another'] }],
  con_old: ['contact.changed'],
  ord_own_here: ['order.created', own(HERE), 'con_named'],
  ord_own_there: ['order.confirmed', own(THERE)],
  ord_own_direct: ['order.expired', own(null)],
  pay_own_here: ['payment.recorded', own(HERE)],
  ref_own_there: ['refund.recorded', own(THERE)],
  tic_own_here: ['ticket.issued', own(HERE)],
  ord_other_here: ['order.created', other(HERE), 'con_other'],
  ord_other_there: ['order.cancelled', other(THERE)],
  pay_other_here: ['payment.failed', other(HERE)],
  tic_other_there: ['ticket.controlled', other(THERE)],
  ord_old: ['order.changed'],
  prd_1: ['product.changed'],
  prf_1: ['performance.created'],
};

export const all = Object.keys(resources);

const everybodys = ['prd_1', 'prf_1'];
const ownContacts = ['con_named', 'con_own'];
/** Beside its own those that orders made here name. */
const contactsHere = ['con_named', 'con_own', 'con_other'];

/** Contacts that orders name after their events: those are not a client's whose bounds restrict it when they come. */
export const namedLater = ['con_named', 'con_other'];

/** What a client called "partner" sees within its bounds, in the order of the table. */
export const within = [
  {
    bounds: ownOrders,
    seen: [
      ...ownContacts,
      'ord_own_here',
      'ord_own_there',
      'ord_own_direct',
      'pay_own_here',
      'ref_own_there',
      'tic_own_here',
      ...everybodys,
    ],
  },
  {
    bounds: salesHere,
    seen: [
      ...contactsHere,
      'ord_own_here',
      'pay_own_here',
      'tic_own_here',
      'ord_other_here',
      'pay_other_here',
      ...everybodys,
    ],
  },
  { bounds: ownSalesHere, seen: [...ownContacts, 'ord_own_here', 'pay_own_here', 'tic_own_here', ...everybodys] },
  { bounds: { ownOrders: false, pointsOfSale: [] }, seen: all },
  { bounds: null, seen: all },
];

/** The fact about a resource, by default the first of one of the table. */
export function createResourceFact(
  institution: string,
  id: string,
  said: Said = resources[id] ?? ['order.changed'],
  at: Pick<FactOptions, 'version' | 'before'> = {},
) {
  const [type, belongsTo, contactNumber = null] = said;
  const { data, resource } = createEventExample(type);
  const named = resource.type === 'order' ? { ...data, contactNumber } : data;
  return createFact({ institution, type, resource: { type: resource.type, id }, data: named, belongsTo, ...at });
}

/** Records an event of each resource of the table; of orders once `contactsAreThere`. */
export async function recordAll(
  { take }: Pick<Instance, 'take'>,
  institution: string,
  contactsAreThere?: () => Promise<void>,
): Promise<void> {
  const [first] = all.filter((id) => id.startsWith('ord_'));
  for (const id of all) {
    if (id === first) await contactsAreThere?.();
    await take(createResourceFact(institution, id));
  }
}

/** What an answer says, without what every answer has of its own. */
export async function readComparableAnswer(response: Response) {
  const { date: _date, traceparent: _trace, 'x-request-id': _id, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, headers, text: await response.text() };
}

/** The text of a stream from the oldest event on, until it has one of this resource. */
export async function readStreamUntil({ open }: Pick<Instance, 'open'>, call: ServedCall, id: string): Promise<string> {
  const leaving = new AbortController();
  const headers = { accept: 'text/event-stream' };
  const response = await open('GET', '/svc/v3/events?after=start', { ...call, headers }, leaving.signal);
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes(`"id":"${id}"`)) break;
  }
  leaving.abort();
  return text;
}
