import { setTimeout as sleep } from 'node:timers/promises'
import { type Engine } from '../engine.ts'
import { listLive, requireTask } from '../tasks/store.ts'
import { requestStop } from './stop.ts'

/** How long a task has between SIGTERM and SIGKILL when the engine closes, at most. */
const graceMs = 6000
/** What SIGKILL and the last output take beyond that. What is left then, the next start ends. */
const afterGraceMs = 1500

/** Stops every task at once, and waits until they are STOPPED. */
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
