import { randomBytes, randomUUID } from 'node:crypto'
import { Wallet } from 'ethers'
import { expect } from 'vitest'
import { startSession } from '#shared/accounts/users/session.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { tableName } from '#stacks/local/engines.ts'
import { compose } from '#tests/support/accounts/wallets.ts'
import { call } from '#tests/support/http/client.ts'
import type { OwnStack } from '#tests/support/stack/stack-process.ts'
import type { Random } from '../world/random.ts'
import { type History, historyOf, type Sold } from './history.ts'

/** A user with their started checkouts, and the events of these at the provider. */
export interface Payer extends History {
  id: string
  session: { cookie: string }
}

/** @param hasMail true for a user with mails, whose password hash costs 0.3 s of CPU; other users sign in by wallet */
export async function newPayer(
  stack: OwnStack,
  { random, hasMail }: { random: Random; hasMail: boolean },
): Promise<Payer> {
  const web = `${stack.now().web}/api`
  const { id, session } = await (hasMail ? register(stack) : signInByWallet(web))
  const begin = async (sold: Sold): Promise<string> => {
    const path = sold.kind === 'storage' ? 'stripe/storage-upgrade' : 'billing'
    const action =
      sold.kind === 'plan'
        ? { action: 'create-checkout', plan: sold.plan }
        : { action: 'buy-credits', pack: sold.kind === 'credits' ? sold.credits : 0 }
    const answer = await call(`${web}/${path}`, {
      method: 'POST',
      headers: session,
      ...(sold.kind !== 'storage' && { body: action }),
    })
    expect(answer.status).toBe(200)
    const [sessionId = ''] = /cs_\w+/.exec(String(answer.body.url)) ?? []
    expect(sessionId).not.toBe('')
    return sessionId
  }
  return { id, session, ...(await historyOf(random, id, begin)) }
}

type Account = Pick<Payer, 'id' | 'session'>

async function register(stack: OwnStack): Promise<Account> {
  const { web, endpoints } = stack.now()
  const registered = await call(`${web}/api/register`, {
    body: {
      email: `payer-${randomUUID()}@example.com`,
      password: `correct horse ${randomUUID()}`,
    },
  })
  expect(registered.status).toBe(200)
  const id = String(registered.body.id)
  const table = dynamoTable({ tableName, endpoint: endpoints.dynamodb })
  const token = await startSession({ table }, { userId: id })
  return { id, session: { cookie: `service-session=${token}` } }
}

async function signInByWallet(web: string): Promise<Account> {
  // A wallet from a mnemonic costs a thousand times as much.
  const wallet = new Wallet(`0x${randomBytes(32).toString('hex')}`)
  const { address } = wallet
  const { body } = await call(`${web}/auth/nonce`)
  const domain = `localhost:${new URL(web).port}`
  const uri = `http://${domain}/login`
  const message = compose({ domain, uri, address, nonce: String(body.nonce) })
  const signature = await wallet.signMessage(message)
  const answer = await call(`${web}/wallet-auth`, { body: { address, message, signature } })
  expect(answer.status).toBe(200)
  const { id } = answer.body.user as { id: string }
  const [cookie = ''] = answer.headers.getSetCookie()[0]?.split(';') ?? []
  return { id, session: { cookie } }
}
