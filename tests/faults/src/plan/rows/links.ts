import { damageKinds } from '../../deployment/links/damage.ts';
import { linkNames } from '../../deployment/links/pairs.ts';
import { lacksLinks, needScaledEngines, startScaled } from '../../deployment/scaled.ts';
import type { Random } from '../../round/random.ts';
import { type LinkFault, playLinkFaults } from '../../scenarios/engines/links.ts';
import { inTurns, type PlanRow, portions } from '../row.ts';

/** The faults of one round. */
const PER_ROUND = 8;

/** Faults that meet every link before they repeat one, and as often in every way. */
export const linkFaults = (count: number, random: Random): LinkFault[] => {
  const links = inTurns(random.shuffled(linkNames), count);
  const blocks = Math.ceil(count / damageKinds.length);
  const kinds = Array.from({ length: blocks }, (_, index) => random.fork(`kinds ${index}`).shuffled(damageKinds));
  return kinds.flat().flatMap((kind, index) => {
    const link = links[index]?.name;
    return link === undefined ? [] : [{ link, kind }];
  });
};

/** Links between two processes, and to the store and the broker, damaged by toxiproxy. */
export const linksDamaged: PlanRow = {
  number: 6,
  fault: 'a link between two processes, or to the store or the broker, cut, delayed, halved, reset in mid-answer',
  unit: 'faults',
  times: { scaled: 100 },
  lacks: () => lacksLinks(process.env),
  play: {
    kind: 'rounds',
    start: () => startScaled(needScaledEngines(process.env), { links: true }),
    rounds: (count, random) => {
      const faults = linkFaults(count, random);
      return portions(count, PER_ROUND).map((units, index) => ({
        units,
        play: (context) => playLinkFaults(context, faults.slice(index * PER_ROUND).slice(0, units)),
      }));
    },
  },
};
