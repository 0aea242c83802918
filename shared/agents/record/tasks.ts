import type { Agent } from './record.ts'

/** Returns the tasks of an agent that may still run. */
export function liveTasks({
  taskArn,
  taskStatus,
  previousTaskArn,
}: Pick<Agent, 'taskArn' | 'taskStatus' | 'previousTaskArn'>): string[] {
  const own = taskStatus === 'STOPPED' ? undefined : taskArn
  return [own, previousTaskArn].filter((arn) => arn !== undefined)
}
