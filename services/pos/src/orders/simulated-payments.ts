import { flag, type Setting, SettingsFault } from '@boxoffice/runtime';
import type { PointOfSale } from '../clients/catalog.ts';

const given = flag('SIMULATED_PAYMENTS', { optional: true });
const demoData = flag('BOXOFFICE_DEMO', { default: false });

/** Which points of sale accept the payment method `simulated`: those of the demo data, all, or none. */
export type SimulatedPayments = 'demo data' | 'always' | 'never';

/** The value of SIMULATED_PAYMENTS; if unset, points of sale of the demo data while BOXOFFICE_DEMO is on. */
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

/**
 * Whether a point of sale accepts `simulated`. Without the setting, a point of sale outside the demo data never does.
 */
export const isSimulated = (taken: SimulatedPayments, { demo }: Pick<PointOfSale, 'demo'>): boolean =>
  taken === 'always' || (taken === 'demo data' && demo);
