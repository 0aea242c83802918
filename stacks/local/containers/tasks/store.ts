import { idOf, type Engine } from '../engine.ts'
import { taskEvent } from '../outbox/task-event.ts'
import type { Store } from '../store/open.ts'
import type { Task } from './task.ts'

/** A process, known by more than its pid, which the system may hand out again. */
export interface ProcessIdentity {
  pid: number
  /** When it started, as `processStart` tells. */
  start: string
}

/** What a task's row holds beside the task itself. */
export interface NewTask {
  task: Task
  family: string
  clientToken: string | null
  /** A hash of the request, by which a repeated client token's is compared. */
  request: string
}

type Row = ReturnType<Store['all']>[number]

const toTask = (row: Row): Task => JSON.parse(String(row['body'])) as Task

/** Stores a new task and its first event. */
export function insertTask(engine: Engine, entry: NewTask): void {
  const { task, family, clientToken, request } = entry
  engine.store.transaction(() => {
    engine.store.run(
      `
      INSERT INTO task (id, family, started_by, client_token, request, last_status, desired_status, body)
      VALUES (?, ?, ?, ?, ?,
        ?, ?, ?)`,
      idOf(task.taskArn),
      family,
      task.startedBy ?? null,
      clientToken,
      request,
      task.lastStatus,
      task.desiredStatus,
      JSON.stringify(task),
    )
    engine.outbox.add(taskEvent(engine, task))
  })
}

/**
 * Changes a task, raises its version and keeps the event, all in one transaction.
 * @param identity the process that the task has from now on
 */
export function changeTask(
  engine: Engine,
  id: string,
  edit: (task: Task) => Task,
  identity?: ProcessIdentity,
): Task {
  const { store } = engine
  return engine.store.transaction(() => {
    const before = requireTask(engine.store, id)
    const task = { ...edit(before), version: before.version + 1 }
    const port = task.containers[0].networkBindings[0]?.hostPort ?? null
    store.run(
      `
      UPDATE task SET last_status = ?, desired_status = ?,
        stopped_at = ?, port = ?, body = ?
      WHERE id = ?`,
      task.lastStatus,
      task.desiredStatus,
      task.stoppedAt ?? null,
      port,
      JSON.stringify(task),
      id,
    )
    if (identity) {
      store.run(
        'UPDATE task SET pid = ?, process_start = ? WHERE id = ?',
        identity.pid,
        identity.start,
        id,
      )
    }
    engine.outbox.add(taskEvent(engine, task))
    return task
  })
}

/** Replaces a task's tags, which is no change of state: no version, no event. */
export function storeTags(store: Store, id: string, tags: Task['tags']): void {
  const task = JSON.stringify({ ...requireTask(store, id), tags })
  store.run('UPDATE task SET body = ? WHERE id = ?', task, id)
}

/** The task of that id, unless it was never there or has been dropped. */
export function findTask(store: Store, id: string): Task | undefined {
  const row = store.get('SELECT body FROM task WHERE id = ? AND dropped = 0', id)
  return row && toTask(row)
}

/** The task of that id, known to be there. */
export function requireTask(store: Store, id: string): Task {
  const row = store.get('SELECT body FROM task WHERE id = ?', id)
  if (!row) throw new Error(`Task ${id} is not in the store`)
  return toTask(row)
}

/** The tasks that a client token started, dropped ones too, and the hash of its request. */
export function findByToken(
  store: Store,
  clientToken: string,
): { request: string; tasks: Task[] } | undefined {
  const rows = store.all(
    'SELECT request, body FROM task WHERE client_token = ? ORDER BY seq',
    clientToken,
  )
  const request = rows[0]?.['request']
  return request === undefined ? undefined : { request: String(request), tasks: rows.map(toTask) }
}

/** How many tasks are not stopped. */
export function countLive(store: Store): number {
  return Number(store.get("SELECT count(*) AS n FROM task WHERE last_status <> 'STOPPED'")?.['n'])
}

/** Whether a task of a starter is not stopped. */
export function hasLive(store: Store, startedBy: string): boolean {
  const sql = "SELECT 1 FROM task WHERE started_by = ? AND last_status <> 'STOPPED'"
  return store.get(sql, startedBy) !== undefined
}

/** The tasks that are not stopped, with the process that each was last known to have. */
export function listLive(store: Store): { id: string; process: ProcessIdentity | undefined }[] {
  const rows = store.all(
    "SELECT id, pid, process_start FROM task WHERE last_status <> 'STOPPED' ORDER BY seq",
  )
  return rows.map((row) => ({
    id: String(row['id']),
    process:
      row['pid'] === null
        ? undefined
        : { pid: Number(row['pid']), start: String(row['process_start']) },
  }))
}

/** Whether a task that is not stopped holds the port. */
export function isPortHeld(store: Store, port: number): boolean {
  return (
    store.get("SELECT 1 FROM task WHERE port = ? AND last_status <> 'STOPPED'", port) !== undefined
  )
}
