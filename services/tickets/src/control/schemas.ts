import {
  createChangesPageSchema,
  createItemCheck,
  createNullableSchema,
  id,
  named,
  oneOf,
  timestamp,
} from '@boxoffice/http';
import { Type } from 'typebox';
import { BarcodeControl, Control, entries, Place, Status, Ticket, texts } from '../schemas.ts';

const { Array: List, Boolean: Flag, Integer, Object: Members, Optional, String: Text } = Type;

/** A batch has so many at most. */
const MAX_SCANS = 500;

const { barcode, performanceId } = BarcodeControl.properties;
const { gate, at } = Control.properties;

const NONCE = '^[A-Za-z0-9._-]{1,64}$';

/** Null without a well-formed nonce. */
export function parseNonce(sent: unknown): string | null {
  const { nonce } = Object(sent) as { readonly nonce?: unknown };
  return typeof nonce === 'string' && new RegExp(NONCE).test(nonce) ? nonce : null;
}

const scanned = {
  nonce: Text({
    pattern: NONCE,
    description:
      "the scanner's own name of this scan, unique for a client and user: sent again within 30 days, it has no " +
      'further effect and gets its first answer',
  }),
  performanceId: Optional({ ...performanceId, description: 'the performance at whose door it is' }),
  gate,
  at,
  offline: Optional(
    Flag({
      description:
        'the scanner decided alone, so it happened already: of two for one ticket the earlier `at` is admitted',
    }),
  ),
};

const TicketScan = named(
  'TicketScan',
  Type.Union([
    Members({ ...scanned, barcode }),
    Members({ ...scanned, ticketId: Type.Unsafe<string>({ ...id, description: 'instead of a barcode' }) }),
  ]),
);

export const faultOfScan = createItemCheck(TicketScan);

export const ScanBatch = named(
  'TicketScans',
  Members({ items: List(TicketScan, { minItems: 1, maxItems: MAX_SCANS }) }),
);

const results = ['admitted', 'repeated', 'refused'] as const;
export const Result = named(
  'ScanResult',
  oneOf(results, {
    description: '`admitted`: let the holder in; `repeated`: the ticket was controlled before; `refused`: see `reason`',
  }),
);

const RecordedControl = named(
  'RecordedControl',
  Members({ at: timestamp, gate: createNullableSchema(Text({ description: 'as the scanner named it' })) }),
);

const answered = {
  result: Result,
  reason: createNullableSchema(
    Text({ description: 'null if admitted; else the `status` that a single control answers' }),
  ),
  ticketId: createNullableSchema(Text({ description: 'null if no ticket was found' })),
  place: createNullableSchema(Place),
  seatCategory: Optional({
    ...texts,
    description: 'name of its category by language, as of the sale; absent if not known',
  }),
  control: createNullableSchema(RecordedControl),
};

const localTime = (description: string) => Text({ pattern: String.raw`^\d{4,}-\d\d-\d\dT\d\d:\d\d$`, description });

export const OtherPerformance = named(
  'OtherPerformance',
  Members(
    {
      name: texts,
      type: Text({ description: "of its product: `show`, `pass` and the catalog's others" }),
      venue: Members({ name: Text(), city: createNullableSchema(Text()) }, { description: 'where' }),
      localStart: createNullableSchema(localTime('by the clock of the venue; null: not known')),
      localEnd: createNullableSchema(localTime('until when what is no show is valid; null: a show, or no end')),
    },
    {
      description: 'of the ticket, if it is for another one than the scanner named: absent in tickets of old releases',
    },
  ),
);

/** Answers come in the order of the items. */
export const ScanAnswers = named(
  'TicketScanAnswers',
  Members({
    items: List(
      named(
        'TicketScanAnswer',
        Members({
          nonce: createNullableSchema(Text({ description: 'of the scan; null without a well-formed one' })),
          ...answered,
          performanceId: createNullableSchema(Text({ description: "the ticket's" })),
          performance: Optional(OtherPerformance),
        }),
      ),
    ),
  }),
);

export const RecordedScan = named(
  'RecordedScan',
  Members({
    id: Text(),
    nonce: createNullableSchema(Text({ description: 'null for a single control' })),
    ...answered,
    performanceId: createNullableSchema(
      Text({ description: "the performance at whose door it was, if the scanner named it, else the ticket's" }),
    ),
    gate: createNullableSchema(Text({ description: 'as the scanner named it' })),
    at: timestamp,
    offline: Flag({ description: 'the scanner decided alone' }),
    receivedAt: timestamp,
  }),
);

const count = (description: string) => Integer({ minimum: 0, description });

const { seat } = Place.properties;

export const DoorTicket = named(
  'DoorTicket',
  Members({
    id: Text(),
    status: Status,
    place: Text({ description: 'its label' }),
    row: Optional(Text({ description: 'of a numbered category' })),
    seat: Optional({ ...seat, description: 'its number in the row' }),
    seatCategoryId: Ticket.properties.seatCategoryId,
    controlledAt: Ticket.properties.controlledAt,
    gate: Ticket.properties.gate,
    entries: Optional(entries),
    validity: Optional(
      Members(
        {
          from: createNullableSchema({ ...timestamp, description: 'from its local day on' }),
          until: createNullableSchema(timestamp),
          timeZone: Text({ description: 'of the venue, its IANA name' }),
        },
        { description: 'with `entries`: outside of it the ticket is refused' },
      ),
    ),
  }),
);

export const TicketStatuses = named(
  'TicketStatusPage',
  Members({
    ...createChangesPageSchema(DoorTicket).properties,
    seatCategories: Type.Record(Text(), texts, {
      description: 'names by `seatCategoryId` of this page, each by language, as of the sale; of older tickets none',
    }),
  }),
);

const { asOf, items } = TicketStatuses.properties;

export const AllTicketStatuses = named(
  'AllTicketStatuses',
  Members({ items, asOf, seatCategories: TicketStatuses.properties.seatCategories }),
);

export const Admissions = named(
  'Admissions',
  Members({
    performanceId: Text(),
    asOf: timestamp,
    issued: count('tickets in force: neither cancelled nor replaced'),
    printed: count('of these, how many are printed or electronic, controlled ones included: so many open the door'),
    controlled: count('of these, how many are controlled: so many are inside'),
    gates: List(
      named(
        'GateAdmissions',
        Members({
          gate: createNullableSchema(Text({ description: 'null: no gate was named' })),
          controlled: count('through it'),
        }),
      ),
      { description: 'in the order of their names' },
    ),
  }),
);
