import { setTimeout as sleep } from 'node:timers/promises'
import { type Engine } from '../engine.ts'
import { listLive, requireTask } from '../tasks/store.ts'
import { requestStop } from './stop.ts'

/** The maximum time between SIGTERM and SIGKILL when the engine closes. */
const graceMs = 6000
/** Extra time for SIGKILL and the last output. The next start ends what is left after that. */
const afterGraceMs = 1500

/** Stops all tasks in parallel and waits until they are STOPPED. */
export async function shutDown(engine: Engine): Promise<void> {
  engine.closing = true
  for (const { id } of listLive(engine.store)) {
    const task = requireTask(engine.store, id)
    requestStop(engine, task, 'TerminationNotice', 'The container engine is stopping.', graceMs)
  }
  await Promise.race([allEnded(engine), sleep(graceMs + afterGraceMs, undefined, { ref: false })])
}

async function allEnded(engine: Engine): Promise<void> {
  await Promise.all(engine.launching)
  await Promise.all([...engine.running.values()].map(({ ended }) => ended))
}
