import { kill } from 'node:process'
import { expect, it } from 'vitest'
import { untilFound } from '../support/clock/eventually.ts'
import { commandLine } from '../support/programs/command-line.ts'
import { keyOf, newSubscriber, runningAgent, stack } from '../support/stack/platform.ts'
import { processesOf } from '../support/stack/processes.ts'

const lineOf = async (user: Awaited<ReturnType<typeof newSubscriber>>) =>
  commandLine({ PLATFORM_URL: stack().web, PLATFORM_API_KEY: await keyOf(user) })

it('a current run is cancelled with a reason, only by its user', async () => {
  const [ada, eve] = await Promise.all([newSubscriber('solo'), newSubscriber('solo')])
  const id = await runningAgent(ada)
  await using agents = await lineOf(ada)
  await using others = await lineOf(eve)
  expect(await agents.run(['chat', id, 'Are you there?'])).toMatchObject({ code: 0 })
  const [container] = processesOf(stack().dataDir, id)
  // Signals the whole process group: the guard in it would otherwise end the paused agent during the commands.
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => kill(-(container?.pid ?? Number.NaN), name)
  // The turn of a paused agent stays in progress until the commands have ended.
  signal('SIGSTOP')
  try {
    const asking = agents.start(['chat', id, 'Tell me everything'])
    const run = await untilFound(async () => {
      const [first] = await agents.json<{ id: string }[]>('runs', 'ls', '--active')
      return first
    })
    expect(run).toMatchObject({ kind: 'turn', agentId: id, state: 'active' })
    const cancel = ['runs', 'cancel', run.id, '--reason', 'too many words']
    expect(await others.run(cancel)).toMatchObject({ code: 4, stdout: '' })
    expect(await agents.run(cancel)).toMatchObject({ code: 0, stdout: 'cancelling\n' })
    const { code, stderr } = await asking.ended
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('cancelled') })
    const shown = await agents.json<object[]>('runs', 'ls', id)
    expect(shown).toContainEqual(expect.objectContaining({ id: run.id, state: 'cancelled' }))
    expect(await agents.run(cancel)).toMatchObject({ code: 1, stdout: '' })
  } finally {
    signal('SIGCONT')
  }
})
