/** Returns the id at the end of a task's ARN. It names the task's log. */
export function taskIdOf(taskArn: string): string {
  return taskArn.slice(taskArn.lastIndexOf('/') + 1)
}
