/** The id at the end of a task's ARN, by which its log is named. */
export function taskIdOf(taskArn: string): string {
  return taskArn.slice(taskArn.lastIndexOf('/') + 1)
}
