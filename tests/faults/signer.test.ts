import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { walletKeyRows } from '#shared/network/signer/keys/rows.ts'
import { plainSeals } from '#shared/network/signer/keys/seal.ts'
import { signerProcedures } from '#shared/network/signer/port.ts'
import { procedureClient } from '#shared/platform/procedures/client.ts'
import { lambdaInvoke } from '#shared/platform/procedures/lambda.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { eventually } from '../support/clock/eventually.ts'
import { call, type TestUser } from '../support/http/client.ts'
import { useLocalCredentials } from '../support/platform/credentials.ts'
import { findingIn, isAlive, memoryHolds, processesBelow } from '../support/stack/process-memory.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

let stack: OwnStack
let user: TestUser
let agentId: string
let address: string

beforeAll(async () => {
  useLocalCredentials()
  stack = await startOwnStack()
  user = await stack.newSubscriber('solo')
  const { body } = await stack.askForAgent(user, { name: 'Ada' })
  agentId = String((body.agent as { id: string }).id)
  address = await walletOf()
})
afterAll(() => stack[Symbol.asyncDispose]())

async function walletOf(): Promise<string> {
  const { session: headers } = user
  const answer = await call(`${stack.now().web}/api/wallet/create`, { body: { agentId }, headers })
  expect(answer.status).toBeOneOf([200, 201])
  return String(answer.body.address)
}

/** Signs over Lambda's Invoke, as functions with the grant do. */
function sign(messageId: string) {
  const invoke = lambdaInvoke({
    functionName: 'signer',
    endpoint: stack.now().endpoints.lambda,
  })
  const message = {
    messageId,
    timestamp: new Date().toISOString(),
    from: { agentId },
    to: { agentId },
    action: 'NOTE',
    payload: {},
  }
  const origin = { requestId: 'req_test', askedBy: `user:${user.id}` }
  return procedureClient(signerProcedures, invoke)(origin).signMessage({ agentId, message })
}

const signersOf = (pid: number) =>
  processesBelow(pid).filter(({ command }) => command.includes('process.cjs'))

/** Returns the wallet's private key in every form that memory or files may contain. Only this test decrypts it. */
async function keyForms(): Promise<Buffer[]> {
  const { dataDir, endpoints } = stack.now()
  const secrets = await readFile(join(dataDir, 'secrets.json'), 'utf8')
  const { WALLET_ENCRYPTION_KEY } = JSON.parse(secrets) as { WALLET_ENCRYPTION_KEY: string }
  const table = dynamoTable({ tableName: 'platform', endpoint: endpoints.dynamodb })
  const row = await table.get(walletKeyRows.key({ agentId }))
  const { sealed } = walletKeyRows.parse(row!)
  const key = Buffer.from(
    await plainSeals(WALLET_ENCRYPTION_KEY).open(sealed, { agentId, address }),
  )
  const text = key.toString('base64').replace(/=+$/, '')
  return [
    key,
    // The byte order of a BigInt in memory.
    Buffer.from(key.toReversed()),
    Buffer.from(key.toString('hex')),
    Buffer.from(key.toString('hex').toUpperCase()),
    Buffer.from(text),
    Buffer.from(key.toString('base64url')),
  ]
}

describe('the key of a wallet', () => {
  it('is in no file and in the memory of no process but the signer’s, after many signatures', async () => {
    for (let i = 0; i < 100; i++) await sign(`msg-${i}`)
    const forms = await keyForms()
    const pid = stack.now().pid
    const [signer, ...moreSigners] = signersOf(pid)
    expect(moreSigners).toEqual([])
    // Proves that the search works.
    await eventually(async () => {
      await sign('msg-again')
      expect(memoryHolds(signer?.pid ?? 0, forms)).toBe(true)
    })
    const others = processesBelow(pid).filter((one) => one.pid !== signer?.pid)
    expect(others.map((one) => one.pid)).toContain(pid)
    expect(others.filter((one) => memoryHolds(one.pid, forms))).toEqual([])
    // The address is in the table's file, its log and responses; the key is nowhere.
    expect(await findingIn(stack.dataDir, [Buffer.from(address)])).not.toEqual([])
    expect(await findingIn(stack.dataDir, forms)).toEqual([])
    expect(forms.some((form) => stack.now().output().includes(form.toString('latin1')))).toBe(false)
    expect(await readdir(stack.dataDir)).toContain('logs')
  })
})

describe('the signer', () => {
  it('a killed signer signs the same again with the next call', async () => {
    const [before] = signersOf(stack.now().pid)
    process.kill(before?.pid ?? 0, 'SIGKILL')
    await eventually(() => expect(isAlive(before?.pid ?? 0)).toBe(false))
    await eventually(async () => expect((await sign('msg-after')).address).toBe(address))
    const [after] = signersOf(stack.now().pid)
    expect(after?.pid).not.toBe(before?.pid)
  })

  it('ends with its stack, even if that is killed, and has every wallet afterwards', async () => {
    const first = await sign('msg-1')
    const [signer] = signersOf(stack.now().pid)
    expect(isAlive(signer?.pid ?? 0)).toBe(true)
    await stack.now().kill()
    await eventually(() => expect(isAlive(signer?.pid ?? 0)).toBe(false))
    await stack.startAgain()
    expect(await walletOf()).toBe(address)
    expect((await sign('msg-1')).address).toBe(first.address)
  })
})
