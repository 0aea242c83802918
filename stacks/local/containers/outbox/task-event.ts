import { randomUUID } from 'node:crypto'
import type { Engine } from '../engine.ts'
import { toDetail, type Task } from '../tasks/task.ts'
import type { EventBridgeEvent } from './event.ts'

/** Returns the event for a task's current state. */
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
