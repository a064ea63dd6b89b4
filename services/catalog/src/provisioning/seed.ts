// Commands for programs of the installation (demo data, operator), without HTTP: the same bodies and the same rules.

import { createCheck } from '@boxoffice/http';
import type { Store } from '@boxoffice/store';
import type { TSchema } from 'typebox';
import { contextOf } from '../context.ts';
import type { PointOfSaleDetails } from '../domain/point-of-sale.ts';
import { detailsOf, NewPointOfSale, view } from '../points-of-sale/body.ts';
import * as points from '../points-of-sale/points-of-sale.ts';
import { NewProduct, offeringOf } from '../products/body.ts';
import * as products from '../products/products.ts';
import { pointsOfSale } from '../store.ts';
import { TariffBody } from '../tariffs/schemas.ts';
import * as tariffs from '../tariffs/tariffs.ts';

/** Validates a body as the HTTP operation does. @throws Fault `validation_error` */
const checked = <Schema extends TSchema>(schema: Schema) => {
  const check = createCheck(schema);
  return (body: object) => check(structuredClone(body));
};

const tariffBody = checked(TariffBody);
const productBody = checked(NewProduct);
const pointOfSaleBody = checked(NewPointOfSale);

/**
 * Creates a tariff from the body of `POST /svc/v3/catalog/tariffs`; returns its id.
 * @throws Fault `validation_error`, `tariff_duplicate_code`
 */
export const createTariff = async (store: Store, institution: string, body: object): Promise<string> => {
  const { code, name, criterion = null } = tariffBody(body);
  return (await tariffs.createTariff(contextOf(store, institution), { code, name, criterion })).id;
};

/** The ids of the created documents; performances in the order of the body. */
export interface CreatedProduct {
  readonly productId: string;
  readonly performanceIds: readonly string[];
}

/**
 * Creates a product, its performances and their places from the body of `POST /svc/v3/catalog/products`.
 * @throws Fault `validation_error`, `product_duplicate_code`, `semantically_invalid`, `conflict`, `not_found` (no
 * such institution)
 */
export const createProduct = async (store: Store, institution: string, body: object): Promise<CreatedProduct> => {
  const offering = offeringOf(productBody(body));
  const { product, performances } = await products.createProduct(contextOf(store, institution), offering);
  return { productId: product.id, performanceIds: performances.map(({ id }) => id) };
};

/**
 * Creates a point of sale from the body of `POST /svc/v3/catalog/points-of-sale`; returns it.
 * @throws Fault `validation_error`, `semantically_invalid`, `point_of_sale_duplicate_host`, `not_found` (no such
 * institution)
 */
export const createPointOfSale = async (store: Store, institution: string, body: object) => {
  const { serviceHost, ...members } = pointOfSaleBody(body);
  return view(await points.createPointOfSale(contextOf(store, institution), detailsOf(serviceHost, members)));
};

/** The points of sale of an institution, or of all, in order of creation. */
export const listPointsOfSale = async (
  store: Store,
  institution?: string,
): Promise<(PointOfSaleDetails & { readonly institution: string })[]> => {
  const handle = store.collection(pointsOfSale);
  const found = await (institution === undefined ? handle.acrossInstitutions : handle.of(institution)).find({
    orderBy: 'createdAt',
  });
  return found.map((document) => ({ ...view(document), institution: document.institution }));
};
