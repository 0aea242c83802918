import { userMailer } from '#shared/accounts/users/user-mailer.ts'
import { askForChannel } from '#shared/agents/fleet/channels/ask.ts'
import { checkAgents } from '#shared/agents/fleet/watchdog/check-all.ts'
import { checks } from '#shared/agents/fleet/watchdog/topic.ts'
import { recordTraffic } from '#shared/agents/traffic/record.ts'
import { syncWorkspace } from '#shared/agents/workspace/sync.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { sealer } from '#shared/platform/seal.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Runs the watchdog's steps: health checks, repairs, and the recovery of lost steps. */
export const job = jobWith<typeof wire>()({
  topic: checks,
  handle: ({ table, queues, log, settings, encryptionKey, sealer, webUrl }, { agents }) => {
    const mailer = userMailer({ table, queues, sealer })
    return checkAgents(
      {
        table,
        queues,
        log,
        settings,
        askForChannel: (agent) => askForChannel({ queues }, agent),
        syncWorkspace: (agent) => syncWorkspace({ table, encryptionKey, log }, { agent }),
        noteTraffic: (agent, traffic, now) =>
          recordTraffic({ table, queues, log, mailer, webUrl }, { agent, traffic }, now),
      },
      agents,
    )
  },
})

export function wire(config: ConfigOf<'checks'>) {
  const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
  return {
    services: {
      table: openTable(config),
      settings: config,
      encryptionKey,
      sealer: encryptionKey === undefined ? undefined : sealer(encryptionKey),
      webUrl: config.WEB_URL,
    },
  }
}
