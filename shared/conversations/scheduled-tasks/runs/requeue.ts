import type { Context } from '#shared/platform/identity/context.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { runRows, schedulesDue } from '../rows.ts'
import { releasePlaceWrite } from './places.ts'
import type { Run } from './run.ts'

/**
 * Sets a started run to waiting again and releases its slot. Only allowed if its agent has not received the request.
 * The tick checks the run `seconds` after `now` (epoch milliseconds).
 * @returns whether it was still started
 */
export async function requeueRun(
  { table }: Pick<Context, 'table'>,
  { run, seconds, now }: { run: Run; seconds: number; now: number },
): Promise<boolean> {
  const refusals = await tryCommit(table, {
    run: {
      update: runRows.key(run),
      set: { state: 'waiting', ...schedulesDue.at(run.taskId, now + seconds * 1000) },
      remove: ['startedAt'],
      if: '#state = :started',
      values: { started: 'started' },
    },
    place: releasePlaceWrite(run.userId),
  })
  return refusals === undefined
}
