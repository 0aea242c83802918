import type { AliasMove, Releases } from './releases.ts'

/** The result of a release. */
export interface Outcome {
  /** The moves that succeeded: these functions serve their new version. */
  moved: AliasMove[]
  /**
   * The moves that an alarm or an error rolled back. If any failed, all other moves of the release are rolled back too.
   */
  failed: AliasMove[]
}

interface Options {
  say(line: string): void
  /** Moves in one step without alarms: for a fix of the fault that triggers the alarms. */
  isImmediate?: boolean
}

/**
 * Moves the functions of each wave in parallel, and starts the next wave once all of them have succeeded. If one fails,
 * the whole release is rolled back in one step, the last wave first.
 * @param waves the moves, each function once
 */
export async function release(
  releases: Releases,
  waves: readonly (readonly AliasMove[])[],
  { say, isImmediate = false }: Options,
): Promise<Outcome> {
  const moved: AliasMove[][] = []
  for (const wave of waves) {
    if (wave.length === 0) continue
    say(`moves ${wave.map(({ name, from, to }) => `${name} ${from} → ${to}`).join(', ')}`)
    const succeeded = await heldOf(releases, wave, { say, isImmediate })
    moved.push(wave.filter((_, i) => succeeded[i] === true))
    const failed = wave.filter((_, i) => succeeded[i] !== true)
    if (failed.length === 0) continue
    say(`${failed.map(({ name }) => name).join(', ')} failed: all moves are rolled back`)
    const stuck = await goBack(releases, moved.toReversed(), say)
    return { moved: stuck, failed }
  }
  return { moved: moved.flat(), failed: [] }
}

/**
 * Returns whether each move succeeded. A move without a response from AWS counts as failed, so that the others are
 * rolled back.
 */
async function heldOf(
  releases: Releases,
  wave: readonly AliasMove[],
  { say, isImmediate }: Required<Options>,
): Promise<boolean[]> {
  return Promise.all(
    wave.map(async (move) => {
      try {
        return await releases.move(move, { isImmediate })
      } catch (error) {
        say(`${move.name}: ${error instanceof Error ? error.message : String(error)}`)
        return false
      }
    }),
  )
}

/** @returns the moves that could not be rolled back */
async function goBack(
  releases: Releases,
  waves: AliasMove[][],
  say: Options['say'],
): Promise<AliasMove[]> {
  const stuck: AliasMove[] = []
  for (const wave of waves) {
    const back = wave.map(({ name, from, to }) => ({ name, from: to, to: from }))
    const succeeded = await heldOf(releases, back, { say, isImmediate: true })
    stuck.push(...wave.filter((_, i) => succeeded[i] !== true))
  }
  return stuck
}
