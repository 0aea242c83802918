/** An "ECS Task State Change" event in EventBridge's format. */
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
  /** The task as in DescribeTasks, but with ISO 8601 times and without tags. */
  detail: Record<string, unknown>
}
