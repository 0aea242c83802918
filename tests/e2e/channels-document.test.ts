import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { locateAgent } from '#shared/agents/record/find.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { tableName } from '#stacks/local/engines.ts'
import { eventually } from '../support/clock/eventually.ts'
import type { TestUser } from '../support/http/client.ts'
import { useLocalCredentials } from '../support/platform/credentials.ts'
import { runBlocks } from '../support/stack/document.ts'
import { agentProcesses } from '../support/stack/processes.ts'
import { sleepOf } from '../support/stack/sleep.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'

const table = () => {
  useLocalCredentials()
  return dynamoTable({ tableName, endpoint: stack.now().endpoints.dynamodb })
}

let stack: OwnStack

describe.runIf(process.platform === 'linux')('the document of channels', () => {
  beforeAll(async () => {
    stack = await startOwnStack()
  })
  afterAll(() => stack?.[Symbol.asyncDispose]())

  it('works as written, from a signed request to a mail that wakes a sleeping agent', async () => {
    const at = stack.now()
    const [, port = ''] = /smtp:\S+:(\d+)/.exec(at.output()) ?? []
    const printing = runBlocks(
      ['README.md', 'docs/use/connect.md', 'docs/use/channels.md'],
      'tour|programs|channels',
      {
        at,
        environment: { EMAIL_IN_PORT: port },
        timeout: 230_000,
      },
    )
    const [printed] = await Promise.all([printing, sleepAfterCode()])
    const [added, notified, answered, made, , approved, , woken] = printed.slice(-8)
    expect(added).toMatch(/^chn_\w+\nhttp:\S+\/in\/webhook\/chn_\w+\nsecret, shown once: whsec_/)
    expect(notified?.trim()).toBe('{"received":true}'.repeat(2))
    // The second event with the same id has no turn.
    expect(answered?.match(/"sender":"agent"/g)).toHaveLength(1)
    expect(answered).toContain('⟦The printer is on fire⟧')
    expect(made).toMatch(/^(chn_\w+)\n\1@agents\.localhost$/m)
    expect(approved).toMatch(/^bob@example\.com +Bob +pending +[A-Z2-9]{8}\nBob is approved$/m)
    const [answer, code] = woken?.split('\n') ?? []
    expect(answer).toMatch(/ sent .* And when is low tide\?/)
    expect(code).toMatch(/ sent .* I do not know you yet/)
    expect(woken).not.toContain('high tide')
    expect(woken).toMatch(/^status +running$/m)
  }, 240_000)
})

/** Lets the agent of the document sleep once a stranger has got a code. */
async function sleepAfterCode(): Promise<void> {
  const { dataDir } = stack.now()
  await eventually(async () => {
    const outbox = join(dataDir, 'outbox')
    const mails = await Promise.all(
      (await readdir(outbox)).map((name) => readFile(join(outbox, name), 'utf8')),
    )
    expect(mails.join('\n')).toMatch(/code: [A-Z2-9]{8}/)
  }, 200_000)
  const [agent] = agentProcesses(dataDir)
  const ref = await locateAgent(table(), agent?.agentId ?? '')
  if (ref === undefined) throw new Error('the document has no agent')
  const { fallAsleep } = sleepOf(() => stack.now(), table)
  // The default is 15 minutes.
  await fallAsleep({ id: ref.userId } as TestUser, ref.agentId, 20)
}
