import { openClient } from '@boxoffice/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { useSharedProduct } from '../product.ts';
import { findAmbiguousNames, listObjects } from './descriptions.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * The component names of family A in the specification (endpoints.md; platform.md, section 7), as far as implemented.
 */
const INSTITUTION =
  `Client ClientInput Product ProductInput Performance PerformanceInput SeatCategory Price Place Availability Tariff
  TariffInput PointOfSale PointOfSaleInput Institution Catalog Individual IndividualInput Structure StructureInput
  Address SensitiveData Order OrderInput OrderLine Cancellation Payment PaymentInput Refund RefundInput Ticket
  Beneficiary VerificationKey Failure`.split(/\s+/);

/** The component names of family B. */
const POINT_OF_SALE =
  `Cart CartItem CartItemInput ShopOrder ShopOrderItem ShopOrderInput ShopTicket ShopProduct ShopPerformance
  ShopPlace ShopAvailability Session Credentials ShopUser ShopContact Failure`.split(/\s+/);

/** An object with more members than this must be a component. */
const FEW = 4;

const product = useSharedProduct();

/** Every larger object that is not a component itself, by its location. */
const inlined = (value: unknown, place: string): { readonly place: string; readonly members: string }[] => {
  if (typeof value !== 'object' || value === null) return [];
  const { properties } = value as { readonly properties?: Json };
  const isComponent = /^\/components\/schemas\/[^/]+$/.test(place);
  const own =
    properties && !isComponent && Object.keys(properties).length > FEW
      ? [{ place, members: JSON.stringify(properties) }]
      : [];
  const isWords = /\/(example|examples|value)$/.test(place);
  return isWords ? [] : [...own, ...Object.entries(value).flatMap(([name, one]) => inlined(one, `${place}/${name}`))];
};

describe.each([
  { path: '/openapi.json', names: INSTITUTION },
  { path: '/tnwr/v1/openapi.json', names: POINT_OF_SALE },
  { path: '/tnwr/vexp/openapi.json', names: POINT_OF_SALE },
])('$path', ({ path, names }) => {
  let document: { readonly paths: Json; readonly components: Readonly<Record<string, Json>> };
  let references: Set<string>;
  beforeAll(async () => {
    document = (await openClient(product.address)(path)).body;
    references = new Set(
      [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, found = '']) => found),
    );
  });

  test('every name of the specification is a component', () => {
    const known = Object.keys(document.components.schemas ?? {});
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('every component is used, and every reference leads to one', () => {
    const required = listObjects(document.paths).flatMap(({ security }) => (security as object[] | undefined) ?? []);
    const schemes = required.flatMap((one) => Object.keys(one)).map((name) => `components/securitySchemes/${name}`);
    const all = Object.entries(document.components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `components/${kind}/${name}`),
    );
    expect(all.toSorted()).toEqual([...references, ...new Set(schemes)].toSorted());
  });

  test('no two services mean different schemas by one name', () => {
    expect(Object.keys(document.components.schemas ?? {}).filter((name) => name.includes('.'))).toEqual([]);
  });

  test('no component has a name that generators of clients make of something else', () => {
    // The gateways of release 0.3.0 know operations with a key by the name of this scheme.
    expect(findAmbiguousNames(document).filter((one) => one !== 'ApiKey: securitySchemes apiKey')).toEqual([]);
  });

  test(`no object of more than ${FEW} members stands twice`, () => {
    const found = inlined({ paths: document.paths, components: document.components }, '').map((one) => ({
      ...one,
      place: one.place.slice(1),
    }));
    const twice = [...Map.groupBy(found, ({ members }) => members).values()].filter((same) => same.length > 1);
    expect(twice.map((same) => same.map(({ place }) => place))).toEqual([]);
  });
});

test.each([
  [
    'of a member',
    { Ticket: { properties: { status: { enum: ['printed'] } } }, TicketStatus: {} },
    {},
    'TicketStatus: Ticket.status',
  ],
  ['of a parameter', { CreatedBy: {} }, { parameters: { createdBy: {} } }, 'CreatedBy: parameters createdBy'],
  ['of a security scheme', { Session: {} }, { securitySchemes: { session: {} } }, 'Session: securitySchemes session'],
])('a name that generators make %s is found', (_, schemas, others, found) => {
  expect(findAmbiguousNames({ paths: {}, components: { schemas, ...others } })).toEqual([found]);
});
