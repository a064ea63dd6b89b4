// Commands for programs of the installation (demo data, operator), without HTTP: the same bodies and the same rules.

import { canonicaliseTag, createCheck, isCurrency, LANGUAGE_TAG } from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import { createContext, readTimestamp, throwNotFound } from './context.ts';
import type { PointOfSaleDetails, ReceiptHead } from './domain/point-of-sale.ts';
import type { Institution } from './domain/tariff.ts';
import { createInstitutionChangedFact } from './events.ts';
import * as points from './points-of-sale/points-of-sale.ts';
import { NewReceiptHead, toReceiptHead } from './points-of-sale/receipt.ts';
import { NewPointOfSale, toPointOfSaleDetails, toPointOfSaleView } from './points-of-sale/schemas.ts';
import { toInstitutionView } from './schemas.ts';
import { institutions, pointsOfSale } from './store.ts';

const LANGUAGE = new RegExp(LANGUAGE_TAG);

/** `demo`: of the demo data. @throws RangeError that lists what is wrong; {@link UniqueViolation} if the id is taken */
export async function createInstitution(
  store: Store,
  institution: Institution & { readonly demo?: boolean },
): Promise<Institution> {
  const languages = institution.languages.map((tag) => canonicaliseTag(tag) ?? tag);
  const details = { ...institution, languages };
  const problems = institutionProblems(details);
  if (problems.length > 0) throw new RangeError(problems.join('; '));
  const { id, name, currency, demo = false } = institution;
  const context = createContext(store, id);
  const catalogMark = context.newId('mark');
  const createdAt = readTimestamp(context);
  const document = { id, name, currency, languages, demo, catalogMark, createdAt, announced: true };
  const events = [createInstitutionChangedFact(id, details)];
  return toInstitutionView(await context.collections.institutions.insert(document, { events }));
}

const institutionProblems = ({ id, name, currency, languages }: Institution): string[] => [
  ...(/^[a-z0-9][a-z0-9_-]{0,62}$/.test(id) ? [] : ['id must be 1 to 63 of a-z, 0-9, _ and -']),
  ...(name.trim() === '' ? ['name must not be empty'] : []),
  ...(isCurrency(currency) ? [] : ['currency must be an ISO 4217 code that is in use']),
  ...(languages.length > 0 && languages.every((tag) => LANGUAGE.test(tag))
    ? []
    : ['languages must be language tags (BCP 47), such as fr, pt-BR or zh-Hant, at least one']),
];

export async function listInstitutions(store: Store): Promise<Institution[]> {
  return (await store.collection(institutions).acrossInstitutions.find({ orderBy: 'id' })).map(toInstitutionView);
}

const checkReceipt = createCheck(NewReceiptHead);

/** The head of its receipts; null: none. `change` makes the new one. @throws Fault `validation_error`, `not_found` */
export async function changeReceipt(
  store: Store,
  institution: string,
  change: (current: ReceiptHead | null) => object | null,
): Promise<ReceiptHead | null> {
  const { institutions } = createContext(store, institution).collections;
  const written = await institutions.update(institution, (current) => {
    const given = change(current.receipt ?? null);
    return { next: { ...current, receipt: given && toReceiptHead(checkReceipt(given)) } };
  });
  return (written ?? throwNotFound()).receipt ?? null;
}

export async function readReceipt(store: Store, institution: string): Promise<ReceiptHead | null> {
  return (await store.collection(institutions).of(institution).get(institution))?.receipt ?? null;
}

const checkPointOfSale = createCheck(NewPointOfSale);

/**
 * The body is that of `POST /svc/v3/catalog/points-of-sale`. @throws Fault `validation_error`, `semantically_invalid`,
 * `point_of_sale_duplicate_host`, `not_found` (no such institution)
 */
export async function createPointOfSale(store: Store, institution: string, body: object) {
  const { serviceHost, ...members } = checkPointOfSale(structuredClone(body));
  return toPointOfSaleView(
    await points.createPointOfSale(createContext(store, institution), toPointOfSaleDetails(serviceHost, members)),
  );
}

/** Without an institution those of all; in order of creation. */
export async function listPointsOfSale(
  store: Store,
  institution?: string,
): Promise<(PointOfSaleDetails & { readonly institution: string })[]> {
  const handle = store.collection(pointsOfSale);
  const found = await (institution === undefined ? handle.acrossInstitutions : handle.of(institution)).find({
    orderBy: 'createdAt',
  });
  return found.map((document) => ({ ...toPointOfSaleView(document), institution: document.institution }));
}
