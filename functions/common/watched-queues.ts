import type { QueueName } from '#shared/manifest/queues.ts'
import type { QueuesToWatch } from '#shared/operations/tools/queues.ts'
import type { Settings } from '#shared/platform/config/settings.ts'
import { queueDepth } from '#shared/platform/queues/depth.ts'

/** All queues. If a queue is missing, this does not compile. */
const watched: Record<QueueName, true> = {
  'agent-exports': true,
  'agent-payments': true,
  'approval-turns': true,
  approvals: true,
  'bus-deliveries': true,
  'channel-set-ups': true,
  'channel-deliveries': true,
  'channel-turns': true,
  checks: true,
  entitlements: true,
  'file-collections': true,
  'file-uploads': true,
  'hand-overs': true,
  mails: true,
  notices: true,
  'paid-turns': true,
  'password-resets': true,
  provisioning: true,
  'received-mails': true,
  'restore-points': true,
  'security-events': true,
  settlements: true,
  splits: true,
  'task-events': true,
  'task-runs': true,
  'task-states': true,
  telemetry: true,
  videos: true,
  'webhook-deliveries': true,
}

/** Returns the URL of every queue, and a function that gets its depth. */
export function watchedQueues(
  config: Pick<Settings, 'SQS_ENDPOINT'> & { queueUrl: (queue: QueueName) => string },
): QueuesToWatch {
  const names = Object.keys(watched) as QueueName[]
  const urls = Object.fromEntries(names.map((name) => [name, config.queueUrl(name)]))
  return { depthOf: queueDepth(config.SQS_ENDPOINT), urls }
}
