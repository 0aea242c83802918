import { isoOf } from '#shared/platform/times.ts'
import { taskRows } from '../rows.ts'

/** The due time in epoch milliseconds, and the task's id without its prefix. */
const form = /^run_(\d{13})_([0-9a-z]{26})$/

/** Returns a run's id, which contains its task. */
export function runIdOf({ taskId, due }: { taskId: string; due: string }): string {
  const at = String(Date.parse(due)).padStart(13, '0')
  return `run_${at}_${taskId.slice(taskRows.id.length + 1)}`
}

/** Returns the task and the due time in a run's id; undefined for any other text. */
export function parseRunId(id: string): { taskId: string; due: string } | undefined {
  const [, at, task] = form.exec(id) ?? []
  if (at === undefined || task === undefined) return undefined
  return { taskId: `${taskRows.id}_${task}`, due: isoOf(Number(at)) }
}
