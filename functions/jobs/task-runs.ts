import { converseWhole } from '../../shared/chat/converse.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { consumer } from '../../shared/platform/queues/consume.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { carryOutRun } from '../../shared/scheduled-tasks/runs/carry-out.ts'
import { runMessage } from '../../shared/scheduled-tasks/runs/run.ts'

const config = loadConfig(process.env)
const table = openTable(config)
const queues = openQueues(config)

/** Sends the prompts of scheduled tasks to their agents. */
export const handler = consumer({
  name: config.FUNCTION_NAME,
  schema: runMessage,
  handle: (run, { log }) =>
    carryOutRun(
      {
        table,
        queues,
        log,
        async ask({ userId, agentId, prompt, topic, seed }) {
          await converseWhole(
            {
              table,
              queues,
              config,
              log,
              encryptionKey: config.WALLET_ENCRYPTION_KEY,
              userId,
              requestId: `${run.taskId}-${run.due}`,
              seed,
              // No caller waits for it; the timeouts towards the agent end it.
              signal: new AbortController().signal,
              platform: 'schedule',
            },
            { message: prompt, agentId, topic, stream: false },
          )
        },
      },
      run,
    ),
  queueUrl: config.queueUrl('task-runs'),
  endpoint: config.SQS_ENDPOINT,
})
