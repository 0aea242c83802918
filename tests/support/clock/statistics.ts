/** A seeded generator of numbers from 0 to 1 (mulberry32), so that a failed run can be repeated. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Compares two samples by the Mann-Whitney U test. It compares ranks, so a few very slow runs on a busy machine weigh
 * no more than others.
 * @returns the z of its normal approximation. For two samples of one distribution, |z| exceeds 3.9 once in 10,000 runs.
 */
export function mannWhitneyZ(a: readonly number[], b: readonly number[]): number {
  const all = [
    ...a.map((value) => ({ value, first: true })),
    ...b.map((value) => ({ value, first: false })),
  ]
  all.sort((x, y) => x.value - y.value)
  // Times are measured to the nanosecond, so that ties are too few to matter.
  const rankSum = all.reduce((sum, { first }, index) => sum + (first ? index + 1 : 0), 0)
  const u = rankSum - (a.length * (a.length + 1)) / 2
  const mean = (a.length * b.length) / 2
  const deviation = Math.sqrt((a.length * b.length * (a.length + b.length + 1)) / 12)
  return (u - mean) / deviation
}

/**
 * Times two kinds of calls in pairs. A seeded coin decides the order in each pair, so that other work of the machine
 * slows both alike.
 * @returns milliseconds of each
 */
export async function timePairs(
  pairs: number,
  seed: number,
  first: (round: number) => Promise<unknown>,
  second: (round: number) => Promise<unknown>,
): Promise<[number[], number[]]> {
  const random = seededRandom(seed)
  const times: [number[], number[]] = [[], []]
  const kinds = [first, second] as const
  for (let round = 0; round < pairs; round++)
    for (const kind of random() < 0.5 ? ([0, 1] as const) : ([1, 0] as const)) {
      const began = performance.now()
      await kinds[kind](round)
      times[kind].push(performance.now() - began)
    }
  return times
}
