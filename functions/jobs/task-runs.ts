import { converseWhole } from '../../shared/chat/converse.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { carryOutRun } from '../../shared/scheduled-tasks/runs/carry-out.ts'
import { taskRuns } from '../../shared/scheduled-tasks/runs/topic.ts'
import { job } from '../common/job.ts'

const config = loadConfig(process.env)
const table = openTable(config)

/** Sends the prompts of scheduled tasks to their agents. */
export const handler = job(config, {
  topic: taskRuns,
  handle: ({ queues, log, requestId }, run) =>
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
              requestId,
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
})
