/**
 * Returns round values from 0 to at least the highest value: 0, 5, 10, 15 for 13.
 * @param steps the approximate number of steps
 */
export function ticksTo(highest: number, steps = 4): number[] {
  if (!(highest > 0)) return [0, 1]
  const rough = highest / steps
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= rough * 0.999) ?? 10
  const count = Math.ceil(highest / (step * power) - 1e-9)
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step * power).toPrecision(12)))
}

/**
 * Returns n if every nth label of an axis fits.
 * @param room the width of a label in pixels
 */
export function everyNth(count: number, width: number, room: number): number {
  return Math.max(1, Math.ceil((count * room) / Math.max(1, width)))
}
