import { idOf, type Engine } from '../engine.ts'
import { taskEvent } from '../outbox/task-event.ts'
import type { Store } from '../store/open.ts'
import type { Task } from './task.ts'

/** The identity of a process: its pid alone is not enough, because pids are reused. */
export interface ProcessIdentity {
  pid: number
  /** Its start time from `processStart`. */
  start: string
}

/** A task's row. */
export interface NewTask {
  task: Task
  family: string
  clientToken: string | null
  /** A hash of the request, to compare it when a client token is reused. */
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
 * Changes a task, increments its version and stores the event in one transaction.
 * @param identity the task's new process
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

/** Replaces a task's tags. This is not a change of state, so version and events stay unchanged. */
export function storeTags(store: Store, id: string, tags: Task['tags']): void {
  const task = JSON.stringify({ ...requireTask(store, id), tags })
  store.run('UPDATE task SET body = ? WHERE id = ?', task, id)
}

/** Returns a task by id; undefined if it never existed or was dropped. */
export function findTask(store: Store, id: string): Task | undefined {
  const row = store.get('SELECT body FROM task WHERE id = ? AND dropped = 0', id)
  return row && toTask(row)
}

/** Returns a task that must exist, by id. */
export function requireTask(store: Store, id: string): Task {
  const row = store.get('SELECT body FROM task WHERE id = ?', id)
  if (!row) throw new Error(`Task ${id} is not in the store`)
  return toTask(row)
}

/** Returns the tasks that a client token started, including dropped ones, and the hash of its request. */
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

/** Returns the number of tasks that have not stopped. */
export function countLive(store: Store): number {
  return Number(store.get("SELECT count(*) AS n FROM task WHERE last_status <> 'STOPPED'")?.['n'])
}

/** Returns whether a task with this `startedBy` has not stopped. */
export function hasLive(store: Store, startedBy: string): boolean {
  const sql = "SELECT 1 FROM task WHERE started_by = ? AND last_status <> 'STOPPED'"
  return store.get(sql, startedBy) !== undefined
}

/** Returns the tasks that have not stopped, each with its last known process. */
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

/** Returns whether a task that has not stopped holds the port. */
export function isPortInUse(store: Store, port: number): boolean {
  return (
    store.get("SELECT 1 FROM task WHERE port = ? AND last_status <> 'STOPPED'", port) !== undefined
  )
}
