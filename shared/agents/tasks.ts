import type { Agent } from './record.ts'

/** The tasks of an agent that are not known to have stopped. */
export function liveTasks({
  taskArn,
  taskStatus,
  previousTaskArn,
}: Pick<Agent, 'taskArn' | 'taskStatus' | 'previousTaskArn'>): string[] {
  const own = taskStatus === 'STOPPED' ? undefined : taskArn
  return [own, previousTaskArn].filter((arn) => arn !== undefined)
}
