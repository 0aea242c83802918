import { userMailer } from '#shared/accounts/users/user-mailer.ts'
import { carryOutTaskChange } from '#shared/conversations/scheduled-tasks/carry-out.ts'
import { paymentsCap } from '#shared/network/agent-payments/context.ts'
import { openAgentPaymentSigner } from '#shared/network/agent-payments/signing/client.ts'
import { approvals } from '#shared/permits/approvals/topic.ts'
import { attemptApproval } from '#shared/permits/approvals/work/attempt.ts'
import type { Executors } from '#shared/permits/approvals/work/carry-out.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { sealer } from '#shared/platform/seal.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { carryOutBrokerRequest } from '#shared/tools/broker/carry-out.ts'
import { valueOpener } from '#shared/tools/broker/open-value.ts'
import { keptDialects } from '#shared/tools/connections/server/dialects.ts'
import { negotiations } from '../backend/bus/negotiations.ts'
import { jobWith } from '../common/job.ts'

/** The longest time until another host sends or accepts the next byte. */
const idleMs = 55_000

const open = valueOpener()
const dialects = keptDialects()

/** Carries out approved effects of agents, expires approvals, and mails their owners. */
export const job = jobWith<typeof wire>()({
  topic: approvals,
  handle: (ctx, message) => {
    const { WALLET_ENCRYPTION_KEY: key, WEB_URL: webUrl } = ctx.config
    const seals = key === undefined ? undefined : sealer(key)
    const mailer = userMailer({ ...ctx, sealer: seals })
    const { config, table, queues, log } = ctx
    const broker = {
      table,
      log,
      idleMs,
      open,
      encryptionKey: key,
      allowed: config.deployed ? [] : config.FETCH_ALLOW_HOSTS,
    }
    const bus = { table, queues, log, config, guard: config, negotiations }
    const payments = {
      table,
      queues,
      log,
      signer: ctx.signerFor({ requestId: ctx.requestId, askedBy: ctx.actor.askedBy }),
      chain: config,
      capUsd: paymentsCap(config),
      allowed: broker.allowed,
    }
    const connections = { ...broker, queues, mailer, webUrl, dialects }
    // Loaded when they are needed, because most attempts only send a mail or expire an approval.
    const executors: Executors = {
      'broker.request': (execution) => carryOutBrokerRequest(broker, execution),
      'payment.send': async (execution) => {
        const { carryOutPayment } = await import('#shared/network/agent-payments/carry-out.ts')
        return carryOutPayment(payments, execution)
      },
      'message.send': async (execution) => {
        const { carryOutMessage } = await import('#shared/network/bus/carry-out.ts')
        return carryOutMessage(bus, execution)
      },
      'tool.call': async (execution) => {
        const { carryOutToolCall } = await import('#shared/tools/connections/use/carry-out.ts')
        return carryOutToolCall(connections, execution)
      },
      'channel.send': async (execution) => {
        const { carryOutChannelMessage } =
          await import('#shared/conversations/channels/messages/carry-out.ts')
        return carryOutChannelMessage({ table, queues, log }, execution)
      },
      'schedule.write': (execution) => carryOutTaskChange({ table }, execution),
    }
    return attemptApproval({ ...ctx, webUrl, mailer, executors }, message)
  },
})

export function wire(config: ConfigOf<'approvals'>) {
  const signerFor = openAgentPaymentSigner(config)
  return { services: { table: openTable(config), config, signerFor } }
}
