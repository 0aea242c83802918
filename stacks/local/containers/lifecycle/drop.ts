import { rmSync } from 'node:fs'
import { idOf, type Engine } from '../engine.ts'
import { removeLogs } from '../logs/read.ts'
import type { Task } from '../tasks/task.ts'
import { volumeOf } from './describe-process.ts'

/** The lifetime of a client token. The ECS API guarantees a day. */
const tokenMs = 24 * 60 * 60 * 1000

/**
 * Drops tasks that stopped more than `retentionMs` ago, with their logs and their own volumes. Their client tokens still
 * return them for a day.
 */
export function dropStopped(engine: Engine, retentionMs: number): void {
  const { store } = engine
  const now = engine.clock()
  const rows = store.all(
    `
    SELECT body FROM task
    WHERE last_status = 'STOPPED' AND dropped = 0 AND stopped_at <= ?`,
    now - retentionMs,
  )
  for (const row of rows) {
    const task = JSON.parse(String(row['body'])) as Task
    const id = idOf(task.taskArn)
    removeLogs(engine.dir, id)
    if (task.startedBy === undefined)
      rmSync(volumeOf(engine, task), { recursive: true, force: true })
    store.run('UPDATE task SET dropped = 1 WHERE id = ?', id)
  }
  store.run(
    `
    DELETE FROM task
    WHERE dropped = 1 AND (client_token IS NULL OR stopped_at <= ?)`,
    now - tokenMs,
  )
}
