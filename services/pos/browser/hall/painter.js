// Draws a hall on a canvas: areas, seats, and names where there is room.
import { isChoosable } from './view.js';

/** Categories are told apart by shape and colour: the shapes have their middle at 0, 0 and reach to about 1. */
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

export function colourOf(rank) {
  return rank % COLOURS;
}
export function shapeOf(rank) {
  return PATHS[(rank + Math.floor(rank / COLOURS)) % PATHS.length];
}

/** The part of the distance between seats that a seat fills, as a radius. */
const FILL = 0.42;
/** Seats of this radius have their numbers, in pixels. */
const NUMBERED = 9.5;

/**
 * The painter of a hall. `stateOf(seat)` is free, taken, chosen or own; `captionOf(area)` are the lines that describe
 * an area while its seats are too small to be chosen.
 */
export function painterOf(canvas, hall, { stateOf, captionOf, stageName }) {
  const context = canvas.getContext('2d', { alpha: false });
  const images = imagesOf();
  const outlines = new Map(hall.areas.map((area) => [area, area.outline ? new Path2D(area.outline) : undefined]));
  let theme;

  const put = ({ image, size }, x, y) => context.drawImage(image, x - size / 2, y - size / 2, size, size);

  const drawAreas = ({ scale, left, top }, ratio) => {
    for (const [{ category }, outline] of outlines) {
      if (!outline) continue;
      context.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * left, ratio * top);
      context.globalAlpha = 0.1;
      context.fillStyle = category ? theme.seats[colourOf(category.rank)] : theme.soft;
      context.fill(outline);
      context.globalAlpha = 1;
      context.lineWidth = 1 / scale;
      context.strokeStyle = theme.line;
      context.stroke(outline);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
  };

  const drawStage = ({ scale, left, top }) => {
    const { x, y, width } = hall.stage;
    const [middle, half, at] = [x * scale + left, (width * scale) / 2, y * scale + top];
    context.strokeStyle = theme.ink;
    context.lineWidth = 3;
    context.beginPath();
    context.moveTo(middle - half, at - 4);
    context.quadraticCurveTo(middle, at + 4, middle + half, at - 4);
    context.stroke();
    context.save();
    context.translate(middle, at - 14);
    paintText(context, stageName, 13, theme.soft, theme.font);
    context.restore();
  };

  /** Each row at its first end, and at its last where no other name is. */
  const drawRowNames = ({ scale, left, top }) => {
    const away = hall.pitch * scale * 0.95;
    const rows = hall.areas.flatMap((area) => area.rows).filter(({ name }) => name !== '');
    const taken = [];
    context.font = `600 12px ${theme.font}`;
    for (const [name, end, next] of [
      ...rows.map(({ name, seats }) => [name, seats[0], seats[1]]),
      ...rows.map(({ name, seats }) => [name, seats.at(-1), seats.at(-2)]),
    ]) {
      const angle = next ? Math.atan2(end.y - next.y, end.x - next.x) : Math.PI;
      const x = end.x * scale + left + Math.cos(angle) * away;
      const y = end.y * scale + top + Math.sin(angle) * away;
      const width = context.measureText(name).width + 2;
      const place = { x: x - width / 2, y: y - 7, width, height: 14 };
      if (taken.some((other) => overlaps(place, other))) continue;
      taken.push(place);
      context.save();
      context.translate(x, y);
      paintText(context, name, 12, theme.soft, theme.font);
      context.restore();
    }
  };

  /** The place for lines in or just above an area that is closest to its middle and covers none of `taken`. */
  const placeOf = ({ box }, lines, { scale, left, top }, size, taken) => {
    const width = Math.max(...lines.map((line) => context.measureText(line).width)) + 8;
    const height = lines.length * 17 + 2;
    const x = ((box.left + box.right) / 2) * scale + left - width / 2;
    if (x < 0 || x + width > size.width) return undefined;
    const [from, to] = [Math.max(0, box.top * scale + top - height), box.bottom * scale + top - height];
    const places = Array.from({ length: Math.max(0, Math.floor((to - from) / 2) + 1) }, (_, step) => {
      return { x, y: from + step * 2, width, height };
    });
    const beside = taken.filter((one) => one.x < x + width && x < one.x + one.width);
    const middle = (from + to) / 2;
    return places
      .toSorted((a, b) => Math.abs(a.y - middle) - Math.abs(b.y - middle))
      .find((place) => !beside.some((one) => overlaps(place, one)));
  };

  /**
   * The names of areas where they cover no seat, with the rest of the caption where there is room; the legend has all.
   */
  const drawCaptions = (view, size) => {
    const { scale, left, top } = view;
    const { stage } = hall;
    const radius = hall.pitch * scale * FILL + 1;
    const taken = hall.seats.map(({ x, y }) => ({
      ...{ x: x * scale + left - radius, y: y * scale + top - radius },
      ...{ width: radius * 2, height: radius * 2 },
    }));
    const half = (stage.width / 2) * scale;
    taken.push({ x: stage.x * scale + left - half, y: stage.y * scale + top - 22, width: half * 2, height: 26 });
    context.font = `600 13px ${theme.font}`;
    for (const area of hall.areas.toSorted((a, b) => b.seats.length - a.seats.length)) {
      const all = captionOf(area);
      for (const lines of [all, all.slice(0, 1)]) {
        const place = placeOf(area, lines, view, size, taken);
        if (!place) continue;
        taken.push(place);
        for (const [index, line] of lines.entries()) {
          context.save();
          context.translate(place.x + place.width / 2, place.y + 10 + index * 17);
          paintText(context, line, 13, index === 0 ? theme.ink : theme.soft, theme.font, theme.paper);
          context.restore();
        }
        break;
      }
    }
  };

  const drawSeats = ({ scale, left, top }, size, ratio) => {
    const radius = Math.round(hall.pitch * scale * FILL * 4) / 4;
    images.resize(`${radius} ${ratio}`);
    const edge = radius * 2;
    for (const seat of hall.seats) {
      const [x, y] = [seat.x * scale + left, seat.y * scale + top];
      if (x < -edge || y < -edge || x > size.width + edge || y > size.height + edge) continue;
      const state = stateOf(seat);
      const rank = seat.category?.rank ?? 0;
      const name = state === 'taken' ? state : `${state} ${rank}`;
      put(
        images.get(name, () =>
          bitmap(radius * 2.8 + 2, ratio, (sheet) => paintSeat(sheet, { state, rank }, radius, theme)),
        ),
        x,
        y,
      );
      if (state !== 'free' || radius < NUMBERED) continue;
      const number = images.get(`number ${seat.number}`, () =>
        bitmap(radius * 2, ratio, (sheet) =>
          paintText(sheet, seat.number, Math.min(13, radius * 0.95), theme.on, theme.font),
        ),
      );
      put(number, x, y);
    }
  };

  const drawRing = (seat, { scale, left, top }, colour, width) => {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.beginPath();
    context.arc(
      seat.x * scale + left,
      seat.y * scale + top,
      Math.max(hall.pitch * scale * FILL, 4) + 5,
      0,
      2 * Math.PI,
    );
    context.stroke();
  };

  const drawAll = ({ view, size, ratio, marked, focused }) => {
    theme ??= themeOf(canvas);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = theme.paper;
    context.fillRect(0, 0, size.width, size.height);
    drawAreas(view, ratio);
    drawStage(view);
    drawSeats(view, size, ratio);
    if (isChoosable(hall, view, 'mouse')) drawRowNames(view);
    else drawCaptions(view, size);
    if (marked) drawRing(marked, view, theme.ink, 2);
    if (!focused) return;
    drawRing(focused, view, theme.paper, 6);
    drawRing(focused, view, theme.focus, 3);
  };

  return {
    /** Draws the view; `marked`: the seat with the pointer, `focused`: the one with the keyboard's focus. */
    draw: drawAll,
    /** The colours are read again: they change with the colour scheme. */
    forgetTheme() {
      theme = undefined;
      images.resize('');
    },
  };
}

/** Images by name, made when first needed; forgotten when seats get another size. */
const imagesOf = () => {
  let known = new Map();
  let shown = '';
  return {
    resize(size) {
      if (size !== shown) known = new Map();
      shown = size;
    },
    get(name, make) {
      const image = known.get(name) ?? make();
      known.set(name, image);
      return image;
    },
  };
};

const paintText = (context, text, size, colour, font, ground) => {
  context.font = `600 ${size}px ${font}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  if (ground) {
    context.lineWidth = 4;
    context.lineJoin = 'round';
    context.strokeStyle = ground;
    context.strokeText(text, 0, size * 0.05);
  }
  context.fillStyle = colour;
  context.fillText(text, 0, size * 0.05);
};

const overlaps = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

const bitmap = (size, ratio, paint) => {
  const pixels = Math.max(1, Math.ceil(size * ratio));
  const sheet = new OffscreenCanvas(pixels, pixels);
  const context = sheet.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, pixels / 2, pixels / 2);
  paint(context);
  return { image: sheet.transferToImageBitmap(), size: pixels / ratio };
};

/** A seat in one of its states, drawn once for all seats that look the same. */
const paintSeat = (context, { state, rank }, radius, theme) => {
  if (state === 'taken') return stroke(context, new Path2D(CROSS), radius, theme.taken, Math.max(1, radius / 7));
  const shape = new Path2D(shapeOf(rank));
  if (state === 'free') return fill(context, shape, radius, theme.seats[colourOf(rank)]);
  const isOwn = state === 'own';
  fill(context, shape, radius * 1.15, theme.ink);
  if (isOwn) fill(context, shape, radius * 0.85, theme.paper);
  const check = new Path2D(CHECK);
  stroke(context, check, radius, isOwn ? theme.ink : theme.paper, Math.max(1.5, radius / 5));
};

const stroke = (context, path, radius, colour, width) => {
  context.save();
  context.scale(radius, radius);
  context.lineWidth = width / radius;
  context.strokeStyle = colour;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.stroke(path);
  context.restore();
};

const fill = (context, path, radius, colour) => {
  context.save();
  context.scale(radius, radius);
  context.fillStyle = colour;
  context.fill(path);
  context.restore();
};

/** The colours of the plan, from custom properties of its element. */
const themeOf = (element) => {
  const style = getComputedStyle(element);
  const value = (name) => style.getPropertyValue(`--hall-${name}`).trim();
  return {
    seats: Array.from({ length: COLOURS }, (_, index) => value(index + 1)),
    ...Object.fromEntries(['on', 'taken', 'ink', 'paper', 'line', 'soft', 'focus'].map((name) => [name, value(name)])),
    font: style.fontFamily,
  };
};
