import { taskRows } from '../rows.ts'

/** The time that it was due, in milliseconds, and its task's id without the prefix. */
const form = /^run_(\d{13})_([0-9a-z]{26})$/

/** What a run is called where its task is not named beside it. */
export function runIdOf({ taskId, due }: { taskId: string; due: string }): string {
  const at = String(Date.parse(due)).padStart(13, '0')
  return `run_${at}_${taskId.slice(taskRows.id.length + 1)}`
}

export function parseRunId(id: string): { taskId: string; due: string } | undefined {
  const [, at, task] = form.exec(id) ?? []
  if (at === undefined || task === undefined) return undefined
  return { taskId: `${taskRows.id}_${task}`, due: new Date(Number(at)).toISOString() }
}
