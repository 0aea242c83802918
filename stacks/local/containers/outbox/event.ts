import { randomUUID } from 'node:crypto'
import type { Engine } from '../engine.ts'
import { toDetail, type Task } from '../tasks/task.ts'

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

/** The event that tells of a task's present state. */
export function taskEvent(engine: Engine, task: Task): EventBridgeEvent {
  const now = new Date(engine.clock()).toISOString()
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'ECS Task State Change',
    source: 'aws.ecs',
    account: engine.account,
    time: now.replace(/\.\d+Z$/, 'Z'),
    region: engine.region,
    resources: [task.taskArn],
    detail: { ...toDetail(task), updatedAt: now },
  }
}
