import { wakeAgent } from '#shared/agents/fleet/activity/wake.ts'
import { converseWhole } from '#shared/conversations/chat/converse.ts'
import { executeRun } from '#shared/conversations/scheduled-tasks/runs/execute.ts'
import { taskRuns } from '#shared/conversations/scheduled-tasks/runs/topic.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Sends the prompts of scheduled tasks to their agents. */
export const job = jobWith<typeof wire>()({
  topic: taskRuns,
  handle: ({ table, queues, log, requestId, config }, run) =>
    executeRun(
      {
        table,
        queues,
        log,
        wake: (agent) => wakeAgent({ table, queues, config }, { agent }),
        async ask({ owner, agentId, prompt, topic, seed, group, by, turnKey }) {
          const { reply, usage } = await converseWhole(
            {
              table,
              queues,
              config,
              log,
              encryptionKey: config.WALLET_ENCRYPTION_KEY,
              owner,
              requestId,
              seed,
              // There is no caller who can disconnect. The timeouts of the agent client end the call.
              signal: new AbortController().signal,
              platform: 'schedule',
              group,
              by,
              turnKey,
            },
            { message: prompt, agentId, topic, stream: false },
          )
          return { reply, tokens: usage?.total_tokens ?? null }
        },
      },
      run,
    ),
})

export function wire(config: ConfigOf<'task-runs'>) {
  return { services: { table: openTable(config), config } }
}
