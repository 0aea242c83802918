/** An "ECS Task State Change" as EventBridge delivers it. */
export interface EventBridgeEvent {
  version: '0'
  id: string
  'detail-type': 'ECS Task State Change'
  source: 'aws.ecs'
  account: string
  /** ISO 8601, whole seconds. */
  time: string
  region: string
  /** The task's ARN. */
  resources: string[]
  /** The task as DescribeTasks shows it, its times in ISO 8601, without tags. */
  detail: Record<string, unknown>
}
