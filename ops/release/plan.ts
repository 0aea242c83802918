import type { AliasMove, Releases } from './releases.ts'

/** The number of functions to query in parallel: Lambda allows 15 such requests per second. */
const sideBySide = 5

/** Returns the stage's functions that are Lambdas, by wave. */
export function lambdasOf(
  releases: Pick<Releases, 'has'>,
  waves: readonly (readonly string[])[],
): Promise<string[][]> {
  return eachOf(waves, async (name) => ((await releases.has(name)) ? name : undefined))
}

/** Returns the moves of a release, by wave: every function that does not serve its newest version. */
export function pendingRelease(
  releases: Pick<Releases, 'pending'>,
  waves: readonly (readonly string[])[],
): Promise<AliasMove[][]> {
  return eachOf(waves, (name) => releases.pending(name))
}

/**
 * Returns the moves that roll back the newest release only, the last wave first. Empty if it was already rolled back.
 */
export async function lastRelease(
  releases: Pick<Releases, 'last'>,
  waves: readonly (readonly string[])[],
): Promise<AliasMove[][]> {
  const known = await eachOf(waves, (name) => releases.last(name))
  const newest = known
    .flat()
    .toSorted((one, other) => (one.at < other.at ? -1 : 1))
    .at(-1)
  return known
    .map((wave) =>
      wave
        .filter(({ at, back }) => at === newest?.at && !back)
        .map(({ name, from, to }) => ({ name, from, to })),
    )
    .toReversed()
}

async function eachOf<T>(
  waves: readonly (readonly string[])[],
  ask: (name: string) => Promise<T | undefined>,
): Promise<T[][]> {
  const found: T[][] = []
  for (const wave of waves) {
    const known: T[] = []
    for (let i = 0; i < wave.length; i += sideBySide) {
      const some = await Promise.all(wave.slice(i, i + sideBySide).map(ask))
      known.push(...some.filter((one) => one !== undefined))
    }
    found.push(known)
  }
  return found
}
