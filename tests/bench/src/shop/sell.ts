import { authorizationFor, createBuyer, type Hot, putOnSale } from '../client/buyer.ts';
import type { Product } from '../measure/product.ts';
import { SERVICE_HOST } from './visitor.ts';

/** Puts a performance with `capacity` places on sale in the opera's shop; returns its product, too. */
export const sellInShop = async (product: Product, capacity: number): Promise<{ hot: Hot; productId: string }> => {
  const buyer = createBuyer(product, await authorizationFor(product));
  const hot = await putOnSale(buyer, capacity);
  const shop = `/svc/v3/catalog/points-of-sale/${SERVICE_HOST}`;
  const { data } = await buyer.send<{ tariffIds: string[] }>('GET', shop);
  const changed = await buyer.send('PATCH', shop, { tariffIds: [...data.tariffIds, hot.tariffId] });
  if (changed.http !== 200) throw new Error(`${changed.http}: ${changed.details}`);
  const path = `/svc/v3/catalog/performances/${hot.performanceId}`;
  const { data: performance } = await buyer.send<{ productId: string }>('GET', path);
  buyer.close();
  // The shop may serve points of sale that are three seconds old.
  await new Promise((resolve) => setTimeout(resolve, 3_500));
  return { hot, productId: performance.productId };
};
