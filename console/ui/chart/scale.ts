/**
 * Round values from 0 to where a chart may end, at least as high as its highest value: 0, 5, 10, 15 for 13.
 * @param steps how many of them there should be about
 */
export function ticksTo(highest: number, steps = 4): number[] {
  if (!(highest > 0)) return [0, 1]
  const rough = highest / steps
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= rough * 0.999) ?? 10
  const count = Math.ceil(highest / (step * power) - 1e-9)
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step * power).toPrecision(12)))
}

/** Every which name of an axis is written, so that none touches the next. @param room pixels a name takes */
export function everyNth(count: number, width: number, room: number): number {
  return Math.max(1, Math.ceil((count * room) / Math.max(1, width)))
}
