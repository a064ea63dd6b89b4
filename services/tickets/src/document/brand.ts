/** The colours of a point of sale, `#rrggbb`. */
export interface Colours {
  readonly accent: string;
  readonly ink: string;
  readonly paper: string;
}

/** A logo that can be drawn: its SVG and its proportions; in a layout its size in points. */
export interface Picture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

/** What the documents of a point of sale look like. */
export interface Brand {
  readonly name: string;
  readonly colours: Colours;
  readonly logo: Picture | null;
}

/** Of a point of sale that has set none: black on white. */
export const PLAIN: Colours = { accent: '#000000', ink: '#000000', paper: '#ffffff' };
