import { flag, type Setting, SettingsFault } from '@boxoffice/runtime';

const given = flag('SIMULATED_PAYMENTS', { optional: true });
const demoData = flag('BOXOFFICE_DEMO', { default: false });

/** Whether the payment method `simulated` is taken: as SIMULATED_PAYMENTS says; without it only where BOXOFFICE_DEMO is on. */
export const simulatedPayments: Setting<boolean> = {
  name: given.name,
  read(env) {
    const said = given.read(env);
    if (said !== undefined) return said;
    try {
      return demoData.read(env);
    } catch (error) {
      throw new SettingsFault([`${demoData.name}: ${(error as Error).message}`]);
    }
  },
};
