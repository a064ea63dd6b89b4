import { announcedAgain, type CurrentFacts } from '@boxoffice/service';
import { everyDocument } from '@boxoffice/store';
import {
  INSTITUTION_CHANGED,
  institutionChanged,
  PERFORMANCE_CANCELLED,
  PERFORMANCE_MOVED,
  PERFORMANCE_RECORDED,
  PLACES_RELEASED,
  PRODUCT_RECORDED,
  performanceCancelled,
  performanceMoved,
  placesReleased,
  shownOfPerformance,
  shownOfProduct,
} from './events.ts';
import { institutions, performances, products, releases } from './store.ts';

/**
 * The institutions, the last events of products and performances, the cancelled and the moved performances, and the places
 * that returned to stock: for republishing events after a restore.
 */
export const currentFacts: CurrentFacts = {
  types: [
    INSTITUTION_CHANGED,
    PERFORMANCE_CANCELLED,
    PERFORMANCE_MOVED,
    PLACES_RELEASED,
    PRODUCT_RECORDED,
    PERFORMANCE_RECORDED,
  ],
  async *read(store) {
    for await (const current of everyDocument(store.collection(institutions))) {
      const { id, institution, version, createdAt } = current;
      yield { ...institutionChanged(id, current), institution, key: id, version, changedAt: Date.parse(createdAt) };
    }
    for await (const product of everyDocument(store.collection(products))) {
      const { id: key, institution, version, modifiedAt } = product;
      const last = announcedAgain(product, PRODUCT_RECORDED, { resource: 'product', data: shownOfProduct(product) });
      if (last) yield { ...last, institution, key, version, changedAt: Date.parse(modifiedAt) };
    }
    for await (const performance of everyDocument(store.collection(performances))) {
      const { id, institution, version, productId, state, updatedAt, movedAt } = performance;
      const shown = { resource: 'performance', data: shownOfPerformance(performance) };
      const last = announcedAgain(performance, PERFORMANCE_RECORDED, shown);
      if (last) yield { ...last, institution, key: id, version, changedAt: Date.parse(performance.modifiedAt) };
      if (movedAt !== undefined)
        yield { ...performanceMoved(performance), institution, key: id, version, changedAt: Date.parse(movedAt) };
      if (state !== 'cancelled') continue;
      const fact = performanceCancelled({ performanceId: id, productId, cancelledAt: updatedAt });
      yield { ...fact, institution, key: id, version, changedAt: Date.parse(updatedAt) };
    }
    for await (const release of everyDocument(store.collection(releases))) {
      const { institution, version, orderId, cause, placeIds, createdAt } = release;
      const fact = placesReleased({ orderId, cause, placeIds, placesReleased: release.placesReleased });
      yield { ...fact, institution, key: orderId, version, changedAt: Date.parse(createdAt) };
    }
  },
};
