import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../engine.ts'
import { processStart } from '../processes/identify.ts'
import { killMarked, signalGroup } from '../processes/kill.ts'
import { listLive, type ProcessIdentity } from '../tasks/store.ts'
import { finishTask } from './finish.ts'

const deadlineMs = 5000
const pauseMs = 5

/**
 * Ends what a killed engine left behind: first the processes, then their tasks, which become STOPPED by TerminationNotice
 * unless a stop was requested before. Must run before anything else starts.
 * @throws Error if a process survives SIGKILL, because its task would run twice
 */
export async function recover(engine: Engine): Promise<void> {
  const live = listLive(engine.store)
  const ids = new Set(live.map(({ id }) => id))
  const processes = live.flatMap(({ process }) => process ?? [])
  const deadline = performance.now() + deadlineMs
  for (;;) {
    const left = processes.filter(isAlive)
    for (const { pid } of left) signalGroup(pid, 'SIGKILL')
    if (ids.size === 0 || left.length + killMarked(ids) === 0) break
    if (performance.now() > deadline) throw new Error('Processes of an earlier run do not end')
    await sleep(pauseMs)
  }
  for (const id of ids) {
    finishTask(engine, id, {
      code: 'TerminationNotice',
      reason: 'The container engine restarted.',
    })
  }
}

function isAlive({ pid, start }: ProcessIdentity): boolean {
  return processStart(pid) === start
}
