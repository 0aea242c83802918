import { randomUUID } from 'node:crypto'
import { sealPlace } from '#shared/agents/record/config/secrets.ts'
import { agentMessage } from '#shared/money/agent-message/message.ts'
import { signedText } from '#shared/money/agent-message/signed-text.ts'
import { sendMessage } from '#shared/network/bus/send.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { newId } from '#shared/platform/ids.ts'
import type { Log } from '#shared/platform/log.ts'
import { sealer } from '#shared/platform/seal.ts'
import type { Item, Key, Table } from '#shared/platform/table/port.ts'
import { newWebhookSecret } from '#shared/platform/webhook-signature.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { busCaller, signed, type Signer } from '#tests/support/network/bus.ts'
import { lostQueues } from '#tests/support/platform/context.ts'

const config = loadConfig({ WALLET_ENCRYPTION_KEY: encryptionKey })
const silent: Log = { info() {}, warn() {}, error() {} }

/** Parses a message as the route does and sends it. */
export async function readAndSend(table: Table, json: string): Promise<void> {
  const message = agentMessage.parse(JSON.parse(json))
  const guard = { deployed: false }
  const ctx = { table, config, guard, queues: lostQueues, negotiations: {}, log: silent }
  await sendMessage(ctx, { message })
}

/** A table in memory that responds immediately and accepts every transaction. */
export function quickTable(): Table {
  const rows = new Map<string, Item>()
  const textOf = ({ pk, sk }: Key) => `${pk} ${sk}`
  const unused = () => Promise.reject(new Error('not used to send a message'))
  let isStoring = true
  return {
    get: () => Promise.resolve(undefined),
    getMany: (keys) => Promise.resolve(keys.map((key) => rows.get(textOf(key)))),
    put: async (item) => void rows.set(textOf(item), item),
    async transact(writes) {
      for (const write of writes)
        if (isStoring && 'put' in write) rows.set(textOf(write.put), write.put)
      // Nothing reads the later rows here, and a growing heap would distort the measurement.
      isStoring = rows.size < 6
    },
    update: unused,
    delete: unused,
    query: unused,
  }
}

/** Creates two agents. The first may send this many messages a day. */
export async function parties(table: Table, webhookUrl?: string) {
  const bus = busCaller(table)
  const from = await bus.signer(await bus.subscriber({ plan: 'network' }))
  const id = newId('agt')
  const secret = newWebhookSecret()
  const webhookSecret = await sealer(encryptionKey).seal(secret, sealPlace(id, 'webhookSecret'))
  const to = await bus.signer(
    await bus.subscriber(),
    webhookUrl === undefined ? {} : { id, config: { webhookUrl }, secrets: { webhookSecret } },
  )
  return { from, to }
}

/** Creates a message as it arrives. */
export async function newMessage({ from, to }: { from: Signer; to: Signer }) {
  const { signature, ...unsigned } = await signed(from, to.agent)
  return { json: JSON.stringify({ ...unsigned, signature }), text: signedText(unsigned), signature }
}

/**
 * Sends only the table requests of a message between agents that the process knows: a read of several rows, one
 * transaction, one update.
 */
export async function requestsAlone(table: Table): Promise<void> {
  const key = (sk: string) => ({ pk: `bench#${randomUUID()}`, sk })
  await table.getMany([key('a'), key('b'), key('c'), key('d')])
  const row = key('message')
  await table.transact([
    { put: { ...row, text: 'a'.repeat(500) }, if: 'attribute_not_exists(pk)' },
    { update: { pk: 'bench', sk: 'count' }, add: { count: 1 } },
  ])
  await table.update(row, { remove: ['text'] })
}
