// Categories are told apart by shape and colour: the shapes have their middle at 0, 0 and reach to about 1.

const PATHS = [
  'M-.7-.95H.7Q.95-.95 .95-.7V.7Q.95 .95 .7 .95H-.7Q-.95 .95-.95 .7V-.7Q-.95-.95-.7-.95Z',
  'M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z',
  'M0-1.18L1.18 0L0 1.18L-1.18 0Z',
  'M-.55-.98H.55L1.1 0L.55 .98H-.55L-1.1 0Z',
  'M0-1.12L1-.2V.95H-1V-.2Z',
  'M-.95-.95H.95V.2L0 1.12L-.95 .2Z',
];

/** The check mark of chosen seats, and the cross of taken ones. */
export const CHECK = 'M-.5 .05L-.12 .42L.52-.36';
export const CROSS = 'M-.34-.34L.34 .34M-.34 .34L.34-.34';

/** So many colours are named `--hall-1` and so on; a seventh category has the first colour and another shape. */
export const COLOURS = 6;

export const colourOf = (rank) => rank % COLOURS;
export const shapeOf = (rank) => PATHS[(rank + Math.floor(rank / COLOURS)) % PATHS.length];
