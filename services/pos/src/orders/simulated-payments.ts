import { flag, type Setting, SettingsFault } from '@boxoffice/runtime';
import type { PointOfSale } from '../clients/catalog.ts';

const given = flag('SIMULATED_PAYMENTS', { optional: true });
const demoData = flag('BOXOFFICE_DEMO', { default: false });

/** Where the payment method `simulated` is taken: at the points of sale of the demo data alone, or everywhere, or nowhere. */
export type SimulatedPayments = 'demo data' | 'always' | 'never';

/** As SIMULATED_PAYMENTS says; without it for the demo data, and only where BOXOFFICE_DEMO is on. */
export const simulatedPayments: Setting<SimulatedPayments> = {
  name: given.name,
  read(env) {
    const said = given.read(env);
    if (said !== undefined) return said ? 'always' : 'never';
    try {
      return demoData.read(env) ? 'demo data' : 'never';
    } catch (error) {
      throw new SettingsFault([`${demoData.name}: ${(error as Error).message}`]);
    }
  },
};

/** Whether a point of sale takes it. A setting that was forgotten lets nobody pay an institution of its own so. */
export const isSimulated = (taken: SimulatedPayments, { demo }: Pick<PointOfSale, 'demo'>): boolean =>
  taken === 'always' || (taken === 'demo data' && demo);
