import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { agentAiKey } from '#shared/agents/record/ai-key.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { tableName } from '#stacks/local/engines.ts'
import { call, type TestUser } from '../../support/http/client.ts'
import type { OwnStack } from '../../support/stack/stack-process.ts'

/** The response to an agent. */
interface Told {
  status: number
  body: Record<string, unknown>
}

/** A request of an agent, which is sent again until the stack has answered it. */
export interface AgentRequest {
  method: string
  /** Below the backend's address. */
  path: string
  headers?: Record<string, string>
  body?: unknown
}

/** Returns the table of the stack as it runs now. */
function tableOf(stack: OwnStack): Table {
  return dynamoTable({ tableName, endpoint: stack.now().endpoints.dynamodb })
}

/** Returns the rows of a partition whose sort key has a prefix. */
export function rowsOf(stack: OwnStack, pk: string, beginsWith: string): Promise<Item[]> {
  return allItems((from) => tableOf(stack).query({ pk, beginsWith, ...from }))
}

/** Calls a stack that is killed and started again, as agents and their owner do. */
export async function callersOf(
  stack: OwnStack,
  { owner, killing }: { owner: TestUser; killing: () => Promise<void> | undefined },
) {
  const secrets = await readFile(join(stack.dataDir, 'secrets.json'), 'utf8')
  const { WALLET_ENCRYPTION_KEY } = JSON.parse(secrets) as { WALLET_ENCRYPTION_KEY: string }

  /** The key changes with every start of the container. */
  async function keyOf(agentId: string): Promise<string> {
    const agent = await requireAgent({ table: tableOf(stack) }, { agentId, owner: owner.id })
    return agentAiKey(WALLET_ENCRYPTION_KEY, agent, agent.generation)
  }

  /** Repeats a call while the stack is down, starts, or starts the agent. */
  async function untilAnswered(attempt: () => Promise<Told>): Promise<Told> {
    for (;;) {
      await killing()
      const told = await attempt().catch(() => undefined)
      if (told !== undefined && told.status < 500 && ![401, 429].includes(told.status)) return told
      await wait(200)
    }
  }

  const asOwner = (path: string, body?: unknown, method?: string): Promise<Told> =>
    untilAnswered(() =>
      call(`${stack.now().web}${path}`, {
        headers: owner.session,
        body,
        ...(method !== undefined && { method }),
      }),
    )

  /** Sends a request with the key of an agent. The body of a host's answer is not read as JSON. */
  const asAgent = (agentId: string, { method, path, headers, body }: AgentRequest): Promise<Told> =>
    untilAnswered(async () => {
      const answer = await fetch(`${stack.now().backend}${path}`, {
        method,
        headers: {
          ...headers,
          authorization: `Bearer ${await keyOf(agentId)}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      const isJson = answer.headers.get('content-type')?.includes('json') === true
      return { status: answer.status, body: isJson && text !== '' ? JSON.parse(text) : {} }
    })

  return {
    asOwner,
    asAgent,

    /** Returns a message to another agent, signed by the sender's wallet. */
    async signedMessage(from: string, to: string): Promise<Record<string, unknown>> {
      const message = {
        messageId: randomUUID(),
        timestamp: new Date().toISOString(),
        from: { agentId: from },
        to: { agentId: to },
        action: 'NOTE',
        payload: { text: 'Hello' },
      }
      const path = '/api/underground/bus/sign'
      const { body } = await asAgent(from, { method: 'POST', path, body: message })
      const { signature, address: walletAddress } = body
      return { ...message, from: { agentId: from, walletAddress }, signature }
    },
  }
}

export type Callers = Awaited<ReturnType<typeof callersOf>>
