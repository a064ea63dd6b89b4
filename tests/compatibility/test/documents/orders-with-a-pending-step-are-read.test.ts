import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '@boxoffice/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openScenario, type Scenario } from '../../src/scenario/open-scenario.ts';
import { newPartner, type Partner } from '../../src/scenario/partner.ts';
import { quiet } from '../../src/scenario/quiet.ts';
import type { Stored } from '../../src/snapshot.ts';
import { type Moment, moments, restoring } from './restored.ts';

type Json = ReturnType<typeof JSON.parse>;

// Until 0.2.0 an order named the step that its process had begun, and was a draft until its places were held.

const begun = { request: 'req_ysx49spx7m8j968gm0s', owner: 'lea_4fefd69e-407a-4705-90f1-77c68f51be8e' };

const stepOf = ({ saleDue, removedPlaces }: Json) => {
  if (saleDue) return { ...begun, step: 'confirm', late: false, ...saleDue };
  if (!removedPlaces) return null;
  const { since, placeIds } = removedPlaces;
  return { ...begun, step: 'release', since, placeIds };
};

/** The order as the earlier release stored it. */
const withStep = (order: Stored): Stored => {
  const { saleDue: _sale, removedPlaces: _places, ...others } = order as Json;
  return { ...others, pendingStep: stepOf(order) };
};

/** An order whose places were being held. */
const draftOf = ({ institution, performanceIds, performanceId, createdAt, client }: Json): Stored => ({
  id: 'ord_0mww0r2vmrg2ypen1wy',
  institution,
  state: 'draft',
  client,
  pointOfSale: null,
  contactNumber: null,
  externalReference: null,
  currency: '',
  lines: [],
  performanceIds,
  payments: [],
  refunds: [],
  expiresAt: null,
  dueAt: null,
  deadline: null,
  cameFrom: null,
  confirmedAt: null,
  cancellation: null,
  ticketNotes: [],
  heldPlaces: 1,
  createdAt,
  modifiedAt: null,
  listedAt: null,
  performanceId,
  pendingStep: { ...begun, step: 'create', hold: begun.request, since: createdAt, abandoned: null },
  version: 1,
});

const ofOrders = moments().find(({ of }) => of.includes('orders')) as Moment;
const now: Json[] = [...(ofOrders.stored.orders?.orders ?? [])];
const institution = String(now[0]?.institution);
const draft = draftOf(now.find(({ state }) => state === 'open'));
const orders = [...now.map(withStep), draft];
const moment = { ...ofOrders, stored: { ...ofOrders.stored, orders: { ...ofOrders.stored.orders, orders } } };

const directory = mkdtempSync(join(tmpdir(), 'boxoffice-steps-'));
let scenario: Scenario;
let partner: Partner;
beforeAll(async () => {
  scenario = await openScenario({ directory, logger: quiet, fill: restoring(moment) });
  partner = await newPartner(scenario, institution);
});
afterAll(async () => {
  await scenario.close();
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
});

test('a sale by payment is finished without a request, and so is a release', async () => {
  const stored = scenario.stores.orders?.collection({ name: 'orders', indexes: [] }).acrossInstitutions;
  const sold = now.find(({ saleDue }) => saleDue);
  await waitUntil(async () => (await stored?.count({ id: sold.id, state: 'confirmed' })) === 1);
  const { removedPlaces } = now.find((one) => one.removedPlaces);
  const places = scenario.stores.catalog?.collection({ name: 'places', indexes: [] }).acrossInstitutions;
  const isFree = async (id: string) => (await places?.count({ id, state: 'free' })) === 1;
  for (const id of removedPlaces.placeIds) await waitUntil(() => isFree(id));
});

test('an order without a step is as before, and a draft is none', async () => {
  const { items } = await partner.must('/svc/v3/orders?limit=500');
  const ids = items.map(({ id }: Json) => id);
  expect(ids).not.toContain(draft.id);
  expect(ids).toEqual(expect.arrayContaining(now.filter(({ listedAt }) => listedAt !== null).map(({ id }) => id)));
  for (const { id, state } of now.filter((one) => one.listedAt !== null && stepOf(one) === null))
    expect(await partner.must(`/svc/v3/orders/${id}`)).toMatchObject({ id, state });
});
