import type { AliasMove, Releases } from './releases.ts'

/** What a release came to. */
export interface Outcome {
  /** What serves its new version now. */
  moved: AliasMove[]
  /** What an alarm or a fault took back; with any of it, everything that had been moved is back too. */
  failed: AliasMove[]
}

interface Options {
  say(line: string): void
  /** Moves at once and by no alarm: a mend, while what it mends rings the alarms. */
  atOnce?: boolean
}

/**
 * Moves the functions of each wave side by side, and the next wave once all of them have held. When one is taken back, so
 * is the whole release: what was moved goes back at once, the last wave first.
 * @param waves what is to be moved, each function once
 */
export async function release(
  releases: Releases,
  waves: readonly (readonly AliasMove[])[],
  { say, atOnce = false }: Options,
): Promise<Outcome> {
  const moved: AliasMove[][] = []
  for (const wave of waves) {
    if (wave.length === 0) continue
    say(`moves ${wave.map(({ name, from, to }) => `${name} ${from} → ${to}`).join(', ')}`)
    const held = await heldOf(releases, wave, { say, atOnce })
    moved.push(wave.filter((_, i) => held[i] === true))
    const failed = wave.filter((_, i) => held[i] !== true)
    if (failed.length === 0) continue
    say(`${failed.map(({ name }) => name).join(', ')} did not hold: everything goes back`)
    const stuck = await goBack(releases, moved.toReversed(), say)
    return { moved: stuck, failed }
  }
  return { moved: moved.flat(), failed: [] }
}

/** Whether each move held. One that AWS does not answer for has not: the others must not be left where they are. */
async function heldOf(
  releases: Releases,
  wave: readonly AliasMove[],
  { say, atOnce }: Required<Options>,
): Promise<boolean[]> {
  return Promise.all(
    wave.map(async (move) => {
      try {
        return await releases.move(move, { atOnce })
      } catch (error) {
        say(`${move.name}: ${error instanceof Error ? error.message : String(error)}`)
        return false
      }
    }),
  )
}

/** @returns what could not be moved back */
async function goBack(
  releases: Releases,
  waves: AliasMove[][],
  say: Options['say'],
): Promise<AliasMove[]> {
  const stuck: AliasMove[] = []
  for (const wave of waves) {
    const back = wave.map(({ name, from, to }) => ({ name, from: to, to: from }))
    const held = await heldOf(releases, back, { say, atOnce: true })
    stuck.push(...wave.filter((_, i) => held[i] !== true))
  }
  return stuck
}
